package llm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// rest names the items of one domain that a criterion rests on.
type rest struct {
	Domain string   `json:"domain"`
	Items  []string `json:"items"`
}

// minSentence is how many letters and digits the sentence must have that a
// criterion rests on: a word stands everywhere.
const minSentence = 8

// ground puts into c what it rests on: material for each domain that is asked,
// its requirements, and the sentence that binds all. It returns what is wrong,
// in words for the model that wrote it, or nothing.
func (w *written) ground(d *shadow.Decomposition, c *shadow.Criterion) string {
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
			if item.Kind == shadow.RequirementItem {
				c.Requirements = appendNew(c.Requirements, d.Requirements[item.Index].ID)
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

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// verbatim is the passage of one of some texts that a model copied, or empty.
func verbatim(copied string, texts ...string) string {
	n := 0
	for _, r := range copied {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	if n < minSentence {
		return ""
	}
	for _, text := range texts {
		if found, _, _, ok := neutralise(text).find(text, copied); ok {
			return oneLine(found)
		}
	}
	return ""
}

// itemNamed finds an item by the name that the author was shown: a kind and
// a number from 1, or "requirement" and its id.
func itemNamed(d *shadow.Decomposition, dom *shadow.Domain, name string) (shadow.ItemRef, bool) {
	kind, rest, _ := strings.Cut(strings.TrimSpace(name), " ")
	rest = strings.TrimSpace(rest)
	var items []string
	switch k := shadow.ItemKind(kind); k {
	case shadow.RequirementItem:
		at := slices.IndexFunc(d.Requirements, func(r shadow.Requirement) bool { return r.ID == rest })
		return shadow.ItemRef{Kind: k, Index: at}, at >= 0
	case shadow.SubTask:
		items = dom.SubTasks
	case shadow.Deliverable:
		items = dom.Deliverables
	case shadow.Constraint:
		items = dom.Constraints
	}
	n, err := strconv.Atoi(rest)
	return shadow.ItemRef{Kind: shadow.ItemKind(kind), Index: n - 1}, err == nil && n >= 1 && n <= len(items)
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
