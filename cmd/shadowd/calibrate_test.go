package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
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
	for _, want := range []string{"12 examples: 5 labelled pass, 7 labelled fail", "kind (kind-1)", "error_handling", "12 calls, 1200 tokens (100 an example)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "harsh") {
		t.Errorf("a judge that was not asked for:\n%s", text)
	}
}

// TestCalibrateInVain: a judge without a single vote is an error with its reason.
func TestCalibrateInVain(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		out, errs := called(t, hint.ExitFailed, "judge", "--calibrate", calibrationFile, "--judge", refusing(t)+"#m", "--format", format)
		if want := "shadowd: m had no vote on any example: it is out of reach: the server answered 401 Unauthorized: no key was sent"; !strings.HasPrefix(errs, want) || !strings.Contains(out, "12") {
			t.Errorf("%s\n%s", errs, out)
		}
	}
}

// refusing is the base of an API that wants a key.
func refusing(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func TestCalibrateRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	bad := write("bad.jsonl", strings.Join([]string{
		`{"criterion": "It is so", "bundle": "text", "label": "pass"}`,
		`{"criterion": "It is so", "bundle": "text", "label": "yes"}`,
		`{"criterion": "", "bundle": "text", "label": "pass"}`,
		`{"criterion": {"assertion": "x", "category": "odd"}, "bundle": "text", "label": "pass"}`,
		``,
		`{"criterion": {"assertion": "x", "check": "text.wrods()"}, "bundle": "text", "label": "fail"}`,
		`{"criterion": "x", "bundle": {"summary": "s"}, "label": "fail"}`,
		`{"criterion": "x", "label": "fail"}`,
		`{"criterion": "x", "bundle": "t", "label": "fail", "more": 1}`,
		`not JSON`,
	}, "\n"))
	_, stderr := called(t, hint.ExitUsage, "judge", "--calibrate", bad, "--judge", "ollama:m", "--config", write("c.yml", ""))
	for _, line := range []int{2, 3, 4, 6, 7, 8, 9, 10} {
		if !strings.Contains(stderr, fmt.Sprintf("bad.jsonl:%d: ", line)) {
			t.Errorf("line %d is not named:\n%s", line, stderr)
		}
	}
	for _, good := range []int{1, 5} {
		if strings.Contains(stderr, fmt.Sprintf("bad.jsonl:%d: ", good)) {
			t.Errorf("line %d is named:\n%s", good, stderr)
		}
	}
	config := calibrationConfig(t, "https://127.0.0.1:1/v1")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"judge"}, "missing flags: --calibrate"},
		{[]string{"judge", "--calibrate", write("empty.jsonl", "\n")}, "holds no examples"},
		{[]string{"judge", "--calibrate", calibrationFile, "--judge", "kin"}, "there is no model called \"kin\""},
		{[]string{"judge", "--calibrate", calibrationFile}, "the environment variable MODEL_KEY is not set"},
	} {
		_, stderr := called(t, hint.ExitUsage, append(tt.args, "--config", config)...)
		if !strings.Contains(stderr, tt.want) {
			t.Errorf("%v: %s", tt.args, stderr)
		}
	}
}

// TestCalibrateItems: examples may be about items.
func TestCalibrateItems(t *testing.T) {
	url, requests := counted(t, "", answerBook{"runbook": "make up"})
	const bundle = `"bundle": "# Runbook\n\nRestart it with make up.", "task": "Run the service"`
	examples := filepath.Join(t.TempDir(), "examples.jsonl")
	text := `{"item": {"kind": "deliverable", "text": "A runbook"}, ` + bundle + `, "label": "pass"}
{"item": "Plan the backups", ` + bundle + `, "label": "fail"}
`
	if err := os.WriteFile(examples, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := called(t, hint.ExitClean, "judge", "--calibrate", examples, "--judge", url+"#m", "--format", "json")
	var c calibrate.Result
	if err := json.Unmarshal([]byte(out), &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Judges) != 1 || c.Judges[0].Overall.Right.N != 2 || requests.Load() != 2 || len(c.Judges[0].Categories) != 2 {
		t.Errorf("%d requests: %+v", requests.Load(), c.Judges)
	}
}

// TestCalibrateByReviews: what people found in a run is what its judge, and another
// one that is asked about the same items, are measured by.
func TestCalibrateByReviews(t *testing.T) {
	data := t.TempDir()
	url := startRun(t, reading(t, embedded(data))).url()
	config := operatorConfig(t, url, data)
	called(t, hint.ExitClean, "replay", "--config", config, "--server", url, smallRun)
	_, stderr := called(t, hint.ExitFailed, "judge", "--config", config, "--calibrate", "log")
	if !strings.Contains(stderr, "nobody has reviewed an item yet") {
		t.Error(stderr)
	}
	for _, review := range [][]string{{"service", "--item", "sub-task 1=missing", "--item", "sub-task 2=found"}, {"service", "--item", "sub-task 1=found"}, {"guide", "--item", "deliverable 1=missing"}} {
		called(t, hint.ExitClean, append([]string{"review", "--config", config, "run-small"}, review...)...)
	}
	deaf, requests := counted(t, "", answerBook{})
	for args, want := range map[string]string{"": "reader 2/3", " --judge " + deaf + "#m": "m 1/3"} {
		out, _ := called(t, hint.ExitClean, strings.Fields("judge --format json --calibrate log --config "+config+args)...)
		var c calibrate.Result
		if err := json.Unmarshal([]byte(out), &c); err != nil {
			t.Fatal(err)
		}
		if o := c.Judges[0].Overall; len(c.Judges) != 1 || fmt.Sprintf("%s %d/%d", c.Judges[0].Name, o.Right.N, o.Right.Of) != want || o.Right.High <= o.Right.Low || c.Reviews != (args == "") {
			t.Errorf("%q: %s", args, out)
		}
	}
	if requests.Load() != 3 {
		t.Errorf("%d requests", requests.Load())
	}
}
