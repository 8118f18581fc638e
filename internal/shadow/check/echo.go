package check

import (
	"strings"
	"unicode"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// leastNew is the share of a text's different words that have to be its own,
// and leastNewWords how many it takes at least. Texts that repeat their
// assignment with words such as done or completed before each item have a
// tenth; the shortest real ones have a half.
const (
	leastNew      = 0.25
	leastNewWords = 4
)

// addsTo tells whether a text says more than some phrases do: enough of its
// different words stand in none of them. Endings do not count.
func addsTo(text string, phrases []string) bool {
	known := map[string]bool{}
	for _, p := range phrases {
		for w := range beginnings(p) {
			known[w] = true
		}
	}
	all, own := 0, 0
	for w := range beginnings(text) {
		if all++; !known[w] {
			own++
		}
	}
	return own >= leastNewWords && float64(own) >= leastNew*float64(all)
}

// beginnings gives the first letters of the longer words of a text.
func beginnings(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		r := []rune(w)
		if n := len(r); n >= 4 || n >= 2 && !fold.IsASCII(w) {
			m[string(r[:min(n, 5)])] = true
		}
	}
	return m
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
