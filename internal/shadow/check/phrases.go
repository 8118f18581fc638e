package check

import (
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/swarmspeed/shadowd/internal/text/arithmetic"
	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/internal/text/quantity"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// read tells what a text says of phrases.
func (e *evaluation) read(v ref.Val, phrases ...string) ([]reading.Reading, error) {
	t, err := e.text(v)
	if err != nil {
		return nil, err
	}
	if len(phrases) > MaxPhrases {
		return nil, fmt.Errorf("%w: %d phrases, at most %d are accepted in one call", ErrLimit, len(phrases), MaxPhrases)
	}
	for _, p := range phrases {
		switch {
		case strings.TrimSpace(p) == "":
			return nil, errors.New("a phrase is empty")
		case len(p) > MaxPhrase:
			return nil, errPhraseSize(len(p))
		}
	}
	return t.reader().Read(reading.Prepare(phrases)), nil
}

func (e *evaluation) reads(args []ref.Val) (ref.Val, error) {
	_, phrase, err := twoStrings(args)
	if err != nil {
		return nil, err
	}
	r, err := e.read(args[0], phrase)
	if err != nil {
		return nil, err
	}
	return types.String(r[0].Verdict), nil
}

func (e *evaluation) missing(args []ref.Val) (ref.Val, error) {
	phrases, err := listOfStrings(args[1])
	if err != nil {
		return nil, err
	}
	readings, err := e.read(args[0], phrases...)
	if err != nil {
		return nil, err
	}
	out := []string{}
	for i, r := range readings {
		if r.Verdict == reading.Missing || r.Verdict == reading.Declined {
			out = append(out, phrases[i]+": "+r.Why)
		}
	}
	return value(out), nil
}

// errNoQuantity is the error of a phrase that states looks in vain for.
func errNoQuantity(phrase string) error {
	return fmt.Errorf("%q has no quantity that states can look for: ask has_quantity first", clip.Line(phrase, maxSide))
}

func (e *evaluation) states(args []ref.Val) (ref.Val, error) {
	t, err := e.text(args[0])
	if err != nil {
		return nil, err
	}
	phrase, err := short(args[1], MaxPhrase, errPhraseSize)
	switch {
	case err != nil:
		return nil, err
	case !quantity.Has(phrase):
		return nil, errNoQuantity(phrase)
	}
	return types.Bool(t.figures().States(phrase)), nil
}

func messages(findings []arithmetic.Finding) []string {
	return each(findings, func(f arithmetic.Finding) string { return f.Message() })
}
