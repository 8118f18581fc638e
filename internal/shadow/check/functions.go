package check

import (
	"slices"

	"cel.dev/cel-go/cel"

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

	args   []*cel.Type // the receiver first
	result *cel.Type
	run    run
}

// Functions lists the functions of text in the order of the documentation.
func Functions() []*Function { return functions }

var (
	str     = cel.StringType
	strList = cel.ListType(cel.StringType)
)

// takes is the receiver, a string, with the arguments.
func takes(more ...*cel.Type) []*cel.Type { return append([]*cel.Type{str}, more...) }

// run implements a function. What it gives is a value that CEL knows the form of.
type run = func(*call) (any, error)

func onAnalysis[T any](f func(*Text) T) run {
	return func(c *call) (any, error) { return f(c.analysis()), nil }
}

func onText[T any](f func(*markdown.Doc) T) run {
	return func(c *call) (any, error) { return f(c.analysis().Doc), nil }
}

func onTextString[T any](f func(*markdown.Doc, string) T) run {
	return func(c *call) (any, error) { return f(c.analysis().Doc, c.args[0]), nil }
}

func onString[T any](f func(string) T) run {
	return func(c *call) (any, error) { return f(c.receiver), nil }
}

// functions is the table that the environment, the documentation and the
// tests are made from.
var functions = slices.Concat(
	group("Words and characters", wordFunctions),
	group("Structure", structureFunctions),
	group("Patterns and data", patternFunctions),
	group("What a text says", meaningFunctions),
)

func group(name string, rows []*Function) []*Function {
	for _, f := range rows {
		f.Group = name
	}
	return rows
}

var byName = func() map[string]*Function {
	all := map[string]*Function{}
	for _, f := range functions {
		all[f.Name] = f
	}
	return all
}()
