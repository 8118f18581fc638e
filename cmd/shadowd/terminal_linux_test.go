package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// pseudoTerminal is a terminal of 80 columns. shown ends it and tells what was
// written to it.
func pseudoTerminal(t *testing.T) (tty *os.File, shown func() string) {
	t.Helper()
	fatal := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	fatal(err)
	t.Cleanup(func() { screen.Close() })
	fatal(unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	fatal(err)
	fatal(unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	tty, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	fatal(err)
	t.Cleanup(func() { tty.Close() })
	var text bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(&text, screen) // it ends in an error when nobody has the terminal open
	}()
	return tty, func() string {
		tty.Close()
		<-done
		return text.String()
	}
}

// TestProgress: on a terminal, what may take long says on standard error how far
// it is, and takes the line away. Nothing of it is in the output, and without a
// terminal nothing is said.
func TestProgress(t *testing.T) {
	_, env := judgedBus(t)
	url, _ := scriptedModels(t)
	env = append(env, "MODEL_KEY=x")
	file := func(name, text string) string {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	judges := " --config " + calibrationConfig(t, url)
	for args, want := range map[string][]string{
		"audit --all --format json": {"messages read of OUT: 0", "messages read of IN: 0", "runs audited: 0 of 1"},
		"runs --format json":        {"messages read of IN: 0"},
		"report r --format json":    {"messages read of OUT: 0"},
		"judge --format json --calibrate " + calibrationFile + judges:               {"knows: questions answered: 0 of 12", "kind: questions answered: 0 of 12"},
		"report r --format json --rejudge --all" + judges:                           {"a: questions answered: 0 of 3"},
		"seal --format json --dry-run " + smallRun:                                  {"run run-small: authors asked: 0 of 1"},
		"check --cases " + file("cases", `{"id": 1, "check": "true", "text": "x"}`): {"cases answered: 0"},
	} {
		tty, shown := pseudoTerminal(t)
		var plain, silent, stdout bytes.Buffer
		for _, a := range []*app{{Stdout: &plain, Stderr: &silent}, {Stdout: &stdout, Stderr: tty}} {
			a.Stdin, a.Environ = strings.NewReader(""), env
			run(t.Context(), strings.Fields(args), a)
		}
		said, piped := shown(), plain.String()+silent.String()+stdout.String()
		for _, w := range want {
			if !strings.Contains(said, "\r"+w) {
				t.Errorf("%s: the terminal does not show %q:\n%q", args, w, said)
			}
			if strings.Contains(piped, w) {
				t.Errorf("%s: progress is shown without a terminal:\n%s", args, piped)
			}
		}
		// Behind it there is a line of spaces, and the cursor at its beginning.
		_, left, _ := strings.Cut(said, "\r"+want[len(want)-1])
		if !regexp.MustCompile(`\r +\r[^\r]*(\r\n|$)`).MatchString(left) {
			t.Errorf("%s: the line stays: %q", args, said)
		}
	}
}
