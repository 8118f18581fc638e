package llm

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// What must stand in no error: the key, what the prompt says, what the server
// says.
const (
	testKey    = "sk-Zm9vYmFyYmF6cXV4"
	secretWord = "criterionword"
	bundleWord = "bundleword"
	serverWord = "serverword"
)

func clientFor(t testing.TB, h http.Handler, change ...func(*Config)) *Client {
	t.Helper()
	cfg := Config{
		Name: "gpt", URL: "http://api.example.org/v1", Model: "gpt-5-mini", Family: "gpt",
		Timeout: time.Minute, Concurrency: 4,
		Key: func() (string, error) { return testKey + "\n", nil }, Transport: llmtest.Client(t, h).Transport,
	}
	for _, f := range change {
		f(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func question(content string) *shadow.Question {
	return &shadow.Question{
		RunID: "run-1",
		Bundle: &shadow.Bundle{
			BundleID: "b-1", Domain: "backend", CommanderID: "alpha", Status: "success", Content: content,
		},
		Domain: &shadow.Domain{Domain: "backend", TaskBrief: "Write the session handling", SubTasks: []string{"Answer expired tokens"}},
		Criterion: &shadow.Criterion{
			ID: "sc-01", Category: shadow.ErrorHandling,
			Assertion: "The document says with which status an expired token is answered (" + secretWord + ").", Expected: "A status such as 401.",
		},
	}
}

// leaks names what stands in a text and must not.
func leaks(text string) string {
	for _, s := range []string{testKey, secretWord, bundleWord, serverWord} {
		if strings.Contains(strings.ToLower(text), strings.ToLower(s)) {
			return s
		}
	}
	return ""
}
