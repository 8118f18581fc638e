package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Lines are at most 80 columns wide, no word is lost, and nothing that a terminal would obey gets through.
func TestDraftLines(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("eight ch racters ", 40))
	d := &Draft{Run: &shadow.Decomposition{RunID: "r", Task: "Paint it \x1b[31mred\u202e", Domains: []shadow.Domain{{Domain: "d"}}},
		Envelope: &shadow.Envelope{Commitment: shadow.Commitment{CriteriaByDomain: []int{1}}, Criteria: []shadow.Criterion{{Material: map[string]shadow.Material{"d": {Kind: shadow.AskWritten, Category: shadow.EdgeCase, Assertion: text, Expected: text, Basis: text}}}}}}
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

// TestDraftOrder: each domain has its own criteria, those on items first and with the words of the items.
func TestDraftOrder(t *testing.T) {
	written := shadow.Material{Kind: shadow.AskWritten, Category: shadow.Security, Assertion: "No key is shown", Author: "gpt"}
	asks := shadow.Material{Kind: shadow.AskItems, Category: shadow.HappyPath, Assertion: "The work delivers sub-task 1.", Items: []string{"sub-task 1"}}
	domains := shadow.Domains{{Domain: "a", SubTasks: []string{"Paint it"}}, {Domain: "b", SubTasks: []string{"Sell it"}}}
	d := &Draft{Run: &shadow.Decomposition{Domains: domains}, Envelope: &shadow.Envelope{Domains: domains, Commitment: shadow.Commitment{CriteriaByDomain: []int{2, 1}},
		Criteria: []shadow.Criterion{{Material: map[string]shadow.Material{"a": written, "b": asks}}, {Material: map[string]shadow.Material{"a": asks}}}}}
	var b bytes.Buffer
	if err := d.Text(NewTerminal(&b, true)); err != nil {
		t.Fatal(err)
	}
	golden(t, "draft.txt", b.String())
}
