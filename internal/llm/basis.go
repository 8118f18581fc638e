package llm

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/passage"
	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// itemRefs names the items of one domain that a criterion rests on.
type itemRefs struct {
	Domain string   `json:"domain"`
	Items  []string `json:"items"`
}

// minSentence is how many words the sentence must have that a criterion rests
// on: a word stands everywhere.
const minSentence = 2

// ground puts into c what it rests on: material for each domain that is asked,
// its requirements, and the sentence that binds all. It returns what is wrong,
// in words for the model that wrote it, or nothing.
func (w *criterionReply) ground(d *shadow.Decomposition, c *shadow.Criterion) string {
	if sentence := strings.TrimSpace(w.Sentence); sentence != "" {
		if c.Basis = verbatim(sentence, d.Task, d.Specification); c.Basis == "" {
			return "its sentence does not stand in the task or the specification: copy one character by character, or name items in \"rests\""
		}
		for i := range d.Domains {
			c.Material[d.Domains[i].Domain] = shadow.Material{}
		}
	}
	for _, r := range w.Rests {
		at := slices.IndexFunc(d.Domains, func(dom shadow.Domain) bool { return dom.Domain == r.Domain })
		if at < 0 {
			return fmt.Sprintf("it rests on a domain that there is not: %.80q", r.Domain)
		}
		m := c.Material[r.Domain]
		for _, name := range r.Items {
			item, ok := itemNamed(d, &d.Domains[at], name)
			if !ok {
				return fmt.Sprintf("it rests on an item that domain %q does not have: %.80q", r.Domain, name)
			}
			if !slices.Contains(m.Items, item) {
				m.Items = append(m.Items, item)
			}
			if item.Kind != shadow.RequirementItem {
				continue
			}
			if id := d.Requirements[item.Index].ID; !slices.Contains(c.Requirements, id) {
				c.Requirements = append(c.Requirements, id)
			}
		}
		if len(m.Items) == 0 && c.Basis == "" {
			return fmt.Sprintf("it names no item of domain %q that it rests on", r.Domain)
		}
		c.Material[r.Domain] = m
	}
	if len(c.Material) == 0 {
		return "it rests on nothing: name items in \"rests\", or copy into \"sentence\" one that binds every domain"
	}
	return ""
}

// verbatim is the passage of one of some texts that a model copied, or empty.
func verbatim(copied string, texts ...string) string {
	if len(fold.Words(copied)) < minSentence {
		return ""
	}
	for _, text := range texts {
		if p, ok := passage.New(text).Find(copied); ok {
			return oneLine(text[p.From:p.To])
		}
	}
	return ""
}

// itemNamed finds an item by the name that the author was shown.
func itemNamed(d *shadow.Decomposition, dom *shadow.Domain, name string) (shadow.ItemRef, bool) {
	name = oneLine(name)
	for i, r := range d.Requirements {
		if name == "requirement "+r.ID {
			return shadow.ItemRef{Kind: shadow.RequirementItem, Index: i}, true
		}
	}
	for _, it := range dom.Items() {
		if name == it.String() {
			return it.ItemRef, true
		}
	}
	return shadow.ItemRef{}, false
}

// valueTold is a figure or a name with digits that a message tells, that the
// criterion has, and that the decomposition does not state; empty: none.
func valueTold(message string, c *shadow.Criterion, d *shadow.Decomposition) string {
	sealed := values(c.Assertion + " " + c.Expected)
	public := values(strings.Join(d.Texts(), " "))
	for _, v := range values(message) {
		if slices.Contains(sealed, v) && !slices.Contains(public, v) {
			return v
		}
	}
	return ""
}

// values are the words of a text that have a digit, in small letters.
func values(text string) []string {
	return slices.DeleteFunc(fold.Words(text), func(w string) bool { return !strings.ContainsFunc(w, unicode.IsDigit) })
}
