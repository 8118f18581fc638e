package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Draft is an envelope that nobody sealed.
type Draft struct {
	Run      *shadow.Decomposition
	Envelope *shadow.Envelope
	Seed     *uint64 // nil: it was drawn at random
	Judges   int     // that are configured
}

const (
	notSealed = "NOT SEALED"
	draftNote = notSealed + ": nothing was stored or published, and the daemon draws anew."
)

// draftWidth is the width in columns to which a draft is wrapped.
const draftWidth = 80

// Text shows a draft to people. All that it quotes is untrusted.
func (d *Draft) Text(t *Terminal) error {
	page := *t
	page.Width = draftWidth
	p := draftPage{&page, d}
	how := "Run the command again and the draw is another one; --seed N repeats one."
	if d.Seed != nil {
		how = fmt.Sprintf("Drawn with seed %d: the same seed gives the same criteria again.", *d.Seed)
	}
	items := 0
	for i := range d.Run.Domains {
		items += len(d.Run.Domains[i].Items())
	}
	p.line(notSealed + ": criteria that the daemon might write for run " + d.Run.RunID + ". " + how)
	p.line("")
	p.line(d.Run.Task)
	p.line(fmt.Sprintf("%s, %s for %s with %s.", d.Envelope.Policy.Scale, criteria(len(d.Envelope.Criteria)), shadow.Count(len(d.Run.Domains), "domain"), shadow.Count(items, "item")))
	p.line(ReadableShare(d.Judges, d.Envelope.Policy.MinRead))
	for _, note := range d.Envelope.Notes {
		p.Printf("! %s\n", p.Wrap(shadow.Line(note), 2))
	}
	for _, notice := range d.Envelope.Notices {
		p.Printf("! %s\n", p.Wrap(shadow.Line(notice), 2))
	}
	var category shadow.Category
	for i := range d.Envelope.Criteria {
		c := &d.Envelope.Criteria[i]
		if c.Category != category {
			category = c.Category
			p.heading("%s", strings.ToUpper(string(category)))
		}
		p.criterion(c)
	}
	p.line("")
	p.line(draftNote)
	return p.Err()
}

// draftPage draws a draft.
type draftPage struct {
	*Terminal
	*Draft
}

// line prints a paragraph.
func (p draftPage) line(text string) { p.Printf("%s\n", p.Wrap(shadow.Line(text), 0)) }

// criterion prints one criterion, with what it asks and tells every domain.
func (p draftPage) criterion(c *shadow.Criterion) {
	field := func(label, text string) { p.field(4, 9, label, shadow.Line(text)) }
	p.line("")
	p.Printf("  * %s\n", p.Wrap(shadow.Line(c.Assertion), 4))
	field("expected", c.Expected)
	if c.Author != "rules" {
		field("author", c.Author)
	}
	if c.Basis != "" {
		field("rests on", c.Basis)
	}
	var without []string
	for i := range p.Run.Domains {
		if _, asked := c.Material[p.Run.Domains[i].Domain]; !asked {
			without = append(without, p.Run.Domains[i].Domain)
		}
	}
	if len(without) > 0 {
		field("not asked", strings.Join(without, ", "))
	}
	if message, same := sameForAll(c, p.Run); same {
		field("tells", message)
		return
	}
	for i := range p.Run.Domains {
		name := p.Run.Domains[i].Domain
		m, asked := c.Material[name]
		if !asked {
			continue
		}
		p.Printf("    %s\n", shadow.Line(name))
		for _, ref := range m.Items {
			p.Printf("      - %s\n", p.Wrap(shadow.Line(ref.String()+": "+p.Envelope.ItemText(name, ref)), 8))
		}
		if m.Message != "" {
			p.field(6, 7, "tells", shadow.Line(m.Message))
		}
	}
}

// sameForAll gives the message of a criterion that asks every domain the same.
func sameForAll(c *shadow.Criterion, d *shadow.Decomposition) (message string, ok bool) {
	for i := range d.Domains {
		m, asked := c.Material[d.Domains[i].Domain]
		if !asked || len(m.Items) > 0 || i > 0 && m.Message != message {
			return "", false
		}
		message = m.Message
	}
	return message, true
}

// rulesRead is the percentage of items that the rules of reading decided on
// labelled runs: 272 of 855; see docs/judging.md.
const rulesRead = 32

// ReadableShare says, before anything is judged, what share of the items of an
// assignment the configured judges can decide. judges is how many models or
// services the panel has, minRead the percentage below which a report is
// advisory.
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
