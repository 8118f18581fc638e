//go:build unix

package main

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/swarmspeed/shadowd/internal/fulltest"
)

// action is what a test needs of action.yml.
type action struct {
	Inputs  map[string]struct{ Default string }
	Outputs map[string]struct{ Value string }
	Runs    struct{ Steps []actionStep }
}

type actionStep struct {
	Name, ID, Uses, Run string
	Env, With           map[string]string
}

func readAction(t *testing.T) (a action) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(readFile(t, filepath.Join(repository, "action.yml"))), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// runner plays the steps of the action, as a runner of GitHub does.
type runner struct {
	work, temp, server string
	env                []string
	values             map[string]string // of expressions
}

// newRunner has a work tree with a recorded run, which a pull request has brought
// with a configuration of its own, and a server with that of the base branch.
func newRunner(t *testing.T, run, base string) *runner {
	t.Helper()
	if _, err := exec.LookPath("jq"); err != nil && os.Getenv("CI") == "" {
		t.Skip("jq is not here")
	}
	r := &runner{temp: t.TempDir(), server: t.TempDir(), values: map[string]string{}}
	repo := filepath.Join(r.server, "swarm", "work")
	for _, dir := range []string{repo, filepath.Join(r.temp, "shadowd", "bin")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", repo, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	r.work = filepath.Dir(written(t, "run.jsonl", run))
	err := errors.Join(os.WriteFile(filepath.Join(r.work, "config.yml"), []byte("nonsense: true\n"), 0o600), os.WriteFile(filepath.Join(repo, "config.yml"), []byte(base), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "--message", "base")
	program, err := exec.LookPath("shadowd")
	if err == nil {
		err = os.Symlink(program, filepath.Join(r.temp, "shadowd", "bin", "shadowd"))
	}
	if err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	r.values["github.action_path"] = source
	r.values["github.token"] = "a token"
	r.values["runner.temp"] = r.temp
	r.values["github.event.pull_request.base.sha || github.event.merge_group.base_sha || 'HEAD'"] = git("rev-parse", "HEAD")
	return r
}

var expression = regexp.MustCompile(`\$\{\{ (.+?) \}\}`)

// expand puts values in the place of expressions. One without a value is an error.
func (r *runner) expand(t *testing.T, text string) string {
	t.Helper()
	return expression.ReplaceAllStringFunc(text, func(s string) string {
		name := expression.FindStringSubmatch(s)[1]
		value, ok := r.values[name]
		if !ok {
			t.Errorf("nobody says what %s is", name)
		}
		return value
	})
}

// play runs the steps up to the first that fails, and returns its name, what the
// steps print, and the outputs of the action. The program is not built anew, but
// where all tests are asked for. A folder that an action is given must be there.
func (r *runner) play(t *testing.T, with map[string]string) (failed, out string, outputs map[string]string) {
	t.Helper()
	a := readAction(t)
	for name, input := range a.Inputs {
		r.values["inputs."+name] = input.Default
	}
	for name, value := range with {
		if _, ok := a.Inputs[name]; !ok {
			t.Errorf("the action has no input %s", name)
		}
		r.values["inputs."+name] = value
	}
	for _, s := range a.Runs.Steps {
		if path := s.With["path"]; path != "" {
			if files, err := os.ReadDir(r.expand(t, path)); err != nil || len(files) != 3 {
				t.Errorf("%s has %v, %v", path, files, err)
			}
		}
		if s.Run == "" || s.Name == "build" && os.Getenv(fulltest.Variable) != "full" {
			continue
		}
		text, err := r.step(t, s)
		if out += text; err != nil {
			failed = s.Name
			break
		}
	}
	outputs = map[string]string{}
	for name, o := range a.Outputs {
		outputs[name] = r.values[strings.Trim(o.Value, "${} ")]
	}
	return failed, out, outputs
}

// step runs a step, and keeps its outputs.
func (r *runner) step(t *testing.T, s actionStep) (string, error) {
	t.Helper()
	output := filepath.Join(t.TempDir(), "output")
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
	cmd.Dir = r.work
	cmd.Env = append(cmd.Environ(), "GITHUB_WORKSPACE="+r.work, "RUNNER_TEMP="+r.temp, "GITHUB_SERVER_URL=file://"+r.server, "GITHUB_REPOSITORY=swarm/work",
		"GITHUB_STEP_SUMMARY="+filepath.Join(r.temp, "summary.md"), "GITHUB_OUTPUT="+output, "OPENAI_API_KEY=")
	cmd.Env = append(cmd.Env, r.env...)
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		cmd.Env = append(cmd.Env, name+"="+r.expand(t, s.Env[name]))
	}
	text, err := cmd.CombinedOutput()
	if written, err := os.ReadFile(output); err == nil {
		for line := range strings.Lines(string(written)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			r.values["steps."+s.ID+".outputs."+name] = value
		}
	}
	return string(text), err
}

// TestActionReplays: of work that a model finds whole the action passes, and not of work that it finds wanting, that
// nobody read, or that came with a rejected event. It fails in its last step, behind those that show the reports. The
// configuration is that of the base branch.
func TestActionReplays(t *testing.T) {
	t.Parallel()
	whole := answerBook{"token bucket limiter": "A Lua script takes", "Return HTTP 429": "gets a 429", "Write load tests": "A load test sends", "2 ms added latency": "added 1.4 ms"}
	judge := func(book answerBook) string { return judgeAt(t, book.answer) + "#gpt" }
	run := strings.Replace(readFile(t, filepath.Join(repository, "docs", "examples", "run.jsonl")), "The load tests were not written yet.", "A load test sends 500 requests per second.", 1)
	run = strings.Replace(run, "(5 %)", "(4 %)", 1) // or a fix would be waited for
	rejected := run + `{"nats_subject": "swarm.fix-submitted.my-run.nobody", "event": {"specversion": "1.0", "id": "9", "source": "/x", "type": "dev.swarmspeed.fix-submitted.v1", "data": {}}}` + "\n"
	for _, c := range []struct {
		name, run, base     string
		with                map[string]string
		failed, gate, score string
	}{
		{"found", run, "", map[string]string{"judge": judge(whole)}, "", "proceed", "0"},
		{"found by the panel of the base branch", run, "judging:\n  panel: [" + judge(whole) + "]\n", map[string]string{"config": "config.yml"}, "", "proceed", "0"},
		{"wanting", run, "", map[string]string{"judge": judge(nil)}, "gate", "reject", "100"},
		{"not read", run, "", nil, "gate", "warn", "0"},
		{"rejected", rejected, "", map[string]string{"judge": judge(whole)}, "gate", "proceed", "0"},
		{"no such configuration", run, "", map[string]string{"config": "other.yml"}, "base", "", ""},
		{"no such model", run, "", map[string]string{"judge": "nobody:x"}, "judge", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t, c.run, c.base)
			with := map[string]string{"file": "run.jsonl"}
			maps.Copy(with, c.with)
			failed, out, outputs := r.play(t, with)
			if failed != c.failed || outputs["gate"] != c.gate || outputs["score"] != c.score {
				t.Errorf("the step that fails is %q, not %q; the outputs are %v:\n%s", failed, c.failed, outputs, out)
			}
			if c.gate == "" {
				return
			}
			if summary := readFile(t, filepath.Join(r.temp, "summary.md")); !strings.Contains(summary, "my-run") {
				t.Errorf("the summary does not name the run:\n%s", summary)
			}
			for _, name := range []string{"report.html", "junit.xml", "events.jsonl"} {
				if !strings.Contains(readFile(t, filepath.Join(r.temp, "shadowd", "reports", name)), "my-run") {
					t.Errorf("%s does not name the run", name)
				}
			}
		})
	}
}

