package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// rulesRead is the percentage of items that the rules of reading were sure about
// on labelled runs; see docs/judging.md.
const rulesRead = 35

// sealWidth is the width in columns to which criteria are wrapped.
const sealWidth = 80

// text prints a draft for people.
func (dr *draft) text(w io.Writer) error {
	p := &sealPage{envelope: dr.envelope}
	p.line(0, 0, dr.first())
	p.line(0, 0, "")
	p.line(0, 0, dr.run.Task)
	p.line(0, 0, fmt.Sprintf("%s, %s for %s with %s.", dr.scale, criteria(len(dr.criteria)), plural(len(dr.run.Domains), "domain"), plural(dr.items(), "item")))
	p.line(0, 0, readableShare(dr.panel, dr.envelope.Policy.MinRead))
	for _, note := range dr.notes {
		p.line(0, 2, "! "+note)
	}
	var category shadow.Category
	for i := range dr.criteria {
		c := &dr.criteria[i]
		if c.Category != category {
			category = c.Category
			p.line(0, 0, "")
			p.line(0, 0, strings.ToUpper(string(category)))
		}
		p.criterion(c, dr.run)
	}
	p.notAsked(dr)
	p.line(0, 0, "")
	p.line(0, 0, last)
	_, err := p.b.WriteTo(w)
	return err
}

func criteria(n int) string {
	if n == 1 {
		return "1 criterion"
	}
	return fmt.Sprintf("%d criteria", n)
}

// items counts the items of all assignments.
func (dr *draft) items() (n int) {
	for i := range dr.run.Domains {
		n += len(dr.run.Domains[i].Items())
	}
	return n
}

// readableShare says in one line, before anything is judged, what share of the
// items of an assignment the configured judges can decide. judges is how many
// models or services the panel has, minRead the percentage below which a report
// is advisory.
func readableShare(judges, minRead int) string {
	if judges > 0 {
		return fmt.Sprintf("Judged by rules and a panel of %s: the panel is asked about all that the rules leave open. What finds no majority stays unread.", plural(judges, "judge"))
	}
	text := fmt.Sprintf("Judged by rules alone: they decide about %d %% of the items, and the rest stays unread.", rulesRead)
	if rulesRead < minRead {
		text += fmt.Sprintf(" Below %d %% a report is advisory, so most will be.", minRead)
	}
	return text + " A model reads the rest: --judge openai:gpt-5-mini, or judging.panel."
}

// sealPage is a page of wrapped text.
type sealPage struct {
	b        bytes.Buffer
	envelope *shadow.Envelope
}

// criterion prints one criterion, with what it asks and tells every domain.
func (p *sealPage) criterion(c *shadow.Criterion, d *shadow.Decomposition) {
	p.line(0, 0, "")
	p.line(2, 4, "* "+c.Assertion)
	p.line(4, 14, "expected  "+c.Expected)
	if c.Author != "rules" {
		p.line(4, 14, "author    "+c.Author)
	}
	if c.Basis != "" {
		p.line(4, 14, "rests on  "+c.Basis)
	}
	if names := sparedBy(c, d); names != "" {
		p.line(4, 14, "not asked "+names)
	}
	if message, ok := sameForAll(c, d); ok {
		p.line(4, 14, "tells     "+message)
		return
	}
	for i := range d.Domains {
		name := d.Domains[i].Domain
		m, asked := c.Material[name]
		if !asked {
			continue
		}
		p.line(4, 6, name)
		for _, ref := range m.Items {
			p.line(6, 8, "- "+ref.String()+": "+p.envelope.ItemText(name, ref))
		}
		if m.Message != "" {
			p.line(6, 14, "tells   "+m.Message)
		}
	}
}

