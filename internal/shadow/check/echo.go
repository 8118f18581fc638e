package check

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// A text says more than its assignment if a quarter of its different words are
// its own and four at least, or half of them and two at least. Texts that repeat
// their assignment with words such as done or completed before each item have a
// tenth. With enoughNew words of its own the rest is not looked at.
const enoughNew = 30

// addsTo tells whether a text says more than some phrases do. Endings do not
// count: words that begin with the same letters are one.
func addsTo(text string, phrases []string) bool {
	seen := make(map[string]bool, 128)
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
	from, end, n := -1, 0, 0 // of the word in hand: where it begins, its first five characters, how many it has
	goesOn := func(at int) bool {
		word := from >= 0 && (at-from >= 4 || end-from > n || '0' <= s[from] && s[from] <= '9')
		return !word || yield(strings.ToLower(s[from:end]))
	}
	for i, r := range s {
		ascii := r < utf8.RuneSelf
		if ascii && ('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9') || !ascii && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			if from < 0 {
				from, n = i, 0
			}
			if n++; n <= 5 {
				end = i + utf8.RuneLen(r)
			}
			continue
		}
		if !goesOn(i) {
			return
		}
		from = -1
	}
	goesOn(len(s))
}

func (e *evaluation) addsTo(args []ref.Val) (ref.Val, error) {
	s, ok := args[0].(types.String)
	if !ok {
		return nil, errNotStrings
	}
	phrases, err := listOfStrings(args[1])
	return types.Bool(addsTo(string(s), phrases)), err
}
