package check

import (
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// evaluation is the state of one evaluation: the variables, and the functions
// of an expression, so that they reach the shared analysis. Nothing of it
// outlives the evaluation.
type evaluation struct {
	cel.Activation
	check *Check
	text  *Text

	patterns map[string]*pattern // regular expressions that do not stand in the expression
	compiled int                 // how many were tried to be compiled
	matching int                 // bound of the steps of the regular expressions so far
	anew     int                 // bytes of other strings than the document that functions have read
}

// maxAnew bounds what functions read beside the document, which is analysed
// once: its sentences one by one are read anew.
const maxAnew = 2 * MaxText

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
	return &evaluation{Activation: vars, check: c, text: in.Text, patterns: map[string]*pattern{}}, err
}

func errTextSize(n int) error {
	return fmt.Errorf("%w: the text is %d bytes long, at most %d are accepted", ErrLimit, n, MaxText)
}

// call is one call of a function in an evaluation. CEL has checked the types
// of its receiver and of its arguments.
type call struct {
	*evaluation
	receiver string
	args     []string // those that are strings
	list     []string // the one that is a list
}

// ResolveFunction gives the implementation of a function of this package.
func (e *evaluation) ResolveFunction(name string) (cel.LateBoundFunction, bool) {
	f, ok := byName[name]
	if !ok {
		return nil, false
	}
	return func(_ string, vals ...ref.Val) ref.Val {
		c, err := e.call(vals)
		var out any
		if err == nil {
			out, err = f.run(c)
		}
		if err != nil {
			return types.WrapErr(fmt.Errorf("%s: %w", name, err))
		}
		return adapter.NativeToValue(out)
	}, true
}

func (e *evaluation) call(vals []ref.Val) (*call, error) {
	c := &call{evaluation: e, args: make([]string, 0, len(vals))}
	var err error
	for _, v := range vals {
		switch v := v.(type) {
		case types.String:
			if len(v) > MaxText {
				return nil, errTextSize(len(v))
			}
			c.args = append(c.args, string(v))
		case traits.Lister:
			if c.list, err = stringsOf(v); err != nil {
				return nil, err
			}
		}
	}
	c.receiver, c.args = c.args[0], c.args[1:]
	if c.receiver != e.text.Doc.Source {
		if e.anew += len(c.receiver); e.anew > maxAnew {
			return nil, fmt.Errorf("%w: more than %d bytes of parts of the text are read", ErrLimit, maxAnew)
		}
	}
	return c, nil
}

// analysis is that of the receiver: the shared one if it is the document.
func (c *call) analysis() *Text {
	if c.receiver == c.text.Doc.Source {
		return c.text
	}
	return Analyse(c.receiver)
}
