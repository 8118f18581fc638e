package main

import (
	"bytes"
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
		{"\n\n\n", initCmd{}, initCmd{Judge: []string{}}, 3},
		{"nats://bus\nopenai:a  ollama:b:32b\nnone\n", initCmd{}, initCmd{URL: "nats://bus", Judge: []string{"openai:a", "ollama:b:32b"}, Page: "none"}, 3},
		{"\n:9000\n", initCmd{Judge: []string{"openai:a"}}, initCmd{Judge: []string{"openai:a"}, Page: ":9000"}, 2},
		{"", initCmd{URL: "nats://bus", Judge: []string{"openai:a"}, Page: "none"}, initCmd{URL: "nats://bus", Judge: []string{"openai:a"}, Page: "none"}, 0},
	} {
		var out bytes.Buffer
		if err := c.cmd.ask(&app{Stdin: strings.NewReader(c.answers), Stdout: &out}); err != nil {
			t.Errorf("%q: %v", c.answers, err)
		}
		if diff := cmp.Diff(c.want, c.cmd); diff != "" || strings.Count(out.String(), "]: ") != c.questions {
			t.Errorf("%q (-want +got):\n%s%s", c.answers, diff, out.String())
		}
	}
	if err := (&initCmd{}).ask(&app{Stdin: strings.NewReader("nats://bus\n"), Stdout: new(bytes.Buffer)}); err == nil {
		t.Error("an input that ends answers all questions")
	}
}
