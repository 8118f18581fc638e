package main

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// pseudoTerminal is a terminal of 80 columns. shown ends it and tells what was written to it.
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

// onTerminal runs a command whose output and whose standard error are terminals.
func onTerminal(t *testing.T, env []string, args string) (stdout, stderr string) {
	t.Helper()
	out, said := pseudoTerminal(t)
	errs, complained := pseudoTerminal(t)
	run(t.Context(), strings.Fields(args), &app{Stdin: strings.NewReader(""), Stdout: out, Stderr: errs, Environ: env})
	return said(), complained()
}

// TestColour: what is printed for people is in colour on a terminal, but not with
// NO_COLOR, not on a dumb one, and not where no terminal is.
func TestColour(t *testing.T) {
	_, env := busOf(t)
	t.Chdir(t.TempDir())
	for _, args := range []string{"init", "check criteria.yml", "runs", "report run-small", "explain run-small guide", "review run-small guide", "open run-small", "audit run-small"} {
		if said, errs := onTerminal(t, env, args); !strings.Contains(said, "\x1b[") {
			t.Errorf("%s: no colour: %q %q", args, said, errs)
		}
		for _, plain := range []string{"NO_COLOR=1", "TERM=dumb"} {
			if said, errs := onTerminal(t, append(env, plain), args); strings.Contains(said+errs, "\x1b[3") {
				t.Errorf("%s with %s: it prints %q", args, plain, said)
			}
		}
		if _, said, errs := ended(t, env, strings.Fields(args)...); strings.Contains(said+errs, "\x1b") {
			t.Errorf("%s without a terminal: it prints %q", args, said)
		}
	}
	if _, errs := onTerminal(t, env, "runs --surplus"); !strings.Contains(errs, "\x1b[31mshadowd:\x1b[0m") {
		t.Errorf("an error is not red: %q", errs)
	}
}
