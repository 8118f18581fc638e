package check

import (
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// maxQuote is how many characters of a passage evidence quotes.
const maxQuote = 100

func (e *evaluation) read(v, phrase ref.Val, also []string) (Reading, error) {
	t, err := e.text(v)
	if err != nil {
		return Reading{}, err
	}
	p, ok := phrase.(types.String)
	if !ok {
		return Reading{}, fmt.Errorf("a phrase is of type %s: want a string", phrase.Type())
	}
	if strings.TrimSpace(string(p)) == "" {
		return Reading{}, errors.New("a phrase is empty")
	}
	if len(p) > MaxPhrase {
		return Reading{}, fmt.Errorf("%w: a phrase is %d bytes long, at most %d are accepted", ErrLimit, len(p), MaxPhrase)
	}
	r := t.Reads(string(p), also...)
	if r.Verdict == Unsure {
		e.note(r)
	}
	return r, nil
}

func (e *evaluation) reads(args []ref.Val) (ref.Val, error) {
	r, err := e.read(args[0], args[1], nil)
	return types.String(r.Verdict), err
}

func (e *evaluation) addresses(args []ref.Val) (ref.Val, error) {
	r, err := e.read(args[0], args[1], nil)
	return types.Bool(r.Verdict == Found), err
}

func (e *evaluation) missing(args []ref.Val) (ref.Val, error) {
	list, ok := args[1].(traits.Lister)
	if !ok {
		return nil, errors.New("the argument is not a list")
	}
	n := int(list.Size().(types.Int))
	if n > MaxPhrases {
		return nil, fmt.Errorf("%w: %d phrases, at most %d are accepted in one call", ErrLimit, n, MaxPhrases)
	}
	out := []string{}
	for i := range n {
		phrase, also, err := phraseOf(list.Get(types.Int(i)))
		if err != nil {
			return nil, err
		}
		r, err := e.read(args[0], phrase, also)
		if err != nil {
			return nil, err
		}
		if r.Verdict == NotFound || r.Verdict == Declined {
			out = append(out, r.Evidence())
		}
	}
	return types.DefaultTypeAdapter.NativeToValue(out), nil
}

// maxAlso is how many alternatives a phrase may have.
const maxAlso = 10

// phraseOf takes a phrase: a string, or {phrase, also}.
func phraseOf(v ref.Val) (phrase ref.Val, also []string, err error) {
	m, ok := v.(traits.Mapper)
	if !ok {
		return v, nil, nil
	}
	phrase, ok = m.Find(types.String("phrase"))
	if !ok {
		return nil, nil, errors.New("an object in the list has no key \"phrase\"")
	}
	if others, ok := m.Find(types.String("also")); ok {
		list, ok := others.(traits.Lister)
		if !ok {
			return nil, nil, errors.New("\"also\" is not a list")
		}
		if n := int(list.Size().(types.Int)); n > maxAlso {
			return nil, nil, fmt.Errorf("%w: \"also\" has %d entries, at most %d are accepted", ErrLimit, n, maxAlso)
		}
		if also, err = stringsOf(list); err != nil {
			return nil, nil, err
		}
		for _, a := range also {
			if len(a) > MaxPhrase {
				return nil, nil, fmt.Errorf("%w: an entry of \"also\" is %d bytes long, at most %d are accepted", ErrLimit, len(a), MaxPhrase)
			}
		}
	}
	return phrase, also, nil
}

// Evidence words a reading as what was found, and what was not. It begins
// with the phrase and a colon.
func (r Reading) Evidence() string {
	var b strings.Builder
	b.WriteString(r.Phrase)
	quoted := func(before, after string) {
		if r.Line > 0 {
			fmt.Fprintf(&b, "%sline %d %q%s", before, r.Line, clip(r.Passage, maxQuote), after)
		}
	}
	switch r.Verdict {
	case Found:
		b.WriteString(": found")
		quoted(" in ", "")
	case Declined:
		b.WriteString(": declined")
		quoted(" in ", "")
	case NotFound, Unsure:
		words := r.Missing
		if len(words) == 0 {
			words = r.Weak
		}
		if r.Verdict == Unsure {
			b.WriteString(": unclear")
		} else {
			b.WriteString(": no passage found")
		}
		if len(words) > 0 {
			b.WriteString(" about " + strings.Join(words, ", "))
		}
		quoted(" (nearest: ", ")")
	}
	return b.String()
}

// maxNear bounds the distance that near accepts.
const maxNear = 10_000

func (e *evaluation) near(args []ref.Val) (ref.Val, error) {
	t, err := e.text(args[0])
	if err != nil {
		return nil, err
	}
	a, b, err := twoStrings(args[1:3])
	if err != nil {
		return nil, err
	}
	n, ok := args[3].(types.Int)
	if !ok || n < 1 || n > maxNear {
		return nil, fmt.Errorf("the distance must be from 1 to %d", maxNear)
	}
	if len(a) > MaxPhrase || len(b) > MaxPhrase {
		return nil, fmt.Errorf("%w: a word is longer than %d bytes", ErrLimit, MaxPhrase)
	}
	return types.Bool(t.Near(a, b, int(n))), nil
}

// Near tells whether two words stand at most n words from each other, each in
// any form of its own, as a word that resembles it, or as a synonym. A phrase
// stands for its words one behind the other.
func (t *Text) Near(a, b string, n int) bool {
	x := t.indexed()
	as, bs := x.places(a), x.places(b)
	i, j := 0, 0
	for i < len(as) && j < len(bs) {
		d := as[i] - bs[j]
		if d != 0 && -int32(n) <= d && d <= int32(n) {
			return true
		}
		if d < 0 {
			i++
		} else {
			j++
		}
	}
	return false
}
