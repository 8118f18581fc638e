package rules

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// categoryOf files an item by its grammar.
func categoryOf(it shadow.Item) shadow.Category {
	words := fold.Words(it.Text)
	switch {
	case it.Kind == shadow.Deliverable:
		return shadow.Completeness
	case opensWith(words, failureVerbs, 1), conditionOf(words, failures):
		return shadow.ErrorHandling
	case it.Kind == shadow.Constraint, conditionOf(words, nil):
		return shadow.EdgeCase
	}
	return shadow.HappyPath
}

// opensWith tells whether one of the first words of an item begins with one of
// some stems.
func opensWith(words, stems []string, most int) bool {
	return slices.ContainsFunc(words[:min(most, len(words))], func(w string) bool { return begins(w, stems) })
}

// conditionOf tells whether an item has a clause of condition, and in it a word
// that begins with one of some stems; nil asks for the clause alone.
func conditionOf(words, stems []string) bool {
	at := slices.IndexFunc(words, func(w string) bool { return slices.Contains(conditions, w) })
	if at < 0 {
		return false
	}
	return stems == nil || slices.ContainsFunc(words[at:], func(w string) bool { return begins(w, stems) })
}

func begins(word string, stems []string) bool {
	return slices.ContainsFunc(stems, func(s string) bool { return strings.HasPrefix(word, s) })
}

var (
	// conditions open a clause that says when something holds.
	conditions = strings.Fields("if when whenever unless while until")
	// failureVerbs are stems of verbs whose object is a failure, or what is
	// refused.
	failureVerbs = strings.Fields("reject refus recover retr degrad abort escalat catch")
	// failures are stems of words for what goes wrong in a condition.
	failures = strings.Fields("fail error timeout unavailab invalid malform missing lost crash outage down expire exhaust corrupt conflict duplicat unreach denied reject")
)

// requirements are those of a decomposition, read once for all domains.
type requirements struct {
	categories []shadow.Category
	sizes      []int            // how many words each has that count
	with       map[string][]int // by word: the requirements that have it
}

func requirementsOf(d *shadow.Decomposition) *requirements {
	r := &requirements{with: map[string][]int{}}
	for k, req := range d.Requirements {
		words := matterOf(req.Text)
		for w := range words {
			r.with[w] = append(r.with[w], k)
		}
		r.sizes = append(r.sizes, len(words))
		r.categories = append(r.categories, categoryOf(shadow.Item{ItemRef: shadow.ItemRef{Kind: shadow.RequirementItem}, Text: req.Text}))
	}
	return r
}

// borneBy lists the requirements that are about something that a domain was
// asked for: one of the texts of the domain has half of their words of four
// letters and more, and two of them at least. Endings do not count.
func (r *requirements) borneBy(texts []string) (list []int) {
	bear, shared := make([]bool, len(r.sizes)), make([]int, len(r.sizes))
	for _, text := range texts {
		clear(shared)
		for w := range matterOf(text) {
			for _, k := range r.with[w] {
				shared[k]++
			}
		}
		for k, n := range shared {
			bear[k] = bear[k] || n >= 2 && 2*n >= r.sizes[k]
		}
	}
	for k, is := range bear {
		if is {
			list = append(list, k)
		}
	}
	return list
}

// matterOf gives the beginnings of the longer words of a text.
func matterOf(text string) map[string]bool {
	m := map[string]bool{}
	for _, w := range fold.Words(text) {
		if utf8.RuneCountInString(w) >= 4 && !fold.Stop(w) {
			m[fold.Beginning(w, 5)] = true
		}
	}
	return m
}
