package check

import (
	"fmt"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

const (
	maxMentions = 200 // words in one call
	maxMention  = 120 // bytes of a word
)

func (e *evaluation) mentions(args []ref.Val) (ref.Val, error) {
	t, err := e.text(args[0])
	if err != nil {
		return nil, err
	}
	words, err := listOfStrings(args[1])
	if err != nil {
		return nil, err
	}
	if n := len(words); n > maxMentions {
		return nil, fmt.Errorf("%w: %d words, at most %d are accepted", ErrLimit, n, maxMentions)
	}
	for _, w := range words {
		if len(w) > maxMention {
			return nil, fmt.Errorf("%w: a word is %d bytes long, at most %d are accepted", ErrLimit, len(w), maxMention)
		}
	}
	return types.Bool(t.Doc.Mentions(words...)), nil
}
