package check

import (
	"fmt"
	"slices"

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
		return value(f(t)), nil
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
var functions = slices.Concat(
	group("Words and characters", wordFunctions),
	group("Structure", structureFunctions),
	group("Patterns and data", patternFunctions),
	group("What a text says", meaningFunctions),
)

func group(name string, rows []*function) []*function {
	for _, f := range rows {
		f.Group = name
	}
	return rows
}

// byName finds a function.
var byName = func() map[string]*function {
	all := map[string]*function{}
	for _, f := range functions {
		all[f.Name] = f
	}
	return all
}()

// takesPattern tells which functions take a regular expression.
var takesPattern = map[string]bool{"matches": true, "find_all": true}
