package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// Words lists the words of all lines, code included. A word is a run of
// letters and digits; an apostrophe, hyphen, underscore, full stop or comma
// between two of them belongs to it, the comma only between digits. A Chinese
// or Japanese character is a word, as in UAX #29.
func (t *Doc) Words() []string {
	out := make([]string, 0, len(t.Source)/6)
	for i := range t.Lines {
		s := t.Lines[i].Text
		for at := 0; ; {
			from, to := nextWord(s, at)
			if from == to {
				break
			}
			out = append(out, s[from:to])
			at = to
		}
	}
	return out
}

// nextWord finds the first word of s at or behind offset at; from == to means
// that there is none.
func nextWord(s string, at int) (from, to int) {
	for at < len(s) {
		if c := s[at]; c < utf8.RuneSelf {
			if isAlnum(c) {
				break
			}
			at++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[at:])
		if isIdeograph(r) {
			return at, at + n
		}
		if isWordRune(r) {
			break
		}
		at += n
	}
	from = at
	for at < len(s) {
		if isAlnum(s[at]) {
			at++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[at:])
		if isIdeograph(r) {
			break
		}
		if isWordRune(r) || unicode.Is(unicode.M, r) {
			at += n
			continue
		}
		if r == ' ' || r != '\'' && r != '’' && r != '-' && r != '_' && r != '.' && r != ',' || at == from {
			break
		}
		next, _ := utf8.DecodeRuneInString(s[at+n:])
		if !isWordRune(next) || isIdeograph(next) || r == ',' && !(isDigit(s[at-1]) && isDigit(s[at+n])) {
			break
		}
		at += n
	}
	return from, at
}

// Occurrences counts a word or phrase in the lines of the text: whole words,
// in any case. What has no letter or digit is counted in the source as it is.
func (t *Doc) Occurrences(word string) int {
	word = strings.Join(strings.Fields(fold.Case(word)), " ")
	if word == "" {
		return 0
	}
	if strings.IndexFunc(word, isWordRune) < 0 {
		return strings.Count(t.Source, word)
	}
	n := 0
	for i := range t.Lines {
		n += countWord(fold.Case(t.Lines[i].Text), word, true, true)
	}
	return n
}

// countWord counts word in s: where it is to begin or to end with a word, no
// letter, digit or underscore stands beside it there.
func countWord(s, word string, begins, ends bool) int {
	n := 0
	_, size := utf8.DecodeRuneInString(word)
	first, last := firstRune(word), lastRune(word)
	for at := 0; ; {
		j := strings.Index(s[at:], word)
		if j < 0 {
			return n
		}
		from, to := at+j, at+j+len(word)
		if at = to; begins && joins(lastRune(s[:from]), first) || ends && joins(last, firstRune(s[to:])) {
			at = from + size // the next hit may overlap
			continue
		}
		n++
	}
}

// Count tells how often characters stand in the source, inside words too, in
// any case. Letters with marks count as one, however they are encoded.
func (t *Doc) Count(part string) int {
	if part == "" {
		return 0
	}
	return strings.Count(fold.Case(t.Source), fold.Case(part))
}

// Mentions tells whether one of some words stands in the source of the text,
// in any case. A word matches as a whole; a star at its beginning or end says
// that more may stand there: "fail*" is failed and failure.
func (t *Doc) Mentions(words ...string) bool {
	source := fold.Case(t.Source)
	return slices.ContainsFunc(words, func(w string) bool {
		bare := fold.Case(strings.Trim(w, "*"))
		return bare != "" && countWord(source, bare, !strings.HasPrefix(w, "*"), !strings.HasSuffix(w, "*")) > 0
	})
}

// joins tells whether a word goes on from one character to the next. In
// scripts that put no spaces between words it may end anywhere.
func joins(a, b rune) bool { return inWord(a) && inWord(b) && !isSpaceless(a) && !isSpaceless(b) }

func inWord(r rune) bool { return isWordRune(r) || r == '_' || unicode.Is(unicode.M, r) }
