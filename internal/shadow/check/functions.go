package check

import (
	"errors"
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

// Function describes a function of the language.
type Function struct {
	Name      string
	Group     string // heading of the documentation that it stands under
	Signature string // as it is written: string.between(open, close) -> list(string)
	Doc       string // one line
	// Example is an expression over the variable text, Text a document, and
	// Want the value of Example on Text as JSON. The tests run them.
	Example, Text, Want string
}

// function is a row of the table with what the environment needs.
type function struct {
	Function
	args   []*cel.Type // the receiver first
	result *cel.Type
	call   func(e *evaluation, args []ref.Val) (ref.Val, error)
}

// overload is the function's overload id. There is one for each function.
func (f *function) overload() string { return "text_" + f.Name }

// Functions lists the functions of text in the order of the documentation.
func Functions() []Function {
	out := make([]Function, len(functions))
	for i, f := range functions {
		out[i] = f.Function
	}
	return out
}

// Types of the signatures.
var (
	str     = cel.StringType
	strList = cel.ListType(cel.StringType)
)

// takes is the receiver, a string, with the arguments.
func takes(more ...*cel.Type) []*cel.Type { return append([]*cel.Type{str}, more...) }

// Wrappers from Go values to CEL values.

func onText[T any](f func(*markdown.Doc) T) func(*evaluation, []ref.Val) (ref.Val, error) {
	return func(e *evaluation, args []ref.Val) (ref.Val, error) {
		t, err := e.text(args[0])
		if err != nil {
			return nil, err
		}
		return types.DefaultTypeAdapter.NativeToValue(f(t.Doc)), nil
	}
}

func onTextString[T any](f func(*markdown.Doc, string) T) func(*evaluation, []ref.Val) (ref.Val, error) {
	return func(e *evaluation, args []ref.Val) (ref.Val, error) {
		t, err := e.text(args[0])
		if err != nil {
			return nil, err
		}
		s, ok := args[1].(types.String)
		if !ok {
			return nil, errors.New("the argument is not a string")
		}
		if len(s) > MaxText {
			return nil, errTextSize(len(s))
		}
		return types.DefaultTypeAdapter.NativeToValue(f(t.Doc, string(s))), nil
	}
}

func onAnalysis[T any](f func(*Text) T) func(*evaluation, []ref.Val) (ref.Val, error) {
	return func(e *evaluation, args []ref.Val) (ref.Val, error) {
		t, err := e.text(args[0])
		if err != nil {
			return nil, err
		}
		return types.DefaultTypeAdapter.NativeToValue(f(t)), nil
	}
}

func onString(f func(string) string) func(*evaluation, []ref.Val) (ref.Val, error) {
	return func(_ *evaluation, args []ref.Val) (ref.Val, error) {
		s, ok := args[0].(types.String)
		if !ok {
			return nil, errNotStrings
		}
		if len(s) > MaxText {
			return nil, errTextSize(len(s))
		}
		return types.String(f(string(s))), nil
	}
}

// onPhrase makes a function of a short string, the receiver.
func onPhrase(f func(string) bool) func(*evaluation, []ref.Val) (ref.Val, error) {
	return func(_ *evaluation, args []ref.Val) (ref.Val, error) {
		p, ok := args[0].(types.String)
		if !ok {
			return nil, errNotStrings
		}
		if len(p) > MaxPhrase {
			return nil, fmt.Errorf("%w: a phrase is %d bytes long, at most %d are accepted", ErrLimit, len(p), MaxPhrase)
		}
		return types.Bool(f(string(p))), nil
	}
}

// functions is the table that the environment, the documentation and the
// tests are made from.
var functions = functionTable(
	functionGroup{"Words and characters", wordFunctions},
	functionGroup{"Structure", structureFunctions},
	functionGroup{"Patterns and data", patternFunctions},
	functionGroup{"What a text says", meaningFunctions},
)

// functionGroup is a part of the table.
type functionGroup struct {
	name string
	rows []*function
}

func functionTable(groups ...functionGroup) (all []*function) {
	for _, g := range groups {
		for _, f := range g.rows {
			f.Group = g.name
			all = append(all, f)
		}
	}
	return all
}

// byName finds a function, and takesPattern tells which of them take a
// regular expression.
var (
	byName       = map[string]*function{}
	takesPattern = map[string]bool{"matches": true, "find_all": true}
)

func init() {
	for _, f := range functions {
		byName[f.Name] = f
	}
}
