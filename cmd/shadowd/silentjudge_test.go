package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
)

// TestSilentJudge: whatever keeps a model from voting is told once, on standard
// error, with what to do; the report says that there was no vote.
func TestSilentJudge(t *testing.T) {
	t.Parallel()
	html := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>"))
	}))
	prose := httptest.NewServer(llmtest.Handler(func(*llmtest.Request) string { return "I think that it passes." }))
	quote := httptest.NewServer(llmtest.Handler(func(*llmtest.Request) string {
		return llmtest.Verdict("zebras that nobody wrote of", "", "passed")
	}))
	for _, s := range []*httptest.Server{html, prose, quote} {
		defer s.Close()
	}
	cfg := inFolder(t, "judging: {wait: 0s, controls: false}\n", nil)
	for _, c := range []struct{ url, why string }{
		{refusing(t), "it is out of reach: the server answered 401 Unauthorized: no key was sent, since none is named: give the model an entry with key_env or key_file"},
		{html.URL, "the answer is no chat completion in JSON: is the address the base of an API, such as https://host/v1?"},
		{prose.URL, "there is no JSON object in it"},
		{quote.URL, "a pass whose quote proves nothing: it does not stand in the content"},
	} {
		out, errs := called(t, hint.ExitClean, "replay", "--hardening-timeout", "100ms", "--config", cfg, "--judge", c.url+"#my-model", "../../docs/examples/run.jsonl")
		if !strings.HasPrefix(errs, "shadowd: warning: my-model had no vote on 4 of 4 questions: ") || strings.Count(errs, c.why) != 1 || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: standard error is %q, want %q once", c.url, errs, c.why)
		}
		if !strings.Contains(out, "4 undecided") {
			t.Errorf("%s:\n%s", c.url, out)
		}
	}
}
