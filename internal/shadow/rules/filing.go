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

// bears tells whether a requirement is about something that a domain was asked
// for: one of the texts of the domain has half of its words of four letters and
// more, and two of them at least. Endings do not count.
func bears(requirement map[string]bool, texts []map[string]bool) bool {
	return slices.ContainsFunc(texts, func(text map[string]bool) bool {
		shared := 0
		for w := range requirement {
			if text[w] {
				shared++
			}
		}
		return shared >= 2 && 2*shared >= len(requirement)
	})
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
