package check

import (
	"strings"
	"unicode"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

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
	seen := map[string]bool{}
	for _, p := range phrases {
		eachBeginning(p, func(w string) bool { seen[w] = false; return true })
	}
	own, all := 0, 0
	eachBeginning(text, func(w string) bool {
		before, known := seen[w]
		if seen[w] = true; !before {
			all++
		}
		if !known {
			own++
		}
		return own < enoughNew
	})
	return own >= enoughNew || own >= 4 && own*4 >= all || own >= 2 && own*2 >= all
}

// eachBeginning calls yield with the first letters of the longer words and of
// the numbers of a text in lower case, until it says no.
func eachBeginning(s string, yield func(string) bool) {
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) < 4 && fold.IsASCII(w) && !unicode.IsDigit(rune(w[0])) {
			continue
		}
		if end, n := 0, 0; len(w) > 5 {
			for end = range w {
				if n++; n > 5 {
					w = w[:end]
					break
				}
			}
		}
		if !yield(strings.ToLower(w)) {
			return
		}
	}
}

func (e *evaluation) addsTo(args []ref.Val) (ref.Val, error) {
	s, ok := args[0].(types.String)
	if !ok {
		return nil, errNotStrings
	}
	phrases, err := listOfStrings(args[1])
	return types.Bool(addsTo(string(s), phrases)), err
}
