package rules

import (
	"regexp"
	"strings"
	"unicode"
)

// SaysNothing tells whether a sub-task, deliverable or constraint says too
// little for a bundle to be held to it: "ok", "TODO", an address alone. It is
// left out, since its words would be missed in good work, or found in any.
func SaysNothing(text string) bool {
	for _, p := range phrasesOf(text) {
		if !idle(p) {
			return false
		}
	}
	return strings.TrimSpace(text) != ""
}

// idle tells the same of one phrase.
func idle(phrase string) bool {
	urls := true
	for _, w := range strings.Fields(phrase) {
		urls = urls && (strings.HasPrefix(w, "http://") || strings.HasPrefix(w, "https://"))
	}
	if urls {
		return true
	}
	words := wordsOf(phrase)
	if len(words) == 1 && len(words[0]) <= 2 && strings.ToUpper(phrase) != phrase && isASCII(words[0]) {
		return true // an acronym of two letters is a name
	}
	for _, w := range words {
		if !fillers[w] {
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

var fillers = set("a an the and or do it this that ok okay yes no n na none nil null nothing done fine todo tbd tba fixme wip misc various etc")

// fileNames is a list of file names and nothing else.
var fileNames = regexp.MustCompile(`^\S*\w\.[A-Za-z0-9]{1,5}(?:\s*[;,]\s*\S*\w\.[A-Za-z0-9]{1,5})+$`)

// listed splits a phrase that is a list of file names: each of them is asked
// for by itself.
func listed(phrase string) []string {
	if len(phrase) > plainPhrase || !fileNames.MatchString(phrase) {
		return []string{phrase}
	}
	return strings.FieldsFunc(phrase, func(r rune) bool { return r == ';' || r == ',' || unicode.IsSpace(r) })
}
