package bus

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/service"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestExampleServices runs the judges and authors of docs/examples behind the
// wall, and asks them as shadowd does. There is no author in Python.
func TestExampleServices(t *testing.T) {
	t.Parallel()
	for name, with := range map[string]struct {
		judge, author func(t *testing.T, example string) *exec.Cmd
	}{
		"Go": {goExample, goExample}, "Node": {nodeExample, nodeExample}, "Python": {pythonExample, goExample},
	} {
		t.Run(name, func(t *testing.T) {
			judge, author := with.judge(t, "judge"), with.author(t, "author")
			if judge == nil || author == nil {
				return // it has said why
			}
			w := newWalled(t)
			w.run(judge, "judge-strict")
			w.run(author, "author-legal")
			w.askExamples()
		})
	}
}

func goExample(t *testing.T, example string) *exec.Cmd {
	t.Helper()
	binary := filepath.Join(t.TempDir(), example)
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", binary, "../../docs/examples/service")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as CI built shadowd, so that little is compiled anew
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return exec.Command(binary)
}

// nodeExample copies the program beside the modules that .ci/examples has.
// Where they are not installed it returns nil and says so; in CI that is a
// failure.
func nodeExample(t *testing.T, example string) *exec.Cmd {
	t.Helper()
	modules, err := filepath.Abs("../../.ci/examples/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if _, none := os.Stat(modules); err != nil || none != nil {
		const missing = "Node or its modules are not there, so its examples are not run; to run them: npm ci, in .ci/examples"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Log(missing)
		return nil
	}
	dir := t.TempDir()
	text, err := os.ReadFile("../../docs/examples/service/" + example + ".mjs")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, example+".mjs"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return exec.Command(node, filepath.Join(dir, example+".mjs"))
}

// pythonExample is nil, too, where its packages are not installed.
func pythonExample(t *testing.T, example string) *exec.Cmd {
	t.Helper()
	python, err := filepath.Abs("../../.ci/examples/venv/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if _, none := os.Stat(python); none != nil {
		const missing = "Python's packages are not there, so its examples are not run; to run them, in .ci/examples: " +
			"python3 -m venv venv && venv/bin/pip install -r requirements.txt"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Log(missing)
		return nil
	}
	return exec.Command(python, "../../docs/examples/service/"+example+".py")
}

// run starts a program as a user, until the test ends.
func (w *walled) run(cmd *exec.Cmd, user string) {
	w.t.Helper()
	seed, err := w.keys[user].Seed()
	if err != nil {
		w.t.Fatal(err)
	}
	file := filepath.Join(w.t.TempDir(), user+".nk")
	if err := os.WriteFile(file, seed, 0o600); err != nil {
		w.t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "NATS_URL="+w.url, "NATS_USER="+user, "NATS_NKEY="+file)
	cmd.Stdout, cmd.Stderr = io.Discard, w.t.Output()
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			w.t.Errorf("%s ended early: %v", user, err)
		}
		defer time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() }).Stop()
		if err := cmd.Wait(); err != nil {
			w.t.Errorf("%s ended with %v", user, err)
		}
	})
}

func (w *walled) askExamples() {
	t := w.t
	t.Helper()
	key, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	operator := w.connect("operator")
	for _, sealed := range []bool{true, false} {
		config := service.Config{Name: "strict", Service: "strict", Sealed: sealed, Timeout: 20 * time.Second}
		if sealed {
			config.Key = key
		}
		judge := service.NewJudge(operator, config)
		config.Name, config.Service = "legal", "legal"
		author := service.NewAuthor(operator, config)
		bustest.WaitFor(t, "the services to answer", func() bool {
			j, err1 := service.Find(t.Context(), operator, layout.RoleJudge, "strict")
			a, err2 := service.Find(t.Context(), operator, layout.RoleAuthor, "legal")
			return err1 == nil && err2 == nil && j.Metadata["model"] == "example-words 1.0.0" && a.Version == "1.0.0"
		})
		q := limitQuestion()
		q.Criterion.Expected = "The document returns 429."
		q.Bundle.Content = "# Limits\n\nThe document returns 429 to whoever asks too often.\n"
		if v, err := judge.Vote(t.Context(), q); err != nil || q.Admit(v).Outcome != shadow.Passed {
			t.Errorf("sealed %v: %+v, %v", sealed, v, err)
		}
		q.Criterion.Expected = "It mentions penguins"
		if v, err := judge.Vote(t.Context(), q); err != nil || q.Admit(v).Outcome != shadow.Failed {
			t.Errorf("sealed %v: %+v, %v", sealed, v, err)
		}
		q.Criterion, q.Item = nil, &shadow.Item{ItemRef: shadow.ItemRef{Kind: shadow.SubTask}, Text: "Return 429"}
		if v, err := judge.Vote(t.Context(), q); err != nil || q.Admit(v).Outcome != shadow.Passed {
			t.Errorf("item, sealed %v: %+v, %v", sealed, v, err)
		}
		d := twoDomains("run-1")
		cs, err := author.Write(t.Context(), d, map[shadow.Category]int{shadow.HappyPath: 2, shadow.Completeness: 1, shadow.ErrorHandling: 1, shadow.Security: 1})
		if err != nil || len(cs) != 4 || author.Ref().Model.Model != "example-house-rules 1.0.0" {
			t.Errorf("sealed %v: %+v, %v", sealed, cs, err)
		}
		for i := range cs {
			if err := cs[i].Usable(d); err != nil {
				t.Errorf("%s: %v", cs[i].Assertion, err)
			}
		}
	}
}
