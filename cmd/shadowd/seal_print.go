package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
)

// sealWidth is the width in columns to which criteria are wrapped.
const sealWidth = 80

// text prints a draft for people.
func (dr *draft) text(w io.Writer) error {
	p := &sealPage{}
	p.line(0, 0, dr.first())
	p.line(0, 0, "")
	p.line(0, 0, dr.run.Task)
	p.line(0, 0, fmt.Sprintf("%s, %s for %s. %s", dr.scale, criteria(len(dr.criteria)), plural(len(dr.run.Domains), "domain"), dr.generality()))
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

// generality says how many criteria ask for nothing of the decomposition's
// own.
func (dr *draft) generality() string {
	switch dr.generic {
	case 0:
		return "Each asks for something of this decomposition."
	case 1:
		return "1 is generic: it could be asked of any work."
	case len(dr.criteria):
		return "All are generic, they could be asked of any work: give the domains sub-tasks, deliverables or figures."
	}
	return fmt.Sprintf("%d are generic: they could be asked of any work.", dr.generic)
}

// sealPage is a page of wrapped text.
type sealPage struct{ b bytes.Buffer }

// criterion prints one criterion, with what it asks and tells every domain.
func (p *sealPage) criterion(c *shadow.Criterion, d *shadow.Decomposition) {
	p.line(0, 0, "")
	p.line(2, 4, "* "+c.Assertion)
	p.line(4, 14, "expected  "+c.Expected)
	if c.Author != "rules" {
		p.line(4, 14, "author    "+c.Author)
	}
	if message, ok := sameForAll(c, d); ok {
		p.line(4, 14, "tells     DOMAIN: "+message)
		return
	}
	for i := range d.Domains {
		name := d.Domains[i].Domain
		m := c.Material[name]
		asked := rules.Asked(m)
		if len(asked) == 0 {
			p.line(4, 6, name)
			p.line(6, 8, "- "+strings.TrimPrefix(m.Message, name+": "))
			continue
		}
		p.line(4, 6, name)
		for _, phrase := range asked {
			message, ok := m.Messages[phrase]
			if !ok {
				message = m.Message
			}
			if !strings.HasSuffix(message, phrase) {
				p.line(6, 8, "- "+phrase)
				p.line(8, 16, "tells   "+message)
				continue
			}
			p.line(6, 8, "- "+message)
		}
	}
}

// sameForAll gives the message of a criterion that asks no domain for anything
// of its own and tells them all the same.
func sameForAll(c *shadow.Criterion, d *shadow.Decomposition) (message string, ok bool) {
	for i := range d.Domains {
		name := d.Domains[i].Domain
		m := c.Material[name]
		told := strings.TrimPrefix(m.Message, name+": ")
		if len(rules.Asked(m)) > 0 || i > 0 && told != message {
			return "", false
		}
		message = told
	}
	return message, true
}

// notAsked lists what the decomposition says and no criterion asks for.
func (p *sealPage) notAsked(dr *draft) {
	var silent []string
	for i := range dr.run.Domains {
		dom := &dr.run.Domains[i]
		asked := map[string]bool{}
		for k := range dr.criteria {
			for phrase := range maps.Keys(dr.criteria[k].Material[dom.Domain].Messages) {
				asked[bare(phrase)] = true
			}
		}
		for _, s := range slices.Concat(dom.SubTasks, dom.Deliverables, dom.Constraints) {
			if whole := bare(s); whole != "" && !asked[whole] && !rules.SaysNothing(s) && !strings.ContainsAny(strings.TrimSpace(s), "\n.") {
				silent = append(silent, dom.Domain+": "+s)
			}
		}
	}
	p.list("Not asked of the domain, since whoever keeps to it need not say so:", silent)
	var nobody []string
	for _, r := range dr.run.Requirements {
		if !asked(dr, r.Text) {
			nobody = append(nobody, r.ID+": "+r.Text)
		}
	}
	p.list("Requirements that no domain is asked for, since none clearly deals with them:", nobody)
}

// asked tells whether a criterion asks any domain for a text.
func asked(dr *draft, text string) bool {
	for i := range dr.criteria {
		for _, m := range dr.criteria[i].Material {
			for phrase := range m.Messages {
				// The author puts "when" as "if".
				if strings.Contains(bare(text), strings.TrimPrefix(phrase, "If ")) {
					return true
				}
			}
		}
	}
	return false
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

// bare is what two spellings of a phrase have in common.
func bare(s string) string { return strings.TrimRight(strings.Join(strings.Fields(s), " "), ".:;, ") }

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
	Generic   int             `json:"generic"`
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
	Requirements []string                   `json:"requirements,omitempty"`
	Expects      *shadow.Expectation        `json:"expects,omitempty"`
	Material     map[string]shadow.Material `json:"material"`
}

// json prints a draft as one line.
func (dr *draft) json(w io.Writer) error {
	out := sealedJSON{NotSealed: true, RunID: dr.run.RunID, Scale: dr.scale, Seed: dr.seed, Generic: dr.generic, Notes: dr.notes, Note: last}
	for i := range dr.criteria {
		c := &dr.criteria[i]
		out.Criteria = append(out.Criteria, criterionJSON{c.Category, c.Author, c.Assertion, c.Expected, c.Check, c.Requirements, c.Expects, c.Material})
	}
	enc := render.NewEncoder(w)
	return enc.Encode(&out)
}
