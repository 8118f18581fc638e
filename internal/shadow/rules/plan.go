package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// ask is one criterion to be written: a question, or a part of what the
// domains were asked for.
type ask struct {
	category shadow.Category
	question *question  // nil for a part of the assignments
	items    [][]item   // of each domain, for a part of the assignments
	own      [][]string // of each domain: words that tell a text in its language
	mixed    bool       // the items are of several categories
	part     int        // 1-based, 0 if there is one part only
	parts    int
	standIn  *question // for domains without items
	finished bool      // it also asks that nothing is left open
	figures  *question // it also asks this, where one criterion is all there is
	least    int       // of a question of length: the number of words
}

// plan is a draw: what is asked in each category.
type plan struct {
	r     *rand.Rand
	slots map[shadow.Category]int
	order []shadow.Category
	given map[shadow.Category][][]matter // by category and domain
	asked []ask
	used  map[*question]bool
	parts map[shadow.Category]int
	mixed map[shadow.Category]bool // those that matters of others went to
}

// known is the order in which categories are filled.
var known = []shadow.Category{shadow.HappyPath, shadow.EdgeCase, shadow.ErrorHandling, shadow.Completeness, shadow.Security}

// next says where the items of a category go if it has no criterion left for
// them.
var next = map[shadow.Category][]shadow.Category{
	shadow.HappyPath:     {shadow.HappyPath, shadow.Completeness, shadow.EdgeCase, shadow.ErrorHandling, shadow.Security},
	shadow.EdgeCase:      {shadow.EdgeCase, shadow.ErrorHandling, shadow.HappyPath, shadow.Completeness, shadow.Security},
	shadow.ErrorHandling: {shadow.ErrorHandling, shadow.EdgeCase, shadow.HappyPath, shadow.Completeness, shadow.Security},
	shadow.Completeness:  {shadow.Completeness, shadow.HappyPath, shadow.EdgeCase, shadow.ErrorHandling, shadow.Security},
	shadow.Security:      {shadow.Security, shadow.ErrorHandling, shadow.EdgeCase, shadow.HappyPath, shadow.Completeness},
}

func newPlan(d *shadow.Decomposition, quota map[shadow.Category]int, r *rand.Rand) *plan {
	p := &plan{r: r, slots: map[shadow.Category]int{}, given: map[shadow.Category][][]matter{}, used: map[*question]bool{}, parts: map[shadow.Category]int{}, mixed: map[shadow.Category]bool{}}
	total := 0
	for _, c := range categoriesOf(quota) {
		p.order = append(p.order, c)
		p.slots[c] = quota[c]
		total += quota[c]
	}
	if total == 0 {
		return p
	}
	figures := p.first(figuresIn)
	if total > 1 {
		p.slots[figures]--
	}
	all, own := assignments(d, quota[shadow.Security] > 0, lexicon{})
	p.share(all, len(d.Domains))
	for _, c := range p.order {
		p.fill(c)
	}
	for _, c := range p.order {
		p.borrow(c)
	}
	q := p.figures()
	p.spread(own)
	switch {
	case total > 1:
		p.asked = append(p.asked, ask{category: figures, question: q})
	// One criterion is all there is: it asks both.
	case p.asked[0].question == nil:
		p.asked[0].figures = &arithmetic
	default:
		p.asked[0].question, p.asked[0].least = q, 0
	}
	return p
}

// categoriesOf lists the categories with a quota in a fixed order.
func categoriesOf(quota map[shadow.Category]int) []shadow.Category {
	var out []shadow.Category
	for _, c := range known {
		if quota[c] > 0 {
			out = append(out, c)
		}
	}
	var others []shadow.Category
	for c, n := range quota {
		if n > 0 && !slices.Contains(known, c) {
			others = append(others, c)
		}
	}
	sort.Slice(others, func(i, j int) bool { return others[i] < others[j] })
	return append(out, others...)
}

// figuresIn is where the arithmetic is asked: completeness, else where it
// takes least from the assignments.
var figuresIn = []shadow.Category{shadow.Completeness, shadow.EdgeCase, shadow.ErrorHandling, shadow.Security, shadow.HappyPath}

// first is the first of the given categories with a criterion left.
func (p *plan) first(of []shadow.Category) shadow.Category {
	for _, c := range of {
		if p.slots[c] > 0 {
			return c
		}
	}
	for _, c := range p.order {
		if p.slots[c] > 0 {
			return c
		}
	}
	return p.order[0]
}

// share gives every matter of every domain to the category where it is asked.
func (p *plan) share(all []assignment, domains int) {
	home := map[shadow.Category]shadow.Category{}
	for _, c := range known {
		home[c] = p.first(next[c])
	}
	for i, a := range all {
		for _, m := range a {
			h := home[m.category]
			if p.given[h] == nil {
				p.given[h] = make([][]matter, domains)
			}
			p.given[h][i] = append(p.given[h][i], m)
			p.mixed[h] = p.mixed[h] || h != m.category
		}
	}
}

// splitWeight is the weight of asking the assignments in one part more, where
// most domains have something for it. What a domain was asked for tells more
// than any general question.
const splitWeight = 30

