package check

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Count tells how often characters stand in the source, inside words too, in
// any case. Letters with marks count as one, however they are encoded.
func (t *Text) Count(part string) int {
	if part == "" {
		return 0
	}
	return strings.Count(t.fold(), fold(part))
}

// fold gives the source in small letters and in Unicode's composed form.
func (t *Text) fold() string {
	if isASCII(t.Source) {
		return t.lower()
	}
	t.folding.Do(func() { t.folded = fold(t.Source) })
	return t.folded
}

func fold(s string) string {
	if isASCII(s) {
		return lowerASCII(s)
	}
	return norm.NFC.String(strings.ToLower(s))
}

// joins tells whether a word goes on from one character to the next. In
// scripts that put no spaces between words it may end anywhere.
func joins(a, b rune) bool { return inWord(a) && inWord(b) && !isSpaceless(a) && !isSpaceless(b) }

func inWord(r rune) bool { return isWordRune(r) || r == '_' || unicode.Is(unicode.M, r) }

func isSpaceless(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// isIdeograph tells whether a character counts as a word, as in UAX #29.
func isIdeograph(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana)
}
