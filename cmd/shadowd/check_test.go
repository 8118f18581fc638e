package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
)

// A byte order mark is not part of a text, and what is not UTF-8 is refused with its place, as the bus would.
func TestTextBytes(t *testing.T) {
	for _, c := range []struct {
		text, stderr string
		code         int
	}{
		{"\ufeffa", "", hint.ExitClean},
		{"a", "", hint.ExitClean},
		{"a\r\n", "", hint.ExitFailed},
		{"ok\nab\xff\n", "shadowd: standard input: not valid UTF-8: convert it to UTF-8\n", hint.ExitUsage},
		{strings.Repeat("x", 2<<20), "shadowd: no verdict: limit exceeded: the text is 2097152 bytes long, at most 1048576 are accepted\n", hint.ExitUsage},
		{strings.Repeat("x", input.MaxText+1), "shadowd: standard input is larger than 16 MiB\n", hint.ExitUsage},
	} {
		var stderr bytes.Buffer
		a := &app{Stdin: strings.NewReader(c.text), Stdout: io.Discard, Stderr: &stderr}
		code := run(context.Background(), []string{"check", "text == 'a'", "--text", "-"}, a)
		if code != c.code || !strings.HasPrefix(stderr.String(), c.stderr) || c.stderr == "" && stderr.Len() > 0 {
			t.Errorf("%.20q: exit code %d, %q", c.text, code, stderr.String())
		}
	}
}

// TestInterruptedRead: a signal ends a command that reads what nobody writes.
func TestInterruptedRead(t *testing.T) {
	nothing, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	defer nothing.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var stderr bytes.Buffer
	code := make(chan int)
	go func() {
		code <- run(ctx, []string{"check", "true", "--text", "-"}, &app{Stdin: stdin{nothing, ctx}, Stdout: io.Discard, Stderr: &stderr})
	}()
	cancel()
	if c := <-code; c == hint.ExitClean || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("exit code %d, %q", c, stderr.String())
	}
}
