//go:build unix

package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// workflow is what a test needs of docs/examples/github/gate.yml.
type workflow struct {
	Jobs map[string]struct{ Steps []workflowStep }
}

type workflowStep struct {
	Name, Uses, Run string
	Env, With       map[string]string
}

// gateWorkflow is the workflow, with model in the place of its model.
func gateWorkflow(t *testing.T, model string) []workflowStep {
	t.Helper()
	text := readFile(t, filepath.Join(repository, "docs", "examples", "github", "gate.yml"))
	if !strings.Contains(text, "--judge openai:gpt-5-mini") {
		t.Fatal("the workflow names another model, or none")
	}
	var w workflow
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(text, "openai:gpt-5-mini", model)), &w); err != nil {
		t.Fatal(err)
	}
	return w.Jobs["gate"].Steps
}

// TestGateWorkflow runs the steps of the workflow in a folder with a recorded
// run, each as GitHub does, up to the first that fails: work that a model finds
// whole passes, work that it finds wanting and work that nobody read do not. They
// fail in the last step, behind those that show the reports.
func TestGateWorkflow(t *testing.T) {
	t.Parallel()
	whole := answerBook{"token bucket limiter": "A Lua script takes", "Return HTTP 429": "gets a 429", "Write load tests": "A load test sends", "2 ms added latency": "added 1.4 ms"}
	judge := func(book answerBook) string { return judgeAt(t, book.answer) + "#gpt" }
	run := strings.Replace(readFile(t, filepath.Join(repository, "docs", "examples", "run.jsonl")), "The load tests were not written yet.", "A load test sends 500 requests per second.", 1)
	for _, c := range []struct {
		name, model, key string
		passes           bool
	}{
		{"found", judge(whole), "sk-1", true},
		{"wanting", judge(nil), "sk-1", false},
		{"not read", judge(whole), "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "work"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "work", "run.jsonl"), []byte(run), 0o600); err != nil {
				t.Fatal(err)
			}
			failed, out := playSteps(t, dir, gateWorkflow(t, c.model), c.key)
			if want := map[bool]string{true: "", false: "gate"}[c.passes]; failed != want {
				t.Errorf("the step that fails is %q, not %q:\n%s", failed, want, out)
			}
			if summary := readFile(t, filepath.Join(dir, "summary.md")); !strings.Contains(summary, "my-run") {
				t.Errorf("the summary does not name the run:\n%s", summary)
			}
		})
	}
}

// playSteps runs steps in a folder, and returns the name of the first that fails
// and what they print. The step that installs shadowd is left out, and a file that
// an action is given must be there.
func playSteps(t *testing.T, dir string, steps []workflowStep, key string) (failed, out string) {
	t.Helper()
	played := 0
	for _, s := range steps {
		if path := s.With["path"]; path != "" && !strings.HasPrefix(s.Uses, "actions/checkout@") {
			readFile(t, filepath.Join(dir, path))
		}
		if s.Run == "" || strings.HasPrefix(s.Run, "go install github.com/swarmspeed/shadowd/cmd/shadowd@") {
			continue
		}
		played++
		cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", s.Run)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary.md"), "OPENAI_API_KEY=")
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			cmd.Env = append(cmd.Env, name+"="+strings.ReplaceAll(s.Env[name], "${{ secrets.OPENAI_API_KEY }}", key))
		}
		text, err := cmd.CombinedOutput()
		out += string(text)
		if err != nil {
			return s.Name, out
		}
	}
	if played < 3 {
		t.Errorf("only %d steps were run", played)
	}
	return "", out
}
