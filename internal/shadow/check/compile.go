// Package check is the language of checks: CEL expressions that assert something
// about a Markdown text, such as the content of a bundle. docs/checks.md describes
// it.
//
//	text.words().size() >= 300 && text.has_section('Risks')
//	['Risks', 'Plan'].filter(s, !text.has_section(s)).map(s, 'no section ' + s)
//
// A check is a pure function of its input. Eval never panics, and no text makes it
// take long: what exceeds a bound is an error, never a verdict. Who writes a check is
// trusted: an expression that is made to be slow is not stopped in each case.
package check

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/ext"
	lru "github.com/hashicorp/golang-lru/v2"
)

// Version names this checker in reports. It changes whenever the same check
// or [Text.Defects] could give another verdict on the same text: an audit
// derives both again.
const Version = "check/19"

// Limits. What exceeds one is an error, never a verdict.
const (
	// MaxExpr is the length of an expression in bytes.
	MaxExpr = 16 << 10
	// MaxText is the length of a text in bytes that checks accept or build.
	MaxText = 1 << 20
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
	program  cel.Program
	patterns map[string]*pattern // those that stand in the expression
}

// Compile compiles and type-checks an expression. The error is an *Error. The last 1024
// checks are remembered: compiling one costs more than judging a bundle by it.
func Compile(expr string) (*Check, error) {
	if c, ok := compiled().Get(expr); ok {
		return c, nil
	}
	c, err := compile(expr)
	if err == nil {
		compiled().Add(expr, c)
	}
	return c, err
}

var compiled = sync.OnceValue(func() *lru.Cache[string, *Check] {
	known, err := lru.New[string, *Check](1024)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return known
})

func compile(expr string) (*Check, error) {
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
		return nil, explained(issues.Errors()[0])
	}
	verdicts := []*cel.Type{cel.BoolType, cel.DynType, cel.ListType(cel.StringType), cel.ListType(cel.DynType)}
	if t := tree.OutputType(); !slices.ContainsFunc(verdicts, t.IsExactType) {
		return nil, &Error{1, 1, fmt.Sprintf("the check is of type %s, but must be a bool or a list(string) of what is wrong", t)}
	}
	c := &Check{}
	if c.patterns, err = patternsOf(tree.NativeRep()); err != nil {
		return nil, err
	}
	c.program, err = env.Program(tree, cel.CostLimit(MaxCost), cel.CostTracking(prices{}))
	if err != nil {
		return nil, &Error{1, 1, err.Error()}
	}
	return c, nil
}

// patternsOf compiles the regular expressions that stand in an expression: a bad
// one, or a string that cannot be meant, is an error when the check is written.
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
			if !ok || name != "matches" && name != "find_all" {
				continue
			}
			re, err := compilePattern(s)
			if len(patterns) == maxPatterns {
				err = fmt.Errorf("more than %d regular expressions", maxPatterns)
			}
			if err != nil {
				refuse(arg, err.Error())
			}
			patterns[s] = re
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

// environment is the CEL environment of all checks: of CEL's extensions it has what
// costs no more than its arguments are long.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	// The standard matches has no bound on what a regular expression costs.
	std := env.NewLibrarySubset().AddExcludedFunctions(env.NewFunction("matches"))
	object := cel.MapType(cel.StringType, cel.DynType)
	opts := []cel.EnvOption{
		cel.CustomTypeProvider(provider),
		cel.CustomTypeAdapter(adapter),
		cel.StdLib(cel.StdLibSubset(std)),
		ext.Strings(ext.StringsVersion(0)),
		ext.Lists(ext.ListsVersion(0)),
		ext.Math(),
		ext.Bindings(ext.BindingsVersion(0)), // the macro cel.bind: a name for a value used twice
		cel.ExpressionNodeLimit(5000),
		cel.ParserRecursionLimit(100),
		cel.ParserExpressionSizeLimit(MaxExpr),
		cel.Variable("bundle", object),
		cel.Variable("domain", object),
		cel.Variable("text", cel.StringType),
		// CEL's own may build a string far larger than its arguments.
		cel.Function("replace",
			cel.MemberOverload("string_replace_string_string", []*cel.Type{cel.StringType, cel.StringType, cel.StringType},
				cel.StringType, cel.FunctionBinding(replace)),
			cel.MemberOverload("string_replace_string_string_int", []*cel.Type{cel.StringType, cel.StringType, cel.StringType, cel.IntType},
				cel.StringType, cel.FunctionBinding(replace))),
		cel.Function("join",
			cel.MemberOverload("list_join", []*cel.Type{cel.ListType(cel.StringType)}, cel.StringType, cel.FunctionBinding(join)),
			cel.MemberOverload("list_join_string", []*cel.Type{cel.ListType(cel.StringType), cel.StringType}, cel.StringType, cel.FunctionBinding(join))),
	}
	for name, f := range functions {
		opts = append(opts, cel.Function(name, cel.MemberOverload("text_"+name, f.args, f.result, cel.LateFunctionBinding())))
	}
	return cel.NewCustomEnv(opts...)
})

func join(args ...ref.Val) ref.Val {
	all, err := stringsOf(args[0].(traits.Lister))
	if err != nil {
		return types.WrapErr(err)
	}
	between, n := "", 0
	if len(args) == 2 {
		between = string(args[1].(types.String))
	}
	for _, s := range all {
		n += len(s) + len(between)
	}
	if n -= len(between); n > MaxText {
		return types.WrapErr(errTextSize(n))
	}
	return types.String(strings.Join(all, between))
}

func replace(args ...ref.Val) ref.Val {
	s, old, with := string(args[0].(types.String)), string(args[1].(types.String)), string(args[2].(types.String))
	n := strings.Count(s, old)
	if len(args) == 4 {
		if limit := int(args[3].(types.Int)); limit >= 0 {
			n = min(n, limit)
		}
	}
	if len(s)+n*(len(with)-len(old)) > MaxText {
		return types.WrapErr(errTextSize(len(s) + n*(len(with)-len(old))))
	}
	return types.String(strings.Replace(s, old, with, n))
}

// explained puts an error of the CEL compiler into words for who writes checks. The
// compiler points at the bracket behind a function, and at the point before a field.
func explained(first *common.Error) *Error {
	return &Error{max(first.Location.Line(), 1), max(first.Location.Column(), 0) + 1, strings.ReplaceAll(first.Message, " (in container '')", "")}
}
