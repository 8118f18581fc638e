package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/swarmspeed/shadowd/internal/fulltest"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/text/strict"
)

// The scripts in testdata/script run the real main: the test binary is started as shadowd. Each finds small.jsonl, a
// run to replay, and unfixed.jsonl, the same run without its fix.
func TestMain(m *testing.M) {
	// With the race detector, every end of a program would take a second.
	if err := os.Setenv("GORACE", quickExit()); err != nil {
		panic(err)
	}
	if filepath.Base(os.Args[0]) != "shadowd" { // the tests, not a program that they start
		for _, v := range os.Environ() { // a developer's own bus is none of theirs
			if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "SHADOWD_") && name != fulltest.Variable {
				_ = os.Unsetenv(name)
			}
		}
		// They mostly wait. -parallel on the command line counts in its place.
		testing.Init()
		if err := flag.Set("test.parallel", "4"); err != nil {
			panic(err)
		}
	}
	testscript.Main(m, map[string]func(){"shadowd": main})
}

// quickExit is GORACE, as it is set or for programs that end at once.
func quickExit() string { return cmp.Or(os.Getenv("GORACE"), "atexit_sleep_ms=0") }

func TestScripts(t *testing.T) {
	small, err := os.ReadFile(smallRun)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	answers, err := os.ReadFile(filepath.Join("testdata", "replay", "answers.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	unfixed := bytes.Join(bytes.SplitAfter(small, []byte("\n"))[:3], nil)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", quickExit())
			e.Setenv("REPOSITORY", root)
			return errors.Join(os.WriteFile(filepath.Join(e.WorkDir, "small.jsonl"), small, 0o600), os.WriteFile(filepath.Join(e.WorkDir, "answers.jsonl"), answers, 0o600), os.WriteFile(filepath.Join(e.WorkDir, "unfixed.jsonl"), unfixed, 0o600))
		},
	})
}

// exits is the script command "exits CODE PROGRAM ARG...": the program must
// end with that very exit code, which "! exec" does not tell.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

func TestReport(t *testing.T) {
	plain := errors.New("connecting: refused")
	for _, c := range []struct {
		err  error
		code int
		text string
	}{
		{nil, 0, ""},
		{plain, 1, "shadowd: connecting: refused\n"},
		{hint.Failed(plain, "start a server"), 1, "shadowd: connecting: refused\nshadowd: hint: start a server\n"},
		{fmt.Errorf("starting: %w", hint.Usage(plain, "see the help")), 2, "shadowd: starting: connecting: refused\nshadowd: hint: see the help\n"},
		{hint.Usage(strict.FileError{"a:1: x", "a:2: y"}, ""), 2, "shadowd: a:1: x\nshadowd: a:2: y\n"},
		{errors.Join(plain, errors.New("second")), 1, "shadowd: connecting: refused\nshadowd: second\n"},
	} {
		var b bytes.Buffer
		if code := (&app{Stderr: &b}).report(c.err); code != c.code || b.String() != c.text {
			t.Errorf("report(%v) = %d and prints %q, want %d and %q", c.err, code, b.String(), c.code, c.text)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// A command whose output is lost has failed, whatever it prints.
func TestLostOutput(t *testing.T) {
	_, env := busOf(t)
	small, err := filepath.Abs(smallRun)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	const results = `{"tests": [{"name": "a", "status": "passed", "category": "happy_path"}]}`
	for _, args := range []string{
		"config", "keys public envelope", "bus config --commanders c", "check true --text -", "score --sealed -", "score --sealed - --format text", "score --sealed - --format html",
		"seal --dry-run " + small, "runs", "runs --format json", "report run-small", "report run-small --format markdown", "report run-small --format json",
		"explain run-small guide", "review run-small guide", "open run-small", "open run-small --format json", "audit run-small", "audit run-small --format json", "demo --format json", "replay " + small,
	} {
		var stderr bytes.Buffer
		a := &app{Stdin: strings.NewReader(results), Stdout: brokenPipe{}, Stderr: &stderr, Environ: env}
		if code := run(t.Context(), strings.Fields(args), a); code != hint.ExitFailed || !strings.Contains(stderr.String(), "broken pipe\n") {
			t.Errorf("%s: exit code %d, stderr %q", args, code, stderr.String())
		}
	}
}
