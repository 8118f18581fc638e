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
		s, from := t.Lines[i].Text, -1 // where the word in hand begins
		end := func(at int) {
			if from >= 0 {
				out, from = append(out, s[from:at]), -1
			}
		}
		for at, r := range s {
			switch {
			case isIdeograph(r):
				end(at)
				out = append(out, string(r))
			case isWordRune(r):
				if from < 0 {
					from = at
				}
			case from < 0 || !unicode.Is(unicode.M, r) && !isJoint(s, at, r):
				end(at)
			}
		}
		end(len(s))
	}
	return out
}

// isJoint tells whether r, at offset at of s behind a word, joins it to what
// follows.
func isJoint(s string, at int, r rune) bool {
	if !strings.ContainsRune("'’-_.,", r) {
		return false
	}
	next := firstRune(s[at+utf8.RuneLen(r):])
	return isWordRune(next) && !isIdeograph(next) && (r != ',' || isDigit(s[at-1]) && '0' <= next && next <= '9')
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
func joins(a, b rune) bool { return inWord(a) && inWord(b) && !fold.Unspaced(a) && !fold.Unspaced(b) }

func inWord(r rune) bool { return isWordRune(r) || r == '_' || unicode.Is(unicode.M, r) }
