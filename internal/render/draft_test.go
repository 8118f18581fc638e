package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Lines are at most 80 columns wide, no word is lost, and nothing that a
// terminal would obey gets through.
func TestDraftLines(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("eight ch racters ", 40))
	d := &Draft{Run: &shadow.Decomposition{RunID: "r", Task: "Paint it \x1b[31mred\u202e", Domains: []shadow.Domain{{Domain: "d"}}},
		Envelope: &shadow.Envelope{Criteria: []shadow.Criterion{{Category: shadow.EdgeCase, Assertion: text, Expected: text, Material: map[string]shadow.Material{"d": {Message: text}}}}}}
	var b bytes.Buffer
	if err := d.Text(NewTerminal(&b, true)); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := len(strings.TrimSuffix(line, "\n")); n > draftWidth {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	if strings.Count(b.String(), "racters") != 120 || strings.ContainsAny(b.String(), "\x1b\u202e") {
		t.Errorf("got\n%s", b.String())
	}
}

// TestDraftTells: what a criterion tells all domains that it asks is shown once.
func TestDraftTells(t *testing.T) {
	same := shadow.Material{Message: "The limit is missing"}
	d := &Draft{Run: &shadow.Decomposition{Domains: []shadow.Domain{{Domain: "a"}, {Domain: "b"}, {Domain: "c"}}},
		Envelope: &shadow.Envelope{Criteria: []shadow.Criterion{{Category: shadow.EdgeCase, Material: map[string]shadow.Material{"a": same, "c": same}}}}}
	var b bytes.Buffer
	if err := d.Text(NewTerminal(&b, true)); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Count(got, "The limit is missing") != 1 || !strings.Contains(got, "not asked b\n") {
		t.Errorf("got\n%s", got)
	}
}
