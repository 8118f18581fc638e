package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// ErrNotVerdict is the error of an evaluation whose result is neither a bool
// nor a list of strings. Value gives it.
var ErrNotVerdict = errors.New("no verdict")

// Value evaluates the expression and gives its value as JSON in one line.
func (c *Check) Value(in Input) (string, error) {
	out, _, err := c.eval(in)
	if err != nil {
		return "", err
	}
	if weight(out) > MaxCost {
		return "", errValueSize
	}
	v, err := out.ConvertToNative(reflect.TypeFor[*structpb.Value]())
	if err != nil {
		return "", fmt.Errorf("a value of type %s has no form in JSON", out.Type().TypeName())
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(v)
	return strings.TrimSpace(b.String()), err
}

// comparisons are the operators of which both sides are worth a look.
var comparisons = map[string]string{
	operators.Equals: "==", operators.NotEquals: "!=", operators.Less: "<", operators.LessEquals: "<=",
	operators.Greater: ">", operators.GreaterEquals: ">=", operators.In: "in",
}

// maxSide is how many characters of a side are shown.
const maxSide = 60

// Sides says why a comparison is false by the values of its two sides, as in
// "236 >= 300". Of several that are joined by && it takes the first that is
// false. It gives "" for any other expression.
func (c *Check) Sides(in Input) string {
	value := func(e ast.Expr) string {
		text, err := cel.ExprToString(e, c.tree.NativeRep().SourceInfo())
		if err != nil {
			return ""
		}
		part, err := CompileValue(text)
		if err != nil {
			return ""
		}
		v, _ := part.Value(in) // an error is no value
		return v
	}
	e := c.tree.NativeRep().Expr()
	for e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.LogicalAnd {
		args := e.AsCall().Args()
		if e = args[1]; value(args[0]) == "false" {
			e = args[0]
		}
	}
	if e.Kind() != ast.CallKind || comparisons[e.AsCall().FunctionName()] == "" {
		return ""
	}
	left, right := value(e.AsCall().Args()[0]), value(e.AsCall().Args()[1])
	if left == "" || right == "" {
		return ""
	}
	return clip.Line(left, maxSide) + " " + comparisons[e.AsCall().FunctionName()] + " " + clip.Line(right, maxSide)
}
