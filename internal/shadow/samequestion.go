package shadow

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// SameAs reports whether two criteria ask the same: by the same check of the
// same material, in the same words, or in nearly the same words.
func (c *Criterion) SameAs(o *Criterion) bool {
	if c.Check != "" && spaced(c.Check) == spaced(o.Check) && sameMaterial(c, o) {
		return true
	}
	return SameWords(c.Assertion, o.Assertion) || nearlySame(normalise(c.Assertion), normalise(o.Assertion))
}

// SameWords reports whether two assertions differ in nothing but case, spaces
// and punctuation.
func SameWords(a, b string) bool { return normalise(a) == normalise(b) }

// sameMaterial compares what the checks read, and not the messages.
func sameMaterial(a, b *Criterion) bool {
	return maps.EqualFunc(a.Material, b.Material, func(x, y Material) bool {
		if len(x.Data) == 0 && len(y.Data) == 0 {
			return true
		}
		p, err1 := json.Marshal(x.Data)
		q, err2 := json.Marshal(y.Data)
		return err1 == nil && err2 == nil && string(p) == string(q)
	})
}

// nearlySame reports whether two normalised sentences share four of five of
// their words and everything that turns a meaning round: figures, negations
// and the words of limits.
func nearlySame(a, b string) bool {
	x, turnX := wordsOf(a)
	y, turnY := wordsOf(b)
	if !maps.Equal(turnX, turnY) || len(x) < 3 || len(y) < 3 {
		return false
	}
	shared := 0
	for w := range x {
		if y[w] {
			shared++
		}
	}
	return 5*shared >= 4*(len(x)+len(y)-shared)
}

var decisiveWords = strings.Fields("not no never without none nothing neither nor cannot except least most more less fewer minimum maximum exactly only before after above below under over one two three four five six seven eight nine ten twelve")

// wordsOf parts the words of a normalised sentence into those it is about and
// those that turn its meaning. A final s is dropped: it is a plural or a verb.
func wordsOf(sentence string) (about, turning map[string]bool) {
	about, turning = map[string]bool{}, map[string]bool{}
	for w := range strings.FieldsSeq(sentence) {
		switch {
		case slices.Contains(decisiveWords, w) || strings.ContainsFunc(w, unicode.IsDigit):
			turning[w] = true
		case !fold.Stop(w):
			about[strings.TrimSuffix(w, "s")] = true
		}
	}
	return about, turning
}

// normalise keeps the words of a text, with one space between them.
func normalise(s string) string { return strings.Join(fold.Words(s), " ") }
