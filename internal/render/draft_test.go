package render

import (
	"bytes"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

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
