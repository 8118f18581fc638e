package rules

import (
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// matter is one thing that a domain is to deal with: the items that ask for
// it, most often one. A sub-task and the deliverable that comes out of it are
// one matter, so that what is missing once fails one criterion.
type matter struct {
	category shadow.Category
	items    []item
}

// assignment is what one domain was asked for.
type assignment []matter

// assignments reads what each domain was asked for, in the order of d.Domains.
func assignments(d *shadow.Decomposition, security bool, lex lexicon) []assignment {
	out := make([]assignment, len(d.Domains))
	requirements := requirementsOf(d, lex)
	all := newFinder(maxBearing)
	var at []place // of each phrase in all
	have := make([]map[string]bool, len(d.Domains))
	for i := range d.Domains {
		dom := &d.Domains[i]
		b := newBuilder(security, len(dom.SubTasks)+len(dom.Deliverables)+len(dom.Constraints))
		for _, s := range dom.SubTasks {
			b.add(lex, subTask, s)
		}
		for _, s := range dom.Deliverables {
			b.add(lex, deliverable, s)
		}
		for _, s := range dom.Constraints {
			b.add(lex, constraint, s)
		}
		out[i], have[i] = b.matters, b.have
		if len(requirements) == 0 {
			continue
		}
		for m := range b.matters {
			for k := range b.matters[m].items {
				all.add(len(at), b.matters[m].items[k].words)
				at = append(at, place{i, m})
			}
		}
		if len(b.matters) == 0 { // the brief is all there is
			all.add(len(at), lex.content(wordsOf(dom.TaskBrief)))
			at = append(at, place{i, -1})
		}
	}
	for _, r := range requirements {
		for _, p := range bearing(r, len(out), all, at) {
			if key := strings.ToLower(r.phrase); have[p.domain][key] {
				continue
			} else {
				have[p.domain][key] = true
			}
			a := out[p.domain]
			if p.matter < 0 {
				out[p.domain] = append(a, matter{classify(wordsOf(r.phrase), security), []item{r}})
				continue
			}
			a[p.matter].items = append(a[p.matter].items, r)
		}
	}
	return out
}

type place struct{ domain, matter int }

// bearing returns the matters that a requirement bears on, one of a domain at
// most; -1 stands for a matter of its own. A requirement binds the run as a
// whole; a domain answers for it only if it was asked for something that the
// requirement is about, or if there is no other domain.
func bearing(r item, domains int, all *finder, at []place) []place {
	best := map[int]int{} // words shared, by domain
	var out []place
	all.each(r.words, func(n, shared int) {
		if shared < 3 || float64(shared) < bearsOn*float64(len(r.words)) {
			return
		}
		p := at[n]
		switch most, ok := best[p.domain]; {
		case !ok:
			out = append(out, p)
		case shared > most:
			i := slices.IndexFunc(out, func(q place) bool { return q.domain == p.domain })
			out[i] = p
		default:
			return
		}
		best[p.domain] = shared
	})
	if len(out) == 0 && domains == 1 {
		return []place{{0, -1}}
	}
	return out
}

// builder gathers the matters of one domain.
type builder struct {
	matters  assignment
	security bool
	have     map[string]bool // phrases, in lower case
	finder   *finder
	of       []int // matter of each phrase in finder
}

func newBuilder(security bool, items int) *builder {
	return &builder{security: security, have: make(map[string]bool, items), finder: newFinder(maxAlike)}
}

func (b *builder) add(lex lexicon, k kind, text string) {
	for _, p := range phrasesOf(text) {
		if key := strings.ToLower(p); b.have[key] {
			continue
		} else {
			b.have[key] = true
		}
		words := wordsOf(p)
		it := item{kind: k, phrase: p, words: lex.content(words)}
		c := classify(words, b.security)
		switch k {
		case deliverable:
			if c != shadow.Security {
				c = shadow.Completeness
			}
		case constraint:
			var asked bool
			if it.limit, asked = limitOf(p); it.limit {
				c = shadow.EdgeCase
			} else if !asked || !askable(p, words) {
				continue
			}
		}
		b.place(it, c)
	}
}

// place puts an item to the matter that it is about, or makes one for it.
// Sub-tasks are told apart by their domain, and figures stand alone.
func (b *builder) place(it item, c shadow.Category) {
	m := -1
	if it.kind != subTask && !it.limit {
		if n, share, shared := b.finder.best(it.words); share >= alike && shared >= 2 {
			m = b.of[n]
		}
	}
	if m < 0 {
		m = len(b.matters)
		b.matters = append(b.matters, matter{category: c})
	}
	b.matters[m].items = append(b.matters[m].items, it)
	if !it.limit {
		b.finder.add(len(b.of), it.words)
		b.of = append(b.of, m)
	}
}

// askable tells whether a bundle that keeps a constraint without a figure has
// to say so: only if it names a thing and forbids nothing. "Must not break the
// API" is kept in silence.
func askable(constraint string, words []string) bool {
	if !named(constraint) {
		return false
	}
	for _, w := range words {
		switch w {
		case "no", "not", "never", "without", "none", "avoid", "unchanged", "don", "cannot", "keep", "only", "nothing":
			return false
		}
	}
	return true
}