// sparedBy names the domains to which a criterion does not apply.
func sparedBy(c *shadow.Criterion, d *shadow.Decomposition) string {
	var names []string
	for i := range d.Domains {
		if _, asked := c.Material[d.Domains[i].Domain]; !asked {
			names = append(names, d.Domains[i].Domain)
		}
	}
	return strings.Join(names, ", ")
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

// notAsked lists the requirements that no criterion rests on.
func (p *sealPage) notAsked(dr *draft) {
	var nobody []string
	for i, r := range dr.run.Requirements {
		ref := shadow.ItemRef{Kind: shadow.RequirementItem, Index: i}
		rests := slices.ContainsFunc(dr.criteria, func(c shadow.Criterion) bool {
			for _, m := range c.Material {
				if slices.Contains(m.Items, ref) {
					return true
				}
			}
			return false
		})
		if !rests {
			nobody = append(nobody, r.ID+": "+r.Text)
		}
	}
	p.list("Requirements that no domain is asked for, since no assignment clearly deals with them:", nobody)
}

func (p *sealPage) list(title string, items []string) {
	if len(items) == 0 {
		return
	}
	p.line(0, 0, "")
	p.line(0, 0, title)
	for _, s := range items {
		p.line(2, 4, "- "+s)
	}
}

// line prints text in column indent, what does not fit below in column hang.
func (p *sealPage) line(indent, hang int, text string) {
	column := indent
	p.b.WriteString(strings.Repeat(" ", indent))
	words := 0
	for _, word := range splitKeeping(shown(text)) {
		n := len([]rune(word))
		if words > 0 && column+n > sealWidth {
			trimmed := bytes.TrimRight(p.b.Bytes(), " ")
			p.b.Truncate(len(trimmed))
			p.b.WriteString("\n" + strings.Repeat(" ", hang))
			column = hang
		}
		p.b.WriteString(word)
		column += n
		words++
	}
	trimmed := bytes.TrimRight(p.b.Bytes(), " ")
	p.b.Truncate(len(trimmed))
	p.b.WriteByte('\n')
}

// splitKeeping splits text into words, each with the spaces behind it.
func splitKeeping(s string) []string {
	var out []string
	for s != "" {
		i := strings.IndexByte(s, ' ')
		if i < 0 {
			return append(out, s)
		}
		n := i + len(s[i:]) - len(strings.TrimLeft(s[i:], " "))
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}

// shown makes untrusted text fit for a terminal: one line, and what is not
// printed (control characters, marks that turn the direction of writing) as
// its code. Nothing is cut.
func shown(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "�") {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}

// sealedJSON is a draft as JSON: NotSealed is its first field, Note its last.
type sealedJSON struct {
	NotSealed bool            `json:"not_sealed"`
	RunID     string          `json:"run_id"`
	Scale     string          `json:"scale"`
	Seed      *uint64         `json:"seed,omitempty"`
	Notes     []string        `json:"notes,omitempty"`
	Criteria  []criterionJSON `json:"criteria"`
	Note      string          `json:"note"`
}

// criterionJSON is a criterion without an id.
type criterionJSON struct {
	Category     shadow.Category            `json:"category"`
	Author       string                     `json:"author"`
	Assertion    string                     `json:"assertion"`
	Expected     string                     `json:"expected"`
	Check        string                     `json:"check,omitempty"`
	Delivery     bool                       `json:"delivery,omitempty"`
	Basis        string                     `json:"basis,omitempty"`
	Requirements []string                   `json:"requirements,omitempty"`
	Expects      *shadow.Expectation        `json:"expects,omitempty"`
	Material     map[string]shadow.Material `json:"material"`
}

// json prints a draft as one line.
func (dr *draft) json(w io.Writer) error {
	out := sealedJSON{NotSealed: true, RunID: dr.run.RunID, Scale: dr.scale, Seed: dr.seed, Notes: dr.notes, Note: last}
	for i := range dr.criteria {
		c := &dr.criteria[i]
		out.Criteria = append(out.Criteria, criterionJSON{c.Category, c.Author, c.Assertion, c.Expected, c.Check, c.Delivery, c.Basis, c.Requirements, c.Expects, c.Material})
	}
	enc := render.NewEncoder(w)
	return enc.Encode(&out)
}
