package check

import (
	"errors"
	"fmt"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
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
	list, ok := args[1].(traits.Lister)
	if !ok {
		return nil, errors.New("the argument is not a list")
	}
	n := int(list.Size().(types.Int))
	if n > maxMentions {
		return nil, fmt.Errorf("%w: %d words, at most %d are accepted", ErrLimit, n, maxMentions)
	}
	for i := range n {
		w, ok := list.Get(types.Int(i)).(types.String)
		switch {
		case !ok:
			return nil, fmt.Errorf("element %d of the list is not a string", i)
		case len(w) > maxMention:
			return nil, fmt.Errorf("%w: a word is %d bytes long, at most %d are accepted", ErrLimit, len(w), maxMention)
		case t.Doc.Mentions(string(w)):
			return types.True, nil
		}
	}
	return types.False, nil
}
