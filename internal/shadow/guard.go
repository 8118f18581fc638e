package shadow

import (
	"strings"
	"unicode"
)

// guard knows the sealed words of an envelope and recognises them in a text
// that is about to leave shadowd.
type guard struct{ secrets []string }

// minSecret is the length in bytes from which a normalised sealed text counts
// as a secret; shorter ones ("yes", "401") turn up by chance.
const minSecret = 12

func newGuard(criteria []Criterion, decoyToken string) guard {
	var g guard
	for i := range criteria {
		for _, s := range []string{criteria[i].Assertion, criteria[i].Expected, criteria[i].Check} {
			if n := normalise(s); len(n) >= minSecret {
				g.secrets = append(g.secrets, n)
			}
		}
	}
	if decoyToken != "" {
		g.secrets = append(g.secrets, normalise(decoyToken))
	}
	return g
}

// leaks reports whether text holds a sealed text, whatever its case, spacing
// and punctuation.
func (g guard) leaks(text string) bool {
	n := normalise(text)
	for _, s := range g.secrets {
		if strings.Contains(n, s) {
			return true
		}
	}
	return false
}

// normalise keeps the letters and digits of a text, in lower case, with one
// space between words.
func normalise(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}
