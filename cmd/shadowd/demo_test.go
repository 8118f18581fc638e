package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cloudevents/sdk-go/v2/event"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestLongError: an error quotes no file.
func TestLongError(t *testing.T) {
	var b bytes.Buffer
	(&app{Stderr: &b}).report(errors.New(strings.Repeat("x", 1<<20) + "\nsecond line"))
	if b.Len() > 5000 || !strings.HasSuffix(b.String(), "…\nshadowd: second line\n") {
		t.Errorf("%d bytes: %.100s", b.Len(), b.String())
	}
}

// shadowd runs the real main, which must succeed in silence, and returns its standard output.
func shadowd(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "shadowd", args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(cmd.Environ(), "TMPDIR="+t.TempDir())
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("shadowd %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String()
}

// outputEvents reads what --format json prints: a valid output event a line.
func outputEvents(t *testing.T, stdout string) []event.Event {
	t.Helper()
	var events []event.Event
	for line := range strings.Lines(stdout) {
		var ev event.Event
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatalf("not a CloudEvent: %v\n%s", err, line)
		}
		if err := ev.Validate(); err != nil {
			t.Errorf("%v\n%s", err, line)
		}
		if err := shadow.Validate(nameOf(ev), ev.Data()); err != nil {
			t.Errorf("%s breaks its schema: %v\n%s", ev.Type(), err, line)
		}
		events = append(events, ev)
	}
	return events
}

// nameOf is the name of an event of a type of ours.
func nameOf(ev event.Event) string {
	return strings.TrimSuffix(strings.TrimPrefix(ev.Type(), "dev.swarmspeed."), ".v1")
}

// tally counts events by name, and gap reports by cycle.
type tally struct {
	names map[string]int
	last  []shadow.Report // final ones
}

func count(t *testing.T, events []event.Event) tally {
	t.Helper()
	c := tally{names: map[string]int{}}
	for _, ev := range events {
		name := nameOf(ev)
		c.names[name]++
		if name != shadow.GapReport {
			continue
		}
		var rep shadow.Report
		if err := json.Unmarshal(ev.Data(), &rep); err != nil {
			t.Fatal(err)
		}
		if rep.Swarm.Final {
			c.last = append(c.last, rep)
		}
	}
	return c
}

// TestDemoText: the demo needs nothing, says what is missing and what is miscalculated, is read on a screen or two,
// ends with what to type next, and leaves nothing behind. The README shows its table.
func TestDemoText(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "shadowd", "demo")
	cmd.Env = append(cmd.Environ(), "TMPDIR="+tmp)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) > 70 {
		t.Errorf("%d lines", len(lines))
	}
	for _, want := range []string{
		`A swarm run, judged by sealed criteria`,
		`  sealed .*: up to 8 criteria for each of 5 domains, committed to as sha256:.*`,
		`  architecture, cycle 0: 8 of 8 criteria passed; 13 items: 13 found`,
		`  implementation, cycle 0: \d of 8 criteria passed, \d failed; 12 items: 8 found, 4 missing`,
		`    ✗ missing +sub-task 4: Encrypt the fields .*asked by sc-0\d\): .*`,
		`      found     line 15: the column "Tests" adds up to 72, the total says 74; .*`,
		`What commander cmd-impl received for implementation \(and nothing else\)`,
		`  │ SHADOW HARDENING — Fix these issues:`,
	} {
		if !regexp.MustCompile("(?m)^" + want + "$").Match(out) {
			t.Errorf("it does not say %s", want)
		}
	}
	if bytes.Contains(out, []byte("\x1b")) {
		t.Error("it is in colour where no terminal is")
	}
	for _, line := range lines[len(lines)-3:] {
		if !strings.HasPrefix(line, "  shadowd ") {
			t.Errorf("no command to type next: %q", line)
		}
	}
	_, shown, ok := strings.Cut(readFile(t, filepath.Join(repository, "README.md")), "<!-- demo output -->\n```\n")
	shown, _, _ = strings.Cut(shown, "```\n")
	if !ok || !strings.Contains(string(out), "\n"+shown+"\n") {
		t.Errorf("the README shows another table:\n%s\n%s", shown, out)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}

// A demo that is interrupted leaves nothing behind.
func TestDemoInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "shadowd", "demo")
	cmd.Env = append(cmd.Environ(), "TMPDIR="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for in := bufio.NewScanner(out); in.Scan(); {
		if strings.Contains(in.Text(), "sealed ") { // its bus is there, and a run on it
			break
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) == 0 {
		t.Errorf("while it runs it has no files, so this shows nothing: %v", err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != hint.ExitFailed {
		t.Errorf("it ends with %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}
