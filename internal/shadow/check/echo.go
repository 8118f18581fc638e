package check

import (
	"strings"
	"unicode"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// A text says more than its assignment if leastNew of its different words are
// its own, and leastNewWords of them at least. Texts that repeat their
// assignment with words such as done or completed before each item have a
// tenth; the shortest real ones have a half. With enoughNew words of its own
// the rest is not looked at.
const (
	leastNew      = 0.25
	leastNewWords = 4
	enoughNew     = 30
)

// addsTo tells whether a text says more than some phrases do. Endings do not
// count: words that begin with the same letters are one.
func addsTo(text string, phrases []string) bool {
	known := map[string]bool{}
	for _, p := range phrases {
		eachBeginning(p, func(w string) bool { known[w] = true; return true })
	}
	seen := map[string]bool{}
	own := 0
	eachBeginning(text, func(w string) bool {
		if !seen[w] {
			if seen[w] = true; !known[w] {
				own++
			}
		}
		return own < enoughNew
	})
	return own >= enoughNew || own >= leastNewWords && float64(own) >= leastNew*float64(len(seen))
}

// eachBeginning calls yield with the first letters of the longer words of a
// text in lower case, until it says no.
func eachBeginning(s string, yield func(string) bool) {
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		r := []rune(strings.ToLower(w))
		if n := len(r); n >= 4 || n >= 2 && !fold.IsASCII(w) {
			if !yield(string(r[:min(n, 5)])) {
				return
			}
		}
	}
}

func (e *evaluation) addsTo(args []ref.Val) (ref.Val, error) {
	s, ok := args[0].(types.String)
	list, ok2 := args[1].(traits.Lister)
	if !ok || !ok2 {
		return nil, errNotStrings
	}
	phrases, err := stringsOf(list)
	if err != nil {
		return nil, err
	}
	return types.Bool(addsTo(string(s), phrases)), nil
}
