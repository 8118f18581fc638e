package rules

import (
	"slices"

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

// assignments reads what each domain was asked for, in the order of d.Domains,
// and by which words a text in the language of the items is known.
func assignments(d *shadow.Decomposition, security bool, lex lexicon) (all []assignment, own [][]string) {
	lang := tongueOf(d)
	builders := make([]*builder, len(d.Domains))
	for i := range d.Domains {
		builders[i] = newBuilder(d, &d.Domains[i], security, lang, lex)
	}
	if requirements := requirementsOf(d, lex); len(requirements) > 0 {
		phrases, at := findable(builders)
		router := newRouter(builders)
		for _, r := range requirements {
			places := bearing(r, len(builders), phrases, at)
			for _, p := range places {
				builders[p.domain].bind(r, p.matter)
			}
			if len(places) == 0 && r.kind == requirement {
				if i := router.domain(&r); i >= 0 {
					r.doubted = true
					builders[i].bind(r, -1)
				}
			}
		}
	}
	for _, b := range builders {
		b.trace(d)
		all, own = append(all, b.matters), append(own, b.ownWords(d))
	}
	return all, own
}

// findable makes everything that the domains were asked for findable.
func findable(builders []*builder) (all *finder, at []place) {
	all = newFinder(maxBearing)
	for i, b := range builders {
		for m := range b.matters {
			for k := range b.matters[m].items {
				all.add(len(at), b.matters[m].items[k].words)
				at = append(at, place{i, m})
			}
		}
		if brief := b.lex.content(wordsOf(clip(b.dom.TaskBrief, maxBrief))); len(brief) > 0 {
			all.add(len(at), brief)
			at = append(at, place{i, -1})
		}
	}
	return all, at
}

// maxBrief is how many characters of a brief are read for what bears on it.
const maxBrief = 2000

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
	if len(out) == 0 && domains == 1 && r.kind != name {
		return []place{{0, -1}}
	}
	return out
}
