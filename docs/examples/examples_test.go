// Package examples_test runs the programs of this folder as their readers do:
// with the daemon, behind the wall, in every language.
package examples_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/fulltest"
)

// patience is how long a step may take on a machine that is busy with others.
const patience = 3 * time.Minute

// TestPrograms: in each language a commander hands in its work and is asked for a fix.
// Those of Java and Rust ask what a stream is before they read. In Node and Python a
// consensus service reads what came of it, and that a person took another decision.
func TestPrograms(t *testing.T) {
	fulltest.Only(t)
	d := start(t, "cmd-impl")
	for name, c := range map[string]struct {
		language language
		says     string
	}{
		"Go": {golang, "SHADOW HARDENING"}, "Node": {node, "SHADOW HARDENING"}, "Python": {python, "SHADOW HARDENING"},
		"Java": {java, "runbook for an outage of Redis: declared as not done"}, "Rust": {rust, "runbook for an outage of Redis: declared as not done"},
	} {
		t.Run(name, func(t *testing.T) {
			commander := c.language(t, "commander/commander")
			if commander == nil {
				return // it has said why
			}
			out := d.run(t, commander)
			if !strings.Contains(out, c.says) {
				t.Errorf("the commander was not asked for a fix:\n%s", out)
			}
			if name != "Node" && name != "Python" {
				return
			}
			run := regexp.MustCompile(`heard swarm\.run-scored\.(example-\d+)`).FindStringSubmatch(out)
			if run == nil {
				t.Fatalf("the commander did not hear the score:\n%s", out)
			}
			consensus := c.language(t, "consensus/consensus")
			if name == "Python" {
				consensus.Args = slices.Insert(consensus.Args, 1, "-c", idleAtFirst)
			}
			review := exec.CommandContext(t.Context(), d.program, "review", run[1], "implementation", "--reject", "--because", "It is no runbook.")
			if review.Dir = filepath.Dir(d.program); review.Run() != nil {
				t.Fatal("the run could not be reviewed")
			}
			d.runUntil(t, consensus, run[1]+"/implementation: warn", run[1]+"/implementation: reject, reviewed by operator")
		})
	}
}

// TestSigned: a consensus service that has the public key acts on final reports that
// are signed with it, and on no others.
func TestSigned(t *testing.T) {
	fulltest.Only(t)
	d := start(t, "cmd-impl")
	another := start(t, "cmd-impl").public
	for _, c := range []struct{ name, key, want string }{
		{"another key", another, ".implementation.1: not acted on: shadowd: attestation 1: signed by another key"},
		{"its key", d.public, "/implementation: warn ("},
	} {
		t.Run(c.name, func(t *testing.T) {
			consensus := node(t, "consensus/consensus")
			if consensus == nil {
				return // it has said why
			}
			t.Setenv("SHADOWD_PUB", c.key)
			t.Setenv("SHADOWD", d.program)
			d.run(t, golang(t, "commander/commander"))
			d.runUntil(t, consensus, c.want)
		})
	}
}

// idleAtFirst runs a program in Python for which there is nothing to fetch at
// first. The client says so in two ways, by what the server sends first.
const idleAtFirst = `import asyncio, runpy, sys, nats
sub, errors = nats.js.JetStreamContext.PullSubscription, [asyncio.TimeoutError, nats.errors.TimeoutError]
fetch = sub.fetch
async def idle(self, *args, **kw):
    if errors:
        raise errors.pop()()
    return await fetch(self, *args, **kw)
sub.fetch = idle
runpy.run_path(sys.argv[1], run_name="__main__")`

// TestSwarm: a supervisor on LangGraph splits a task, three workers fill it, one
// of them leaves things out and is told so, and each domain passes its gate.
func TestSwarm(t *testing.T) {
	fulltest.Only(t)
	cmd := python(t, "swarm/swarm")
	if cmd == nil {
		return
	}
	out := start(t, "writer", "coder", "tester").run(t, cmd)
	for _, want := range []string{"api is told:", "line 13: left to fill in: TODO", "policy: ", "api: ", "tests: "} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing says %q in\n%s", want, out)
		}
	}
}

