package check

import (
	"strings"

	"github.com/kljensen/snowball/english"
)

// stem gives the stem of a lower-case word.
func stem(word string) string {
	if len(word) <= 3 || len(word) > maxStemmed {
		return word
	}
	return knownWord(word, hashOf(word)).stem
}

// maxStemmed is the length of a word in bytes from which on it is data.
const maxStemmed = 40

func stemOf(word string) string {
	if len(word) <= 3 || len(word) > maxStemmed {
		return word
	}
	for i := range len(word) {
		if isDigit(word[i]) {
			return word
		}
	}
	stem := english.Stem(american(word), false)
	if strings.HasSuffix(stem, "abil") || strings.HasSuffix(stem, "ibil") { // stability, stable
		stem = stem[:len(stem)-2] + "l"
	}
	return stem
}

// american respells the British endings that change a stem.
func american(w string) string {
	for _, s := range [...][2]string{{"isation", "ization"}, {"ising", "izing"}, {"ised", "ized"}, {"ise", "ize"}, {"iser", "izer"}} {
		if len(w) > len(s[0])+3 && strings.HasSuffix(w, s[0]) {
			return w[:len(w)-len(s[0])] + s[1]
		}
	}
	if i := strings.Index(w, "our"); i > 2 && len(w) > 5 && !strings.HasPrefix(w[i:], "ourc") {
		return w[:i] + "or" + w[i+3:]
	}
	return w
}

// compound gives the one word that two words in a row are a spelling of, as
// in "rolled back", or "".
func compound(a, b string) string {
	if a == "" || !secondHalves[b] || len(a)+len(b) > 14 {
		return ""
	}
	switch b {
	case "in", "out", "back", "up", "over", "down", "off", "again":
		a = stem(a)
	}
	if compounds[a+b] {
		return a + b
	}
	return ""
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isNumber(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
