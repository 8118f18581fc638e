package check

import (
	"errors"
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// evaluation is the state of one evaluation: the variables, and the functions
// of an expression, so that they reach the shared analysis. Nothing of it
// outlives the evaluation.
type evaluation struct {
	cel.Activation
	check *Check
	doc   *Text
	texts map[string]*Text

	matching int // bound of the steps of the regular expressions so far
}

// maxTexts bounds how many strings beside the document are kept analysed. A
// check that goes through more pays for each again.
const maxTexts = 64

func newEvaluation(c *Check, in Input) (*evaluation, error) {
	if in.Text == nil {
		content, _ := in.Bundle["content"].(string)
		if len(content) > MaxText {
			return nil, errTextSize(len(content))
		}
		in.Text = Analyse(content)
	}
	if len(in.Text.Doc.Source) > MaxText {
		return nil, errTextSize(len(in.Text.Doc.Source))
	}
	vars, err := cel.NewActivation(map[string]any{"bundle": in.Bundle, "domain": in.Domain, "material": in.Material, "text": in.Text.Doc.Source})
	return &evaluation{Activation: vars, check: c, doc: in.Text}, err
}

func errTextSize(n int) error {
	return fmt.Errorf("%w: the text is %d bytes long, at most %d are accepted", ErrLimit, n, MaxText)
}

// ResolveFunction gives the implementation of a function of this package.
func (e *evaluation) ResolveFunction(name string) (cel.LateBoundFunction, bool) {
	f, ok := byName[name]
	if !ok {
		return nil, false
	}
	return func(_ string, args ...ref.Val) ref.Val {
		out, err := f.call(e, args)
		if err != nil {
			return types.WrapErr(fmt.Errorf("%s: %w", name, err))
		}
		return out
	}, true
}

// text gives the analysis of a string: the shared one if it is the document.
func (e *evaluation) text(v ref.Val) (*Text, error) {
	s, ok := v.(types.String)
	if !ok {
		return nil, fmt.Errorf("called on %s: want a string", v.Type())
	}
	if string(s) == e.doc.Doc.Source {
		return e.doc, nil
	}
	if t := e.texts[string(s)]; t != nil {
		return t, nil
	}
	if len(s) > MaxText {
		return nil, errTextSize(len(s))
	}
	t := Analyse(string(s))
	if e.texts == nil {
		e.texts = map[string]*Text{}
	}
	if len(e.texts) < maxTexts {
		e.texts[string(s)] = t
	}
	return t, nil
}

// twoStrings takes a receiver and an argument that are strings.
func twoStrings(args []ref.Val) (string, string, error) {
	a, ok := args[0].(types.String)
	b, ok2 := args[1].(types.String)
	if !ok || !ok2 {
		return "", "", errNotStrings
	}
	return string(a), string(b), nil
}

var errNotStrings = errors.New("the receiver and the argument must be strings")
