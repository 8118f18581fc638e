package rules

import (
	"fmt"
	"maps"
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
	// parts is how many criteria ask for the items of a category.
	parts map[shadow.Category]int
}

// slot is a criterion to be written: a question, or a part of what the domains
// were asked for.
type slot struct {
	question *question
	of       shadow.Category // of delivery: whose items
}

// maxRequirements bounds how often requirements are asked for in all domains
// together. Each time takes a kilobyte while the run is sealed, and an event
// can name a million.
const maxRequirements = 50_000

func newPlan(d *shadow.Decomposition, quota map[shadow.Category]int, r *rand.Rand) *plan {
	p := &plan{d: d, r: r, quota: maps.Clone(quota), items: map[shadow.Category]map[string][]shadow.ItemRef{}, slots: map[shadow.Category][]slot{}, parts: map[shadow.Category]int{}}
	reqs, left := requirementsOf(d), maxRequirements
	for i := range d.Domains {
		dom := &d.Domains[i]
		texts := []string{dom.TaskBrief}
		for _, it := range dom.Items() {
			if strings.TrimSpace(it.Text) != "" {
				p.put(categoryOf(it), dom.Domain, it.ItemRef)
			}
			texts = append(texts, it.Text)
		}
		matched := reqs.matching(texts)
		matched = matched[:min(len(matched), left)]
		left -= len(matched)
		for _, k := range matched {
			p.put(reqs.categories[k], dom.Domain, shadow.ItemRef{Kind: shadow.RequirementItem, Index: k})
		}
	}
	p.addFixed()
	p.assignItems()
	p.balance()
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

func (p *plan) add(c shadow.Category, s slot) {
	p.slots[c] = append(p.slots[c], s)
	if s.question == nil {
		p.parts[s.of]++
	}
}

// addToFirst gives a slot of the first of some categories that has one left, or of
// any.
func (p *plan) addToFirst(s slot, of ...shadow.Category) {
	for _, c := range append(of, shadow.Categories()...) {
		if p.left(c) > 0 {
			p.add(c, s)
			return
		}
	}
}

// addFixed asks what is asked in every draw: whether the work is finished, and
// the figures, by chance with the limits. They go into a category without
// items, else into their own. If there are two criteria, one asks for the
// items; if there is one, it asks for the items.
func (p *plan) addFixed() {
	total := 0
	for _, n := range p.quota {
		total += n
	}
	if total > 3 {
		p.addToFirst(slot{question: finished}, shadow.ErrorHandling, shadow.Completeness)
	}
	asked, categories := figures, []shadow.Category{shadow.Completeness, shadow.EdgeCase}
	if p.r.IntN(2) == 0 && slices.ContainsFunc(p.d.Domains, func(dom shadow.Domain) bool { return len(limitsOf(&dom)) > 0 }) {
		asked = bounded
	}
	if len(p.items[shadow.EdgeCase]) == 0 || len(p.items[shadow.Completeness]) > 0 && p.left(shadow.EdgeCase) > 1 {
		slices.Reverse(categories)
	}
	if total > 1 {
		p.addToFirst(slot{question: asked}, categories...)
	}
}

// assignItems finds a criterion for the items of each category: one of their own
// category, or else they join those of another one.
func (p *plan) assignItems() {
	for _, c := range shadow.Categories() {
		if len(p.items[c]) > 0 && p.left(c) > 0 {
			p.add(c, slot{of: c})
		}
	}
	for _, c := range shadow.Categories() {
		if len(p.items[c]) == 0 || p.parts[c] > 0 {
			continue
		}
		target := slices.IndexFunc(shadow.Categories(), func(c shadow.Category) bool { return p.parts[c] > 0 })
		if target < 0 {
			p.addToFirst(slot{of: c})
			continue
		}
		for domain, refs := range p.items[c] {
			p.put(shadow.Categories()[target], domain, refs...)
		}
		delete(p.items, c)
	}
}

// balance gives what a category cannot fill with its own items and questions to
// the one that has most left to ask. Each keeps one criterion.
func (p *plan) balance() {
	spare := func(c shadow.Category) int { return min(p.quota[c], 1) * (p.capacity(c) - p.left(c)) }
	for _, c := range shadow.Categories() {
		for p.left(c) > max(p.capacity(c), 1-len(p.slots[c])) {
			to := slices.MaxFunc(shadow.Categories(), func(a, b shadow.Category) int { return spare(a) - spare(b) })
			if spare(to) <= 0 {
				return
			}
			p.quota[c]--
			p.quota[to]++
		}
	}
}

// capacity is how many more criteria the items and questions of a category make.
func (p *plan) capacity(c shadow.Category) int {
	return max(p.largest(c)-p.parts[c], 0) + len(own[c])
}

// largest is how many items of a category a domain has, at most.
func (p *plan) largest(c shadow.Category) (n int) {
	for _, refs := range p.items[c] {
		n = max(n, len(refs))
	}
	return n
}

// fill draws what else a category asks: its own questions, and more parts of
// what the domains were asked for.
func (p *plan) fill(c shadow.Category) {
	open := own[c]
	for p.left(c) > 0 {
		switch divisible := p.largest(c) > p.parts[c]; {
		case len(open) > 0 && (!divisible || p.r.IntN(2) == 0):
			p.add(c, slot{question: open[0]})
			open = open[1:]
		case divisible:
			p.add(c, slot{of: c})
		default:
			p.add(c, slot{question: fallback})
		}
	}
}

func (p *plan) write() []shadow.Criterion {
	parts, words := map[shadow.Category][]map[string]shadow.Material{}, map[shadow.Category][]wording{}
	for _, c := range shadow.Categories() {
		parts[c], words[c] = p.split(c), slices.Clone(deliveries[c])
		p.r.Shuffle(len(words[c]), func(i, j int) { words[c][i], words[c][j] = words[c][j], words[c][i] })
	}
	var out []shadow.Criterion
	seen := map[string]int{}
	for _, c := range shadow.Categories() {
		for _, s := range p.slots[c] {
			var written shadow.Criterion
			if s.question != nil {
				written = s.question.criterion(c, p.d, p.r)
			} else {
				part, w := parts[s.of][0], words[s.of][0]
				parts[s.of], words[s.of] = parts[s.of][1:], append(words[s.of][1:], w)
				written = shadow.Criterion{Category: c, Assertion: w.assertion, Expected: w.expected, Delivery: true, Material: part}
			}
			// Criteria with the same words ask for different items.
			if seen[written.Assertion]++; seen[written.Assertion] > 1 {
				written.Assertion = fmt.Sprintf("%s (part %d)", written.Assertion, seen[written.Assertion])
			}
			out = append(out, written)
		}
	}
	return out
}

// split divides the items of a category by chance among the criteria that ask
// for them. A part that would be left with nothing in every domain asks for
// what another one asks for too.
func (p *plan) split(of shadow.Category) []map[string]shadow.Material {
	n := p.parts[of]
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