// TestActionFollows: a run that is on a bus is followed to its end there, and judged by what its shadowd said.
func TestActionFollows(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	url := startRun(t, reading(t, embedded(data))).url()
	env := []string{"SHADOWD_BUS_URL=" + url, "SHADOWD_BUS_NKEY=" + filepath.Join(data, "operator.nk")}
	r := newRunner(t, "", "")
	r.env = env
	if code, _, errs := ended(t, env, "replay", "--server", url, smallRun); code != 0 {
		t.Fatal(errs)
	}
	failed, out, outputs := r.play(t, map[string]string{"run": "run-small"})
	if failed != "" || outputs["gate"] != "proceed" || outputs["score"] != "0" {
		t.Errorf("the step that fails is %q, the outputs are %v:\n%s", failed, outputs, out)
	}
}

// TestActionExample: the workflow that is shown gives the action inputs that it
// has, lets the configuration come from the base branch, and runs for the guarded branch
// alone: a result against another one would hold when the pull request is turned to it.
func TestActionExample(t *testing.T) {
	var w struct {
		On struct {
			PullRequest struct{ Branches []string } `yaml:"pull_request"`
		}
		Jobs map[string]struct{ Steps []actionStep }
	}
	if err := yaml.Unmarshal([]byte(readFile(t, filepath.Join(repository, "docs", "examples", "github", "gate.yml"))), &w); err != nil {
		t.Fatal(err)
	}
	if branches := w.On.PullRequest.Branches; !slices.Equal(branches, []string{"main"}) {
		t.Errorf("the workflow runs for pull requests to %q", branches)
	}
	a, found := readAction(t), false
	for _, s := range w.Jobs["gate"].Steps {
		if !strings.HasPrefix(s.Uses, "swarmspeed/shadowd@") {
			continue
		}
		found = s.With["file"] != "" && s.With["config"] != ""
		for name := range s.With {
			if _, ok := a.Inputs[name]; !ok {
				t.Errorf("the action has no input %s", name)
			}
		}
	}
	if !found {
		t.Error("the workflow does not use the action on a file and a configuration")
	}
}
