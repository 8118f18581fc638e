package main

import (
	"net"
	"strings"
	"testing"
)

// TestInitTakenPort: a port that somebody listens on is not written down.
func TestInitTakenPort(t *testing.T) {
	l, err := net.Listen("tcp", local(4222))
	if err == nil {
		defer func() { _ = l.Close() }() // else somebody else has it
	}
	t.Chdir(t.TempDir())
	out, stderr, code := command(t, "init", "--page", "none")
	text := readFile(t, "config.yml")
	if code != 0 || !strings.Contains(text, `listen: "127.0.0.1:42`) || strings.Contains(text, ":4222") {
		t.Errorf("exit code %d, %s%s%s", code, out, stderr, text)
	}
}