// TestRejected: a commander whose event is rejected says why, and ends.
func TestRejected(t *testing.T) {
	fulltest.Only(t)
	d := start(t, "cmd-impl")
	for name, language := range map[string]language{"Node": node, "Python": python} {
		t.Run(name, func(t *testing.T) {
			cmd := language(t, "commander/commander")
			if cmd == nil {
				return // it has said why
			}
			text, err := os.ReadFile(cmd.Args[1])
			if err != nil {
				t.Fatal(err)
			}
			if name == "Python" {
				cmd.Args[1] = filepath.Join(t.TempDir(), "commander.py")
			}
			if err := os.WriteFile(cmd.Args[1], bytes.ReplaceAll(text, []byte("sub_tasks"), []byte("subTasks")), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd.Env = d.env()
			defer time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }).Stop()
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.HasSuffix(string(out), "invalid_data: /domains/0/subTasks: is unknown (did you mean sub_tasks?)\n") {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}

// daemon is a shadowd with users, and what its clients need to know.
type daemon struct{ url, nkeys, public, program string }

// start makes keys and a configuration, and starts a daemon.
func start(t *testing.T, commanders ...string) daemon {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "shadowd")
	build(t, binary, "../../cmd/shadowd")
	run := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), binary, args...)
		cmd.Dir = dir
		return cmd.Output()
	}
	if _, err := run("bus", "config", "--commanders", strings.Join(commanders, ",")); err != nil {
		t.Fatal(err)
	}
	clients, health := freeAddress(t), freeAddress(t)
	config := fmt.Sprintf("http: {listen: %q}\nbus:\n  listen: %q\n  max_bytes: 100MiB\n  users:\n    - {name: nexus, role: nexus, nkey_file: nkeys/nexus.nk}\n"+
		"    - {name: consensus-main, role: consensus, nkey_file: nkeys/consensus-main.nk}\n", health, clients)
	for _, c := range commanders {
		config += fmt.Sprintf("    - {name: commander-%s, role: commander, commander: %[1]s, nkey_file: nkeys/commander-%[1]s.nk}\n", c)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	d := daemon{url: "nats://" + clients, nkeys: filepath.Join(dir, "nkeys"), public: filepath.Join(dir, "shadowd.pub"), program: binary}
	shadowd := exec.Command(binary, "run")
	shadowd.Dir, shadowd.Stderr = dir, t.Output()
	begin(t, shadowd)
	_, err := run("status", "--quiet")
	for late := time.Now().Add(patience); err != nil; <-time.After(50 * time.Millisecond) {
		if _, err = run("status", "--quiet"); err != nil && time.Now().After(late) {
			t.Fatal("the daemon is not ready")
		}
	}
	key, err := run("keys", "public")
	if err = errors.Join(err, os.WriteFile(d.public, key, 0o600)); err != nil {
		t.Fatal(err)
	}
	return d
}

// build builds a program as CI built shadowd, so that little is compiled anew.
func build(t *testing.T, binary, source string) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", binary, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// begin starts a program, and ends it with the test.
func begin(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Errorf("%s ended early: %v", cmd.Path, err)
		}
		defer time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }).Stop()
		_ = cmd.Wait() // how a program ends that is interrupted is its own affair
	})
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func (d daemon) env() []string {
	return append(os.Environ(), "NATS_URL="+d.url, "NATS_NKEYS="+d.nkeys)
}

// run runs a program to its end, and returns what it wrote.
func (d daemon) run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	cmd.Env = d.env()
	defer time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }).Stop()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return string(out)
}

// runUntil runs a program until it writes all that is wanted.
func (d daemon) runUntil(t *testing.T, cmd *exec.Cmd, want ...string) {
	t.Helper()
	cmd.Env, cmd.Stderr = d.env(), t.Output()
	found := &waiter{want: want, there: make(chan struct{})}
	cmd.Stdout = found
	begin(t, cmd)
	select {
	case <-found.there:
	case <-time.After(patience):
		t.Errorf("it did not write %q", want)
	}
}

// waiter closes there when all that is wanted was written.
type waiter struct {
	want  []string
	have  []byte
	there chan struct{}
	found bool
}

func (w *waiter) Write(p []byte) (int, error) {
	w.have = append(w.have, p...)
	lacks := func(want string) bool { return !bytes.Contains(w.have, []byte(want)) }
	if !w.found && !slices.ContainsFunc(w.want, lacks) {
		w.found = true
		close(w.there)
	}
	return len(p), nil
}

// language makes the command of an example, which is a file without its ending, or in Go its folder. It is nil where
// the language is not there. In CI that is a failure.
type language func(t *testing.T, example string) *exec.Cmd

func golang(t *testing.T, example string) *exec.Cmd {
	t.Helper()
	binary, source := filepath.Join(t.TempDir(), "example"), "./"+path.Dir(example)
	if filepath.IsAbs(example) {
		source = example + ".go"
	}
	build(t, binary, source)
	return exec.Command(binary)
}

func node(t *testing.T, example string) *exec.Cmd {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil || !exists("../../.ci/examples/node_modules") {
		missing(t, "Node or its modules are not there; to install them: npm ci, in .ci/examples")
		return nil
	}
	// A program finds its modules beside itself.
	dir := t.TempDir()
	text, err := os.ReadFile(example + ".mjs")
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "main.mjs"), text, 0o600), os.Symlink(absolute(t, "../../.ci/examples/node_modules"), filepath.Join(dir, "node_modules")))
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(program, filepath.Join(dir, "main.mjs"))
}

func python(t *testing.T, example string) *exec.Cmd {
	t.Helper()
	program := absolute(t, "../../.ci/examples/venv/bin/python")
	if !exists(program) {
		missing(t, "Python or its packages are not there; to install them, in .ci/examples: python3 -m venv venv && venv/bin/pip install -r requirements.txt")
		return nil
	}
	return exec.Command(program, example+".py")
}

// java runs a source file; machines of CI may lack Java, and Rust.
func java(t *testing.T, example string) *exec.Cmd {
	t.Helper()
	jars := absolute(t, "../../.ci/examples/jars")
	if !exists(jars) {
		t.Log("the jars are not there; to install them, in .ci/examples: mvn -q dependency:copy-dependencies")
		return nil
	}
	return exec.Command("java", "-cp", filepath.Join(jars, "*"), path.Join(path.Dir(example), "Commander.java"))
}

func rust(t *testing.T, _ string) *exec.Cmd {
	t.Helper()
	binary := absolute(t, "../../.ci/examples/target/debug/commander")
	if !exists(binary) {
		t.Log("the program is not built; to build it, in .ci/examples: cargo build --locked")
		return nil
	}
	return exec.Command(binary)
}

func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Log(what)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
