package check

import (
	"iter"
	"strings"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// A text says more than its assignment if a quarter of its different words are
// its own and four at least, or half of them and two at least. Texts that repeat
// their assignment with words such as done or completed before each item have a
// tenth. With enoughNew words of its own the rest is not looked at.
const enoughNew = 30

// addsTo tells whether a text says more than some phrases do. Endings do not
// count: words that begin with the same letters are one.
func addsTo(text string, phrases []string) bool {
	seen := make(map[string]bool, 8*len(phrases)) // in the phrases alone: false
	for _, p := range phrases {
		for w := range longer(p) {
			seen[w] = false
		}
	}
	own, all := 0, 0
	for line := range strings.Lines(text) {
		for w := range longer(line) {
			before, known := seen[w]
			if before {
				continue
			}
			seen[w] = true
			if all++; !known {
				own++
			}
		}
		if own >= enoughNew {
			return true
		}
	}
	return own >= 4 && own*4 >= all || own >= 2 && own*2 >= all
}

// longer gives the first five letters of the words and numbers of a text, but for
// its short words in Latin letters. In other scripts a word may be of one letter.
func longer(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range fold.EachWord(text) {
			if short := len(w) < 4 && 'a' <= w[0] && w[0] <= 'z'; !short && !yield(fold.Beginning(w, 5)) {
				return
			}
		}
	}
}
