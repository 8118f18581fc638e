package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmspeed/shadowd/internal/calibrate"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
)

const calibrationFile = "../../docs/examples/calibrate.jsonl"

// scriptedModels is an endpoint with three models: knows says what the labels
// say, kind passes all and harsh fails all. requests counts.
func scriptedModels(t *testing.T) (url string, requests *atomic.Int64) {
	t.Helper()
	examples, err := calibrate.Read(calibrationFile, []byte(readFile(t, calibrationFile)))
	if err != nil {
		t.Fatal(err)
	}
	requests = new(atomic.Int64)
	server := httptest.NewServer(llmtest.Handler(func(r *llmtest.Request) string {
		requests.Add(1)
		content := llmtest.Find(r.User(), "content")
		line := ""
		for _, l := range strings.Split(content, "\n") {
			if len(l) > len(line) {
				line = l
			}
		}
		pass := r.Model == "kind-1"
		if r.Model == "knows-1" {
			for _, e := range examples {
				if firstWords(e.Bundle.Content) == firstWords(content) {
					pass = e.Passes
				}
			}
		}
		if pass {
			return llmtest.Verdict(line, "", "passed")
		}
		return llmtest.Verdict("", "it is not there", "failed")
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", requests
}

// firstWords tells the texts of the examples apart by their ends, where they
// differ, and by nothing that a prompt's wrapping changes.
func firstWords(s string) string {
	words := strings.Fields(s)
	return strings.Join(words[max(0, len(words)-6):], " ")
}

func calibrationConfig(t *testing.T, url string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yml")
	text := "models:\n"
	for _, m := range []string{"knows", "kind", "harsh"} {
		text += fmt.Sprintf("  - {name: %s, model: %q, family: %s, key_env: MODEL_KEY}\n", m, url+"#"+m+"-1", m)
	}
	text += "judging:\n  panel: [{model: knows}, {model: kind}, {model: harsh}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// called runs a command in this process, which has a key of a model unless the
// command is to fail.
func called(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	environ := []string{"MODEL_KEY=sk-hunter2"}
	if code != hint.ExitClean {
		environ = nil
	}
	if got := run(t.Context(), args, &app{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: environ}); got != code {
		t.Fatalf("shadowd %s: exit %d, want %d\n%s", strings.Join(args, " "), got, code, errs.String())
	}
	return out.String(), errs.String()
}

// TestCalibrate runs the example of docs/judging.md against scripted models.
func TestCalibrate(t *testing.T) {
	url, requests := scriptedModels(t)
	config := calibrationConfig(t, url)
	first, _ := called(t, hint.ExitClean, "judge", "--config", config, "--calibrate", calibrationFile, "--format", "json")
	second, stderr := called(t, hint.ExitClean, "judge", "--config", config, "--calibrate", calibrationFile, "--format", "json")
	if requests.Load() != 2*3*12 {
		t.Errorf("%d requests, want one for each of 12 examples, 3 judges and 2 runs", requests.Load())
	}
	var c, again calibrate.Result
	for text, into := range map[string]*calibrate.Result{first: &c, second: &again} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(first+stderr, "hunter2") {
		t.Error("the key is shown")
	}
	counts := func(c *calibrate.Result) string {
		out := ""
		for _, j := range append(c.Judges, *c.Panel) {
			o := j.Overall
			out += fmt.Sprintf("%s: right %d/%d, false pass %d/%d, false fail %d/%d, no vote %d/%d\n", j.Name,
				o.Right.N, o.Right.Of, o.FalsePass.N, o.FalsePass.Of, o.FalseFail.N, o.FalseFail.Of, o.NoVote.N, o.NoVote.Of)
		}
		return out
	}
	const want = `knows: right 12/12, false pass 0/7, false fail 0/5, no vote 0/12
kind: right 5/12, false pass 7/7, false fail 0/5, no vote 0/12
harsh: right 7/12, false pass 0/7, false fail 5/5, no vote 0/12
panel: right 12/12, false pass 0/7, false fail 0/5, no vote 0/12
`
	if got := counts(&c); got != want || counts(&again) != want {
		t.Errorf("got\n%sand\n%swant\n%s", got, counts(&again), want)
	}
	if j := c.Judges[0]; j.Calls != 12 || j.Tokens != 1200 || j.Family != "knows" || len(j.Categories) != 4 {
		t.Errorf("%+v", j)
	}

	text, _ := called(t, hint.ExitClean, "judge", "--config", config, "--calibrate", calibrationFile, "--judge", "kind")
	for _, want := range []string{"12 examples: 5 labelled pass, 7 labelled fail", "kind (kind-1)", "error_handling", "12 calls, 1200 tokens, "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "harsh") {
		t.Errorf("a judge that was not asked for:\n%s", text)
	}
}
