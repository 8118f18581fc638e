package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

func TestJudgeFlag(t *testing.T) {
	cfg, err := config.Parse("config.yml", []byte(`
models: [{name: gpt, model: "openai:gpt-5-mini", concurrency: 2}]
judging: {panel: [gpt, "ollama:qwen3:32b", {model: gpt, name: second}]}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{
		"":                             "",
		"openai:gpt-5":                 "openai:gpt-5",
		"panel":                        "gpt ollama:qwen3:32b second",
		"second anthropic:claude-x":    "second anthropic:claude-x",
		"gpt http://127.0.0.1:1/v1#m":  "gpt m",
		"openrouter:lab/model:free":    "openrouter:lab/model:free",
		"ollama:qwen3:32b ollama:phi4": "ollama:qwen3:32b ollama:phi4",
	} {
		judges, err := judgeFlag{strings.Fields(words)}.judges(cfg)
		var got []string
		for _, j := range judges {
			got = append(got, j.DisplayName())
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q, %v", words, got, err)
		}
	}
	for words, want := range map[string]string{
		"gtp": `no model called "gtp"`, "openia:gpt": "names no model", "gpt gpt": `two called "gpt"`, "panel gpt": `two called "gpt"`,
		"http://127.0.0.1:1/v1": "URL#MODEL", "http://a/v1#m http://b/v1#m": `two called "m"`, "rules": `no model called "rules"`, "https://me:hunter2@h/v1#m": "a password",
	} {
		if _, err := (judgeFlag{strings.Fields(words)}).judges(cfg); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, want %s", words, err, want)
		}
	}
	if _, err := (judgeFlag{[]string{""}}).judges(cfg); err == nil || !strings.Contains(err.Error(), "--judge: nobody is named") {
		t.Errorf("an empty word: %v", err)
	}
	if _, err := (judgeFlag{[]string{"panel"}}).judges(config.Default()); err == nil {
		t.Error("an empty panel is asked")
	}
	if n := cfg.Concurrency(); n != 2 {
		t.Errorf("%d questions at once", n)
	}
}

// judging is a model that passes a question if a line of the work has all of
// some words, and counts its requests. A key must come with them.
func judging(t *testing.T, key string, words ...string) (url string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	model := llmtest.Handler(llmtest.Judge(func(_ llmtest.Part, content string) llmtest.Answer {
		for line := range strings.Lines(content) {
			if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) }) && len(line) > 10 {
				return llmtest.Answer{Evidence: strings.TrimSpace(line), Verdict: "passed"}
			}
		}
		return llmtest.Answer{Defect: "It is not there", Verdict: "failed"}
	}))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if got := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); got != key {
			t.Errorf("asked with the key %q, want %q", got, key)
		}
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", requests
}

// openRun is a file of one run with a criterion of a file that only a judge can
// decide.
func openRun(t *testing.T, more string) (config, file string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	criteria := write("criteria.yml", "version: 1\ncriteria:\n"+strings.Join([]string{
		criterionYAML("happy_path", "Says who is told of a failed payment."), criterionYAML("edge_case", "Names the smallest sum that is paid out."),
		criterionYAML("error_handling", "Describes the answer to an unknown account."), criterionYAML("completeness", "Lists the reports that are printed at night."),
	}, ""))
	config = write("config.yml", fmt.Sprintf("shadow_scoring: {hardening: {enabled: false}, sealed_criteria_count: 4}\nseal: {authors: [{file: %q}]}\njudging: {panel: [\"http://127.0.0.1:1/v1#nobody\"]}\n%s", criteria, more))
	event := func(subject, name string, data any) string {
		raw, err := json.Marshal(map[string]any{"nats_subject": subject, "event": map[string]any{"specversion": "1.0", "id": subject, "source": "/test", "type": shadow.Type(name), "datacontenttype": "application/json", "data": data}})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw) + "\n"
	}
	file = write("run.jsonl", event("swarm.decomposition-done.r", shadow.DecompositionDone, map[string]any{"run_id": "r", "scale": "ss-50", "task": "Pay out", "domains": []any{map[string]any{"domain": "pay", "commander_id": "c", "sub_tasks": []string{"Pay the suppliers"}}}})+
		event("swarm.bundle-complete.r.c", shadow.BundleComplete, map[string]any{"run_id": "r", "bundle_id": "b", "domain": "pay", "commander_id": "c", "status": "success", "content": "# Paying out\n\nThe amber desk pays the suppliers on Fridays.\n"}))
	return config, file
}

func criterionYAML(category, assertion string) string {
	return fmt.Sprintf("  - {category: %s, assertion: %q, expectation: %q, message: \"part %s not addressed\"}\n", category, assertion, "A passage that "+strings.ToLower(assertion), category)
}

// reportIn is the gap report in what replay --format json prints.
func reportIn(t *testing.T, out string) *shadow.Report {
	t.Helper()
	for line := range strings.Lines(out) {
		var ev struct {
			Type string
			Data json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if ev.Type == shadow.Type(shadow.GapReport) {
			var rep shadow.Report
			if err := json.Unmarshal(ev.Data, &rep); err != nil {
				t.Fatal(err)
			}
			return &rep
		}
	}
	t.Fatalf("no report in %s", out)
	return nil
}

// TestReplayJudge: replay asks whom --judge names and nobody else.
func TestReplayJudge(t *testing.T) {
	config, file := openRun(t, "")
	replay := func(environ []string, args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"replay", "--format", "json", "--config", config, file}, args...), &app{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: environ})
		return code, out.String(), errs.String()
	}
	code, out, errs := replay(nil)
	if code != hint.ExitClean || !strings.Contains(errs, "left out: judge nobody") {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if rep := reportIn(t, out); len(rep.Swarm.Undecided) == 0 || len(rep.Swarm.Ballots) != 0 {
		t.Errorf("nobody was asked, and yet %+v", rep.Swarm)
	}

	amber, requests := judging(t, "", "amber")
	never, more := judging(t, "", "cobalt")
	code, out, errs = replay(nil, "--judge", amber+"#yes-1", "--judge", amber+"#yes-2", "--judge", never+"#no")
	if code != hint.ExitClean {
		t.Fatalf("exit %d: %s", code, errs)
	}
	rep := reportIn(t, out)
	if len(rep.Swarm.Undecided) != 0 || len(rep.Swarm.Ballots) == 0 || rep.Swarm.Ballots[0].Outcome != shadow.Passed || rep.Swarm.Ballots[0].Configured != 3 {
		t.Errorf("%+v", rep.Swarm)
	}
	if n := int64(len(rep.Swarm.Ballots)); requests.Load() != 2*n || more.Load() != 0 {
		t.Errorf("%d ballots took %d and %d requests", n, requests.Load(), more.Load())
	}
	names := []string{}
	for _, j := range rep.Swarm.Judges {
		names = append(names, j.Name)
	}
	if strings.Join(names, " ") != "rules yes-1 yes-2 no" {
		t.Errorf("judges %v", names)
	}

	// What is wrong is said before anything starts.
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--judge", "openai:gpt-5-mini"}, "the key of the model openai:gpt-5-mini: the environment variable OPENAI_API_KEY is not set"},
		{[]string{"--judge", "anthropic:claude-x"}, "ANTHROPIC_API_KEY is not set"},
		{[]string{"--judge", "gpt-5-mini"}, "there is no model called \"gpt-5-mini\""},
		{[]string{"--judge", "ollama:m", "--server", "nats://127.0.0.1:1"}, "--judge is for the replay's own bus"},
	} {
		if code, out, errs := replay(nil, tt.args...); code != hint.ExitUsage || !strings.Contains(errs, tt.want) || out != "" {
			t.Errorf("%v: exit %d, %s%s", tt.args, code, out, errs)
		}
	}
}

// TestReplayPanel: --judge panel asks the configured panel, several questions in
// one request where the configuration says so, with the key of its entry.
func TestReplayPanel(t *testing.T) {
	url, requests := judging(t, "sk-hunter2", "amber")
	config, file := openRun(t, "")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), `judging: {panel: ["http://127.0.0.1:1/v1#nobody"]}`, fmt.Sprintf("models: [{name: own, model: %q, key_env: MODEL_KEY}]\njudging: {panel: [own], items_per_request: 3}", url+"#m"), 1)
	if err := os.WriteFile(config, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs := called(t, hint.ExitClean, "replay", "--format", "json", "--judge", "panel", "--config", config, file)
	rep := reportIn(t, out)
	n := int64(len(rep.Swarm.Ballots))
	if n < 4 || requests.Load() != (n+2)/3 || rep.Swarm.Cost.Calls != int(requests.Load()) || len(rep.Swarm.Undecided) != 0 || strings.Contains(out+errs, "hunter2") {
		t.Errorf("%d requests for %d ballots, %+v\n%s", requests.Load(), n, rep.Swarm, errs)
	}
}

// TestDemoJudge: the demo asks whom --judge names.
func TestDemoJudge(t *testing.T) {
	_, errs := called(t, hint.ExitUsage, "demo", "--judge", "openai:gpt-5-mini")
	if !strings.Contains(errs, "OPENAI_API_KEY is not set") {
		t.Errorf("%s", errs)
	}
	url, requests := judging(t, "", "the")
	out, _ := called(t, hint.ExitClean, "demo", "--format", "json", "--judge", url+"#m")
	if asked := strings.Contains(out, `"name":"m"`); asked != (requests.Load() > 0) {
		t.Errorf("%d requests, and the reports name the judge: %v", requests.Load(), asked)
	}
}

// TestRunJudge: run asks the judges of the flag in the place of the panel.
func TestRunJudge(t *testing.T) {
	_, errs := called(t, hint.ExitUsage, "run", "--judge", "groq:llama-x")
	if !strings.Contains(errs, "GROQ_API_KEY is not set") {
		t.Errorf("%s", errs)
	}
}

// TestSealLimit: a replay to another bus waits as long as authors may take.
func TestSealLimit(t *testing.T) {
	cfg := config.Default()
	models := *cfg
	models.Seal.Authors = []config.Participant{{Model: config.BuiltIn}, {Model: "openai:a"}, {Model: "openai:b"}}
	models.Seal.Timeout = time.Minute
	for _, tt := range []struct {
		cmd  replayCmd
		cfg  *config.Config
		want time.Duration
	}{
		{replayCmd{}, cfg, 30 * time.Second},
		{replayCmd{}, &models, 30 * time.Second}, // they are left out
		{replayCmd{Server: "nats://x"}, cfg, 5*time.Minute + 30*time.Second},
		{replayCmd{Server: "nats://x"}, &models, 2*time.Minute + 30*time.Second},
		{replayCmd{Server: "nats://x", NoWait: true}, &models, 0},
	} {
		if got := tt.cmd.sealLimit(tt.cfg); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.cmd, got, tt.want)
		}
	}
}

// TestJudgeOfYourOwn: the judge of docs/judging.md reads what rules leave open, in
// at most 60 lines.
func TestJudgeOfYourOwn(t *testing.T) {
	const program = "../../docs/examples/judge/judge.py"
	if n := strings.Count(readFile(t, program), "\n"); n > 60 {
		t.Errorf("%s has %d lines", program, n)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no python3 is here, so the program was not tried")
	}
	judge := exec.CommandContext(t.Context(), python, program, "0")
	out, err := judge.StdoutPipe()
	if err == nil {
		err = judge.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = judge.Process.Kill()
		_ = judge.Wait() // it was killed
	})
	word, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	said, stderr := called(t, hint.ExitClean, "replay", "--hardening-timeout", "1s", "--judge", strings.TrimSpace(word), "../../docs/examples/run.jsonl")
	for _, want := range []string{"4 of 4 read", "constraint 1: At most 2 ms added latency (by mine, ", "No line says it in these words"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s%s", want, said, stderr)
		}
	}
	if strings.Contains(said, "sub-task 1: Implement a token bucket") {
		t.Errorf("the judge finds nothing:\n%s", said)
	}
}
