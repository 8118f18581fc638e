package rules

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// plan is a draw: which criteria are written, and of what.
type plan struct {
	d     *shadow.Decomposition
	r     *rand.Rand
	quota map[shadow.Category]int
	// items of each domain by the category that they are filed under.
	items map[shadow.Category]map[string][]shadow.ItemRef
	// slots are what is asked in each category.
	slots map[shadow.Category][]slot
}

// slot is a criterion to be written: a question, or a part of what the domains
// were asked for.
type slot struct {
	question *question
	of       shadow.Category // of delivery: whose items
}

// maxBorne is how often requirements are asked for in all domains together. Each
// time takes a kilobyte while the run is sealed, and an event has room for a
// million.
const maxBorne = 50_000

func newPlan(d *shadow.Decomposition, quota map[shadow.Category]int, r *rand.Rand) *plan {
	p := &plan{d: d, r: r, quota: quota, items: map[shadow.Category]map[string][]shadow.ItemRef{}, slots: map[shadow.Category][]slot{}}
	reqs, left := requirementsOf(d), maxBorne
	for i := range d.Domains {
		dom := &d.Domains[i]
		texts := []string{dom.TaskBrief}
		for _, it := range dom.Items() {
			if strings.TrimSpace(it.Text) != "" {
				p.put(categoryOf(it), dom.Domain, it.ItemRef)
			}
			texts = append(texts, it.Text)
		}
		borne := reqs.borneBy(texts)
		borne = borne[:min(len(borne), left)]
		left -= len(borne)
		for _, k := range borne {
			p.put(reqs.categories[k], dom.Domain, shadow.ItemRef{Kind: shadow.RequirementItem, Index: k})
		}
	}
	p.always()
	p.house()
	for _, c := range shadow.Categories() {
		p.fill(c)
	}
	return p
}

func (p *plan) put(c shadow.Category, domain string, refs ...shadow.ItemRef) {
	if p.items[c] == nil {
		p.items[c] = map[string][]shadow.ItemRef{}
	}
	p.items[c][domain] = append(p.items[c][domain], refs...)
}

func (p *plan) left(c shadow.Category) int { return p.quota[c] - len(p.slots[c]) }

// take gives a slot of the first of some categories that has one left, or of
// any.
func (p *plan) take(s slot, of ...shadow.Category) bool {
	for _, c := range append(of, shadow.Categories()...) {
		if p.left(c) > 0 {
			p.slots[c] = append(p.slots[c], s)
			return true
		}
	}
	return false
}

// always asks what is asked in every draw: the figures, whether the work is
// finished, and the items. Of two criteria the items have one, and a single one
// is theirs alone.
func (p *plan) always() {
	total := 0
	for _, c := range shadow.Categories() {
		total += p.quota[c]
	}
	if total > 1 {
		p.take(slot{question: figures}, shadow.Completeness, shadow.EdgeCase)
	}
	if total > 3 {
		p.take(slot{question: finished}, shadow.ErrorHandling, shadow.Completeness)
	}
}

// house finds a criterion for the items of each category: one of their own
// category, or else they join those of another one.
func (p *plan) house() {
	for _, c := range shadow.Categories() {
		if len(p.items[c]) > 0 && p.left(c) > 0 {
			p.slots[c] = append(p.slots[c], slot{of: c})
		}
	}
	for _, c := range shadow.Categories() {
		if len(p.items[c]) == 0 || p.parts(c) > 0 {
			continue
		}
		home := p.host()
		if home == "" && p.take(slot{of: c}) {
			continue
		}
		for domain, refs := range p.items[c] {
			p.put(home, domain, refs...)
		}
		delete(p.items, c)
	}
}

// parts counts the criteria that ask for the items of a category.
func (p *plan) parts(of shadow.Category) (n int) {
	for _, slots := range p.slots {
		for _, s := range slots {
			if s.question == nil && s.of == of {
				n++
			}
		}
	}
	return n
}

// host is a category whose items are asked for, "" if there is none.
func (p *plan) host() shadow.Category {
	for _, c := range shadow.Categories() {
		if p.parts(c) > 0 {
			return c
		}
	}
	return ""
}

// fill draws what else a category asks: its own questions in an order drawn by
// chance, and then more parts of what the domains were asked for.
func (p *plan) fill(c shadow.Category) {
	open := []*question{}
	for _, q := range questions {
		if q.category == c && q.fits(p.d) {
			open = append(open, q)
		}
	}
	p.r.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	for p.left(c) > 0 {
		s := slot{of: p.largest(c)}
		if len(open) > 0 && (p.r.IntN(2) == 0 || s.of == "") {
			s, open = slot{question: open[0]}, open[1:]
		} else if s.of == "" {
			s = slot{question: standby[p.r.IntN(len(standby))]}
		}
		p.slots[c] = append(p.slots[c], s)
	}
}

// largest is the category whose items are to be asked in one part more: c
// itself if a part of it has two items somewhere, else the one with the largest
// parts. "" means that there is none.
func (p *plan) largest(c shadow.Category) shadow.Category {
	best, most := shadow.Category(""), 1.0
	for _, of := range append([]shadow.Category{c}, shadow.Categories()...) {
		size := 0
		for _, refs := range p.items[of] {
			size = max(size, len(refs))
		}
		if share := float64(size) / float64(max(p.parts(of), 1)); share > most {
			if best, most = of, share; of == c {
				return best
			}
		}
	}
	return best
}

func (p *plan) write() []shadow.Criterion {
	parts := map[shadow.Category][]map[string]shadow.Material{}
	for _, c := range shadow.Categories() {
		parts[c] = p.deal(c)
	}
	var out []shadow.Criterion
	for _, c := range shadow.Categories() {
		for _, s := range p.slots[c] {
			if s.question != nil {
				out = append(out, s.question.criterion(c, p.d, p.r))
				continue
			}
			part := parts[s.of][0]
			parts[s.of] = parts[s.of][1:]
			out = append(out, deliveryOf(c, s.of, part, p.r))
		}
	}
	return distinct(out)
}

// deal divides the items of a category by chance among the criteria that ask
// for them. A part that would be left with nothing in every domain asks for
// what another one asks for too.
func (p *plan) deal(of shadow.Category) []map[string]shadow.Material {
	n := p.parts(of)
	parts := make([]map[string]shadow.Material, n)
	for i := range parts {
		parts[i] = map[string]shadow.Material{}
	}
	for i := range p.d.Domains {
		name := p.d.Domains[i].Domain
		refs := slices.Clone(p.items[of][name])
		if n == 0 || len(refs) == 0 {
			continue
		}
		p.r.Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
		for k := range max(len(refs), n) {
			m := parts[k%n][name]
			m.Items = append(m.Items, refs[k%len(refs)])
			parts[k%n][name] = m
		}
	}
	return parts
}
