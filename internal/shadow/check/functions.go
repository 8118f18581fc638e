package check

import (
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
	call   call
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

// call implements a function over the values of its receiver and arguments.
type call = func(*evaluation, []ref.Val) (ref.Val, error)

func onAnalysis[T any](f func(*Text) T) call {
	return func(e *evaluation, args []ref.Val) (ref.Val, error) {
		t, err := e.text(args[0])
		if err != nil {
			return nil, err
		}
		return types.DefaultTypeAdapter.NativeToValue(f(t)), nil
	}
}

func onText[T any](f func(*markdown.Doc) T) call {
	return onAnalysis(func(t *Text) T { return f(t.Doc) })
}

func onTextString[T any](f func(*markdown.Doc, string) T) call {
	return func(e *evaluation, args []ref.Val) (ref.Val, error) {
		s, err := short(args[1], MaxText, errTextSize)
		if err != nil {
			return nil, err
		}
		return onText(func(t *markdown.Doc) T { return f(t, s) })(e, args)
	}
}

func onString(f func(string) string) call {
	return func(_ *evaluation, args []ref.Val) (ref.Val, error) {
		s, err := short(args[0], MaxText, errTextSize)
		return types.String(f(s)), err
	}
}

// onPhrase makes a function of a short string, the receiver.
func onPhrase(f func(string) bool) call {
	return func(_ *evaluation, args []ref.Val) (ref.Val, error) {
		p, err := short(args[0], MaxPhrase, errPhraseSize)
		return types.Bool(f(p)), err
	}
}

// short gives a value that must be a string of at most some bytes, and "" with
// the error.
func short(v ref.Val, most int, tooLong func(int) error) (string, error) {
	s, ok := v.(types.String)
	switch {
	case !ok:
		return "", errNotStrings
	case len(s) > most:
		return "", tooLong(len(s))
	}
	return string(s), nil
}

func errPhraseSize(n int) error {
	return fmt.Errorf("%w: a phrase is %d bytes long, at most %d are accepted", ErrLimit, n, MaxPhrase)
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
