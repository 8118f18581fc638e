package main

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInitAsks: an empty answer takes the default, and what a flag says is not
// asked for.
func TestInitAsks(t *testing.T) {
	for _, c := range []struct {
		answers   string
		cmd, want initCmd
		questions int
	}{
		{"\n\n\n\n", initCmd{}, initCmd{Port: 4223, Judge: []string{}}, 4},
		{"\n4300\n\n\n", initCmd{}, initCmd{Port: 4300, Judge: []string{}}, 4},
		{"nats://bus\nopenai:a  ollama:b:32b\nnone\n", initCmd{}, initCmd{URL: "nats://bus", Judge: []string{"openai:a", "ollama:b:32b"}, Page: "none"}, 3},
		{"\n:9000\n", initCmd{Port: 4300, Judge: []string{"openai:a"}}, initCmd{Port: 4300, Judge: []string{"openai:a"}, Page: ":9000"}, 2},
		{"", initCmd{URL: "nats://bus", Judge: []string{"openai:a"}, Page: "none"}, initCmd{URL: "nats://bus", Judge: []string{"openai:a"}, Page: "none"}, 0},
	} {
		var out bytes.Buffer
		if err := c.cmd.ask(&app{Stdin: strings.NewReader(c.answers), Stdout: &out}, ports{4223, 9470}); err != nil {
			t.Errorf("%q: %v", c.answers, err)
		}
		if diff := cmp.Diff(c.want, c.cmd); diff != "" || strings.Count(out.String(), "]: ") != c.questions {
			t.Errorf("%q (-want +got):\n%s%s", c.answers, diff, out.String())
		}
	}
	if err := (&initCmd{}).ask(&app{Stdin: strings.NewReader("nats://bus\n"), Stdout: new(bytes.Buffer)}, ports{4222, 9470}); err == nil {
		t.Error("an input that ends answers all questions")
	}
}

// TestInitTakenPort: a port that somebody listens on is not written down.
func TestInitTakenPort(t *testing.T) {
	l, err := net.Listen("tcp", local(defaultPort))
	if err == nil {
		defer func() { _ = l.Close() }() // else somebody else has it
	}
	t.Chdir(t.TempDir())
	out, stderr, code := command(t, "init", "--yes", "--page", "none")
	text := readFile(t, "config.yml")
	_, port, _ := strings.Cut(out, "Port 4222 is taken here, so bus.listen is 127.0.0.1:")
	port, _, _ = strings.Cut(port, ".\n")
	if code != 0 || port == "" || !strings.Contains(text, `listen: "127.0.0.1:`+port+`"`) || strings.Contains(text, ":4222") {
		t.Errorf("exit code %d, %s%s%s", code, out, stderr, text)
	}
}
