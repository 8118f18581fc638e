package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"

	"github.com/swarmspeed/shadowd/internal/text/quantity"
)

// Version names this checker in reports. It changes whenever the same check
// could give another verdict on the same text, or package tamper other
// findings: an audit derives both again.
const Version = "check/15"

// Limits. They are chosen so that no check on no text takes long: a limit
// that is hit is an error, never a verdict.
const (
	// MaxExpr is the length of an expression in bytes.
	MaxExpr = 16 << 10
	// MaxText is the length of a text in bytes that checks accept or build.
	MaxText = 1 << 20
	// MaxPattern is the length of a regular expression in bytes.
	MaxPattern = 1000
	// MaxPhrases is how many phrases one call of missing accepts.
	MaxPhrases = 500
	// MaxPhrase is the length of a phrase in bytes.
	MaxPhrase = 2000
	// MaxCost bounds an evaluation, in units of roughly 100 ns.
	MaxCost = 1_000_000
)

// Error says what is wrong with an expression.
type Error struct {
	Line, Column int // of the expression; 1-based, columns in characters
	Message      string
}

func (e *Error) Error() string {
	if e.Line > 1 {
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
	}
	return fmt.Sprintf("column %d: %s", e.Column, e.Message)
}

// Check is a compiled expression. It may be evaluated concurrently.
type Check struct {
	expr     string
	tree     *cel.Ast
	program  cel.Program
	patterns map[string]*pattern // those that stand in the expression
}

// Compile compiles and type-checks an expression. The result of a check is a
// bool, or a list of strings that say what is wrong. Where only the input
// tells the type, as for material, Eval checks it. The error is an *Error.
func Compile(expr string) (*Check, error) {
	c, err := CompileValue(expr)
	if err != nil {
		return nil, err
	}
	if kind, ok := c.IsCheck(); !ok {
		return nil, &Error{1, 1, fmt.Sprintf("the check is of type %s, but must be a bool or a list(string) of what is wrong", kind)}
	}
	return c, nil
}

// CompileValue compiles an expression of any type, so that an author can see
// what a part of a check gives. The error is an *Error.
func CompileValue(expr string) (*Check, error) {
	if len(expr) > MaxExpr {
		return nil, &Error{1, 1, fmt.Sprintf("the check is %d bytes long: at most %d are allowed", len(expr), MaxExpr)}
	}
	if strings.TrimSpace(expr) == "" {
		return nil, &Error{1, 1, "the check is empty"}
	}
	env, err := environment()
	if err != nil {
		return nil, err
	}
	tree, issues := env.Compile(expr)
	if issues.Err() != nil {
		return nil, explained(expr, issues.Errors()[0])
	}
	c := &Check{expr: expr, tree: tree}
	if c.patterns, err = patternsOf(tree.NativeRep()); err != nil {
		return nil, err
	}
	c.program, err = env.Program(tree, cel.CostLimit(MaxCost), cel.CostTracking(prices{}), cel.CustomDecoratorV2(weighing))
	if err != nil {
		return nil, &Error{1, 1, err.Error()}
	}
	return c, nil
}

// IsCheck tells whether the type of the expression is one of a verdict, as
// Compile demands, and names the type.
func (c *Check) IsCheck() (kind string, ok bool) {
	t := c.tree.OutputType()
	return t.String(), slices.ContainsFunc([]*cel.Type{cel.BoolType, cel.DynType, cel.ListType(cel.StringType), cel.ListType(cel.DynType)}, t.IsExactType)
}

// patternsOf compiles the regular expressions that stand in an expression, so
// that a bad one is an error when the check is written, as is any other
// string of which it is known that it cannot be meant.
func patternsOf(tree *ast.AST) (map[string]*pattern, error) {
	patterns := map[string]*pattern{}
	var bad error
	refuse := func(e ast.Expr, why string) {
		if bad == nil {
			at := tree.SourceInfo().GetStartLocation(e.ID())
			bad = &Error{at.Line(), at.Column() + 1, why}
		}
	}
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if s, ok := literal(e); ok && strings.Contains(s, "\b") {
			refuse(e, `\b in a string is a backspace: for the \b of a regular expression double the backslash, '\\b', or write a raw string, r'\b'`)
		}
		if e.Kind() != ast.CallKind {
			return
		}
		name := e.AsCall().FunctionName()
		for _, arg := range e.AsCall().Args() {
			s, ok := literal(arg)
			switch {
			case ok && (name == "matches" || name == "find_all") && len(patterns) == maxPatterns:
				refuse(arg, fmt.Sprintf("more than %d regular expressions", maxPatterns))
			case ok && (name == "matches" || name == "find_all"):
				re, err := compilePattern(s)
				if err != nil {
					refuse(arg, err.Error())
				}
				patterns[s] = re
			case ok && name == "states" && !quantity.Has(s):
				refuse(arg, errNoQuantity(s).Error())
			}
		}
	}))
	return patterns, bad
}

// literal gives the string that stands in an expression.
func literal(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

// String returns the expression.
func (c *Check) String() string { return c.expr }

// Input is what a check is evaluated over.
type Input struct {
	// Bundle, Domain and Material are the variables of these names: values as
	// encoding/json decodes them.
	Bundle, Domain, Material map[string]any
	// Text is the analysed content of the bundle, and the variable text. One
	// analysis serves all checks of a bundle. If it is nil, the string
	// Bundle["content"] is analysed.
	Text *Text
}

// Result is what an evaluation found.
type Result struct {
	Passed bool
	// Problems is what is wrong, as the check words it. It is empty if the
	// check passed, and for a check that is a bool.
	Problems []string
	// Cost is the cost of the evaluation in units of MaxCost.
	Cost uint64
}

// ErrLimit is the error of an evaluation that hit one of the limits.
var ErrLimit = errors.New("limit exceeded")

// Eval evaluates the check. An error means that there is no verdict: a limit
// was exceeded (ErrLimit), or the expression failed on this input, say on a
// key that the material lacks. It says what went wrong and not that this was
// in a check, which whoever passes it on says.
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
			return r, fmt.Errorf("%w: what is wrong must be a list of strings: %w", ErrNotVerdict, err)
		}
		r.Passed = len(r.Problems) == 0
	default:
		return r, fmt.Errorf("%w: the result is of type %s, but must be a bool or a list of strings", ErrNotVerdict, out.Type().TypeName())
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
	if n > MaxCost {
		return nil, errValueSize
	}
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
