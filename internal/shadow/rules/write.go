package rules

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// criterion writes out what is asked, in one of its wordings. The ids are those
// of numbered.
func (a *ask) criterion(d *shadow.Decomposition, ids map[string][]string, r *rand.Rand) shadow.Criterion {
	c := shadow.Criterion{Category: a.category, Material: make(map[string]shadow.Material, len(d.Domains))}
	if q := a.question; q != nil {
		w := q.words[r.IntN(len(q.words))]
		c.Assertion, c.Expected, c.Check = a.sized(w.assertion), a.sized(w.expected), withText(a.sized(q.check))
		for i := range d.Domains {
			c.Material[d.Domains[i].Domain] = q.material(d, &d.Domains[i])
		}
		return c
	}
	w := partWords[a.category]
	if w == nil || a.mixed {
		w = mixedWords
	}
	one := w[r.IntN(len(w))]
	c.Assertion, c.Expected = a.labelled(one.assertion), one.expected
	if a.finished {
		c.Assertion = strings.TrimSuffix(c.Assertion, ".") + ", and nothing in the bundle is left to be filled in."
		c.Expected += " No mark or bracket stands where content belongs."
	}
	if a.figures != nil {
		c.Assertion = strings.TrimSuffix(c.Assertion, ".") + ", and the stated figures are right."
	}
	sh := a.shape()
	c.Check = a.check(sh)
	for i := range d.Domains {
		c.Material[d.Domains[i].Domain] = a.material(d, i, sh)
	}
	c.Requirements = a.requirements(ids)
	return c
}

// requirements are the ids of the requirements that a part asks any domain
// for, sorted. They link it to what other authors make of them; what a part
// expects has no one form that could be compared, since it is about several.
func (a *ask) requirements(ids map[string][]string) []string {
	var out []string
	for _, items := range a.items {
		for i := range items {
			out = append(out, ids[strings.ToLower(items[i].phrase)]...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// material is what a question asks a domain for.
func (q *question) material(d *shadow.Decomposition, dom *shadow.Domain) shadow.Material {
	m := shadow.Material{Message: dom.Domain + ": " + q.message, Messages: map[string]string{thin: thinMessage}}
	switch {
	case !q.absence: // what it wants says more
		m.Messages[thin] = m.Message
	case q.empty != "":
		m.Messages[thin] = q.empty
	}
	if q.terms {
		m.Data = map[string]any{"terms": termsOf(d, dom)}
	}
	return m
}

// maxTerms bounds the words of an assignment that are looked for.
const maxTerms = 12

// termsOf returns the words that say what a domain is about, with stars for
// their endings: first those that come back in its assignment, then the others
// in their order.
func termsOf(d *shadow.Decomposition, dom *shadow.Domain) []any {
	lex, count := lexicon{}, map[string]int{}
	var words []string
	texts := slices.Concat([]string{dom.TaskBrief, d.Task}, dom.Deliverables[:min(len(dom.Deliverables), 10)], dom.SubTasks[:min(len(dom.SubTasks), 20)])
	for _, s := range texts {
		for _, w := range lex.content(wordsOf(clip(s, 1000))) {
			if strings.IndexFunc(w, unicode.IsLetter) < 0 || len(w) < 4 || len(w) >= 100 {
				continue
			}
			if count[w]++; count[w] == 1 {
				words = append(words, w)
			}
		}
	}
	slices.SortStableFunc(words, func(x, y string) int { return min(count[y], 3) - min(count[x], 3) })
	terms := []any{}
	for _, w := range words[:min(len(words), maxTerms)] {
		terms = append(terms, "*"+strings.TrimRight(w, "eiy")+"*")
	}
	return terms
}
