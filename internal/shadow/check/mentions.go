package check

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

const (
	maxMentions = 200 // words in one call
	maxMention  = 120 // bytes of a word
)

// Mentions tells whether one of some words stands in the source of the text,
// in any case. A word matches as a whole; a star at its beginning or end says
// that more may stand there: "fail*" is failed and failure. It is what a
// regular expression (?i)\b(fail|error\b|…) would say, at a fraction of its
// cost.
func (t *Text) Mentions(words ...string) bool {
	for _, w := range words {
		if t.mentions(w) {
			return true
		}
	}
	return false
}

func (t *Text) mentions(word string) bool {
	bare := strings.TrimPrefix(word, "*")
	begins := bare == word
	bare, ends := strings.TrimSuffix(bare, "*"), !strings.HasSuffix(bare, "*")
	s, bare := t.fold(), fold(bare)
	if bare == "" {
		return false
	}
	first, size := utf8.DecodeRuneInString(bare)
	last, _ := utf8.DecodeLastRuneInString(bare)
	for at := 0; ; {
		i := strings.Index(s[at:], bare)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(bare)
		before, _ := utf8.DecodeLastRuneInString(s[:from])
		after, _ := utf8.DecodeRuneInString(s[to:])
		if !(begins && joins(before, first)) && !(ends && joins(last, after)) {
			return true
		}
		at = from + size
	}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// lower gives the source with A to Z in lower case, which keeps all offsets.
func (t *Text) lower() string {
	t.lowering.Do(func() { t.low = lowerASCII(t.Source) })
	return t.low
}

// lowerASCII puts A to Z in lower case.
func lowerASCII(s string) string {
	i := upperIn(s)
	if i < 0 {
		return s
	}
	var b strings.Builder
	var buf [256]byte
	b.Grow(len(s))
	b.WriteString(s[:i])
	for s = s[i:]; s != ""; {
		n := copy(buf[:], s)
		for k, c := range buf[:n] {
			if 'A' <= c && c <= 'Z' {
				buf[k] = c + 'a' - 'A'
			}
		}
		b.Write(buf[:n])
		s = s[n:]
	}
	return b.String()
}

func upperIn(s string) int {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return i
		}
	}
	return -1
}

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
		case t.mentions(string(w)):
			return types.True, nil
		}
	}
	return types.False, nil
}
