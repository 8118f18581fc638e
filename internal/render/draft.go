package render

import (
	"fmt"
	"io"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Draft is an envelope that nobody sealed.
type Draft struct {
	Run      *shadow.Decomposition
	Envelope *shadow.Envelope
	Seed     *uint64 // nil: it was drawn at random
	Judges   int     // that are configured
}

const draftNote = "NOT SEALED: nothing was stored or published, and the daemon draws anew."

// draftWidth is the width in columns to which a draft is wrapped.
const draftWidth = 80

// Text shows a draft to people. All that it quotes is untrusted.
func (d *Draft) Text(t *Terminal) error {
	page := *t
	page.Width = draftWidth
	err := page.show("draft.tmpl", d)
	t.err = page.err
	return err
}

// Drawn says how the criteria were drawn.
func (d *Draft) Drawn() string {
	if d.Seed != nil {
		return fmt.Sprintf("Drawn with seed %d: the same seed gives the same criteria again.", *d.Seed)
	}
	return "Run the command again and the draw is another one; --seed N repeats one."
}

// Size says how much there is to judge.
func (d *Draft) Size() string {
	items := 0
	for i := range d.Run.Domains {
		items += len(d.Run.Domains[i].Items())
	}
	return fmt.Sprintf("%s for %s with %s", criteria(len(d.Envelope.Criteria)), shadow.Count(len(d.Run.Domains), "domain"), shadow.Count(items, "item"))
}

// Readable says what share of the items the judges can decide.
func (d *Draft) Readable() string { return ReadableShare(d.Judges, d.Envelope.Policy.MinRead) }

// Asked lists the domains that a criterion asks, or those that it does not.
func (d *Draft) Asked(c *shadow.Criterion, asked bool) (names []string) {
	for i := range d.Run.Domains {
		name := d.Run.Domains[i].Domain
		if _, is := c.Material[name]; is == asked {
			names = append(names, name)
		}
	}
	return names
}

// SameForAll is what a criterion tells every domain that it asks, nil where it
// asks them different things.
func (d *Draft) SameForAll(c *shadow.Criterion) *shadow.Material {
	var same *shadow.Material
	for i := range d.Run.Domains {
		m, asked := c.Material[d.Run.Domains[i].Domain]
		if !asked {
			continue
		}
		if len(m.Items) > 0 || same != nil && m.Message != same.Message {
			return nil
		}
		same = &m
	}
	return same
}

// rulesRead is the percentage of items that the rules of reading decided on
// labelled runs: 801 of 2,126, as docs/measure.py counts them.
const rulesRead = 38

// ReadableShare says, before anything is judged, what share of the items of an
// assignment the configured judges can decide. judges is how many models the
// panel has, minRead the percentage below which a report is advisory.
func ReadableShare(judges, minRead int) string {
	if judges > 0 {
		return fmt.Sprintf("Judged by rules and a panel of %s: the panel is asked about all that the rules leave open. What finds no majority stays unread.", shadow.Count(judges, "judge"))
	}
	text := fmt.Sprintf("Judged by rules alone: they decide about %d %% of the items, and the rest stays unread.", rulesRead)
	if rulesRead < minRead {
		text += fmt.Sprintf(" Below %d %% a report is advisory, so most will be.", minRead)
	}
	return text + " A model reads the rest: --judge openai:gpt-5-mini, or judging.panel."
}

// draftJSON is a draft as JSON: NotSealed is its first field, Note its last.
type draftJSON struct {
	NotSealed bool             `json:"not_sealed"`
	RunID     string           `json:"run_id"`
	Scale     string           `json:"scale"`
	Seed      *uint64          `json:"seed,omitempty"`
	Notes     []string         `json:"notes,omitempty"`
	Notices   []string         `json:"notices,omitempty"`
	Criteria  []draftCriterion `json:"criteria"`
	Note      string           `json:"note"`
}

// draftCriterion is a criterion without an id.
type draftCriterion struct {
	*shadow.Criterion
	ID string `json:"id,omitempty"`
}

// JSON writes a draft as one line.
func (d *Draft) JSON(w io.Writer) error {
	out := draftJSON{NotSealed: true, RunID: d.Run.RunID, Scale: d.Envelope.Policy.Scale, Seed: d.Seed, Notes: d.Envelope.Notes, Notices: d.Envelope.Notices, Note: draftNote}
	for i := range d.Envelope.Criteria {
		out.Criteria = append(out.Criteria, draftCriterion{Criterion: &d.Envelope.Criteria[i]})
	}
	return NewEncoder(w).Encode(&out)
}
