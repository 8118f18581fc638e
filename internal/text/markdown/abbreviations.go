package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// isAbbreviation tells whether the full stop behind text, the sentence so
// far, belongs to an abbreviation, an initial or a label ("1. First", "iv.
// first"). rest is what follows.
func isAbbreviation(text, rest string) bool {
	near := text[max(0, len(text)-14):] // a longer word is none
	before := " \t(\"'[/"
	if !fold.IsASCII(near) {
		before += "“‘"
	}
	w := near[strings.LastIndexAny(near, before)+1:]
	if text == w && (strings.Trim(w, "0123456789") == "" || strings.Trim(w, "ivx") == "" || len(w) == 1 && isAlnum(w[0])) {
		return true
	}
	if w == "" || w[len(w)-1] >= utf8.RuneSelf || !isAlnum(w[len(w)-1]) {
		return false
	}
	switch initial := len(w) == 1 && 'A' <= w[0] && w[0] <= 'Z'; {
	case initial, isDotted(w): // J. Doe, U.S. Army
		return alwaysShort[strings.ToLower(w)] || !beginsWithStarter(rest)
	case isDigit(w[len(w)-1]) || len(w) > len("approx"):
		return false
	}
	w = strings.ToLower(w)
	if r, _ := utf8.DecodeRuneInString(rest); w == "etc" && unicode.IsLower(r) {
		return true
	}
	return alwaysShort[w] || oftenShort[w] && !beginsWithStarter(rest) || countsShort[w] && isDigit(rest[0])
}

// isDotted tells whether w is letters with full stops between them: U.S, p.m
func isDotted(w string) bool {
	for i := range len(w) {
		if c := w[i] | 0x20; i%2 == 0 && (c < 'a' || c > 'z') || i%2 == 1 && w[i] != '.' {
			return false
		}
	}
	return len(w) >= 3
}

// beginsWithStarter tells whether text begins with a word that begins a
// sentence far more often than it goes on behind an abbreviation. The A of
// "J. A. Doe" does not.
func beginsWithStarter(text string) bool {
	n := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	if n < 0 {
		n = len(text)
	}
	return n <= len("although") && sentenceStarters[strings.ToLower(text[:n])] && !(n == 1 && strings.HasPrefix(text[1:], "."))
}

var (
	// alwaysShort never end a sentence.
	alwaysShort = fold.WordSet(`e.g i.e eg ie vs cf dr mr mrs ms mme prof hon rev capt lt sgt gov sen fig figs eq eqs viz resp incl excl esp
		z.b d.h u.a bzw vgl ggf inkl evtl p.ex p.ej dra sra`)
	// oftenShort end one if a starter follows.
	oftenShort = fold.WordSet(`approx inc ltd corp co dept vol st jr sr bros al est ave blvd ph.d b.sc m.sc`)
	// countsShort stand in front of a number.
	countsShort = fold.WordSet(`no nos nr p pp ch ln para jan feb mar apr jun jul aug sep sept oct nov dec`)

	sentenceStarters = fold.WordSet(`the a an this that these those it its it's we we're you he she they i in on at if when while for to from by with
		as but and or so then there here however our your his her their my no not each all some any every both after before once
		since although because what which who how why where let please use also finally first next thus hence instead otherwise`)
)