// fill draws what the criteria of a category ask.
func (p *plan) fill(c shadow.Category) {
	if p.given[c] != nil && p.slots[c] > 0 {
		p.parts[c] = 1
		p.slots[c]--
		if c == shadow.Completeness {
			p.used[&nothingOpen] = true // the first part asks that too
		}
	}
	for ; p.slots[c] > 0; p.slots[c]-- {
		choice, ok := p.pick(c)
		if !ok {
			return
		}
		p.take(c, choice)
	}
}

// borrow fills what a category has no questions of its own for with those of
// others.
func (p *plan) borrow(c shadow.Category) {
	for ; p.slots[c] > 0; p.slots[c]-- {
		choice, ok := p.pick("")
		if !ok {
			p.asked = append(p.asked, ask{category: c, question: &length, least: 100 + 5*len(p.asked)})
			continue
		}
		p.take(c, choice)
	}
}

// pick draws a question of a category that is not asked yet, or nil for one
// part more of the assignments. The empty category is any.
func (p *plan) pick(c shadow.Category) (q *question, ok bool) {
	var choices []*question
	var weights []int
	total := 0
	add := func(q *question, w int) {
		choices, weights = append(choices, q), append(weights, w)
		total += w
	}
	for _, q := range questions {
		if !p.used[q] && (c == "" || q.category == c) && !(q.implied && p.covered(q.category)) {
			add(q, q.weight)
		}
	}
	if n := p.parts[c]; n > 0 {
		more, some := 0, 0
		for _, ms := range p.given[c] {
			if len(ms) > n {
				more++
			}
			if len(ms) > 0 {
				some++
			}
		}
		switch {
		case 2*more >= some:
			add(nil, splitWeight)
		case more > 0:
			add(nil, 1)
		}
	}
	if total == 0 {
		return nil, false
	}
	n := p.r.IntN(total)
	for i, w := range weights {
		if n -= w; n < 0 {
			return choices[i], true
		}
	}
	return nil, false
}

// covered tells whether every domain has something listed in a category.
func (p *plan) covered(c shadow.Category) bool {
	for _, ms := range p.given[c] {
		if len(ms) == 0 {
			return false
		}
	}
	return p.given[c] != nil
}

func (p *plan) take(c shadow.Category, q *question) {
	if q == nil {
		p.parts[c]++
		return
	}
	p.used[q] = true
	p.asked = append(p.asked, ask{category: c, question: q})
}

// figures is the form in which the arithmetic is asked.
func (p *plan) figures() *question {
	if !p.used[&summaryBacked] && p.r.IntN(2) == 0 {
		p.used[&summaryBacked] = true
		return &arithmeticAndSummary
	}
	return &arithmetic
}

// spread deals the matters of each category over its parts: each domain's in
// an order of its own, so that every part has as many of them as the others or
// one less.
func (p *plan) spread(own [][]string) {
	for _, c := range p.order {
		n := p.parts[c]
		if n == 0 {
			continue
		}
		parts := make([]ask, n)
		standIns := p.standIns(c)
		for k := range parts {
			parts[k] = ask{category: c, items: make([][]item, len(own)), own: own, mixed: p.mixed[c], parts: n, part: k + 1}
			if k < len(standIns) {
				parts[k].standIn = standIns[k]
			}
		}
		parts[0].finished = c == shadow.Completeness
		for i, ms := range p.given[c] {
			at := p.r.IntN(n)
			for _, m := range p.r.Perm(len(ms)) {
				parts[at].items[i] = append(parts[at].items[i], ms[m].items...)
				at = (at + 1) % n
			}
		}
		p.asked = append(p.asked, parts...)
	}
	p.numberMixed()
}

// numberMixed numbers the parts with items of several categories throughout,
// since they are worded alike whatever category they stand in.
func (p *plan) numberMixed() {
	var mixed []*ask
	for i := range p.asked {
		if p.asked[i].mixed {
			mixed = append(mixed, &p.asked[i])
		}
	}
	for i, a := range mixed {
		a.part, a.parts = i+1, len(mixed)
	}
}

// standIns lists the questions for domains that were given nothing of a
// category, in the order of the draw, without those that are asked anyway. The
// parts' assertion is about the category, so questions apart from it come last.
func (p *plan) standIns(c shadow.Category) []*question {
	var out []*question
	for _, q := range questions {
		if q.category == c && q.standIn && !p.used[q] {
			out = append(out, q)
		}
	}
	p.r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	slices.SortStableFunc(out, func(x, y *question) int {
		switch {
		case x.apart == y.apart:
			return 0
		case x.apart:
			return 1
		}
		return -1
	})
	return out
}

// length is asked when there is nothing else to ask: more criteria are wanted
// than so short a decomposition gives questions for.
var length = question{
	words:   []wording{{"The bundle has at least %d words.", "No less than %d words of content."}},
	check:   "text.words().size() < %d ? ['only ' + string(text.words().size()) + ' words'] : []",
	message: "what you handed in is too short, work it out",
}

func (a *ask) sized(s string) string {
	if a.least == 0 {
		return s
	}
	return fmt.Sprintf(s, a.least)
}
