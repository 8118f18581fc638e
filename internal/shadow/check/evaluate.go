package check

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unicode"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"

	"github.com/swarmspeed/shadowd/internal/text/figures"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// Input is what a check is evaluated over.
type Input struct {
	Bundle, Domain map[string]any // as encoding/json decodes them
	Text           *Text          // the variable text; nil: Bundle["content"] is analysed
}

// Text is an analysed document, shared by all checks of a bundle. It is safe for
// concurrent use.
type Text struct {
	Doc   *markdown.Doc
	words func() []string // shared, not to be changed
}

// Analyse reads the structure of a document.
func Analyse(source string) *Text {
	doc := markdown.Parse(source)
	return &Text{Doc: doc, words: sync.OnceValue(doc.Words)}
}

// Defects lists what a program is sure about: figures that do not add up, secrets
// in plain sight and, unless a template was asked for, what was left to fill in.
func (t *Text) Defects(template bool) []figures.Finding {
	return slices.Concat(figures.Numbers(t.Doc), figures.Secrets(t.Doc), figures.Places(t.Doc, template))
}

// Result is what an evaluation found.
type Result struct {
	Passed   bool     `json:"passed"`
	Problems []string `json:"problems"` // what is wrong, as a check that is a list words it
	Cost     uint64   `json:"-"`        // in units of MaxCost
}

// ErrLimit is the error of an evaluation that hit one of the limits.
var ErrLimit = errors.New("limit exceeded")

// Eval evaluates the check. An error means that there is no verdict: a limit was
// exceeded (ErrLimit), or the expression failed on this input.
func (c *Check) Eval(in Input) (Result, error) {
	out, cost, err := c.eval(in)
	r := Result{Cost: cost}
	if err != nil {
		return r, err
	}
	switch v := out.(type) {
	case types.Bool:
		r.Passed = bool(v)
	case traits.Lister:
		if r.Problems, err = stringsOf(v); err != nil {
			return r, fmt.Errorf("what is wrong must be a list of strings: %w", err)
		}
		r.Passed = len(r.Problems) == 0
	default:
		return r, fmt.Errorf("the result is of type %s, but must be a bool or a list of strings", out.Type().TypeName())
	}
	return r, nil
}

func (c *Check) eval(in Input) (out ref.Val, spent uint64, err error) {
	// The evaluator recovers from panics in the functions that it calls; this
	// is for what lies around it. A bundle must not be able to stop a worker.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	e, err := newEvaluation(c, in)
	if err != nil {
		return nil, 0, err
	}
	out, details, err := c.program.Eval(e)
	if details != nil && details.ActualCost() != nil {
		spent = *details.ActualCost()
	}
	if cancelled, ok := errors.AsType[interpreter.EvalCancelledError](err); ok && cancelled.Cause == interpreter.CostLimitExceeded {
		err = fmt.Errorf("%w: the check costs more than %d", ErrLimit, MaxCost)
	}
	return out, spent, err
}

func stringsOf(list traits.Lister) ([]string, error) {
	n := int(list.Size().(types.Int))
	out, bytes := make([]string, 0, n), 0
	for i := range n {
		v := list.Get(types.Int(i))
		s, ok := v.(types.String)
		if !ok {
			return nil, fmt.Errorf("element %d of a list is of type %s: want a string", i, v.Type().TypeName())
		}
		if bytes += len(s); bytes > MaxText {
			return nil, fmt.Errorf("%w: the strings of a list have more than %d bytes", ErrLimit, MaxText)
		}
		out = append(out, string(s))
	}
	return out, nil
}

// evaluation is the state of one evaluation: the variables, and the functions of an
// expression, so that they reach the shared analysis.
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
	vars, err := cel.NewActivation(map[string]any{"bundle": in.Bundle, "domain": in.Domain, "text": in.Text.Doc.Source})
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
	f, ok := functions[name]
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

const (
	// bytesPerUnit is how much of a string is worth one unit of cost.
	bytesPerUnit = 40
	// dataFactor is how much more than reading a text parsing it as JSON costs.
	dataFactor = 10
)

// prices are what the functions cost. CEL prices its operators itself, and of
// its functions on strings and lists only some.
type prices struct{}

// CallCost is a unit, and one for each element and each bytesPerUnit bytes of result and
// arguments. Words are priced by the text that they are looked for in, each.
func (prices) CallCost(name, _ string, args []ref.Val, result ref.Val) *uint64 {
	if !unicode.IsLetter(rune(name[0])) {
		return nil
	}
	n, words := 1+size(result), uint64(1)
	for i, a := range args {
		n += size(a)
		if _, ok := a.(traits.Lister); ok && i > 0 {
			words = max(words, size(a))
		}
	}
	n += (words - 1) * size(args[0])
	if name == "json" {
		n *= dataFactor
	}
	return &n
}

func size(v ref.Val) uint64 {
	switch v := v.(type) {
	case types.String:
		return uint64(len(v)) / bytesPerUnit
	case traits.Lister:
		return uint64(v.Size().(types.Int))
	}
	return 0
}
