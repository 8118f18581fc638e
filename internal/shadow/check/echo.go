package check

import (
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
		for w := range fold.EachWord(p) {
			if w = stem(w); w != "" {
				seen[w] = false
			}
		}
	}
	own, all := 0, 0
	for line := range strings.Lines(text) {
		for w := range fold.EachWord(line) {
			if w = stem(w); w == "" {
				continue
			}
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

// stem gives the first five letters of a word or number, and "" for a short word in Latin
// letters. In other scripts a word may be of one letter.
func stem(word string) string {
	if len(word) < 4 && 'a' <= word[0] && word[0] <= 'z' {
		return ""
	}
	return fold.Beginning(word, 5)
}
