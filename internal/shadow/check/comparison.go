package check

import (
	"fmt"

	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

var errValueSize = fmt.Errorf("%w: a value holds more than %d others", ErrLimit, MaxCost)

var weights = types.NewSizeCalculator(types.SizeCalculatorMaxTraversal(MaxCost), types.SizeCalculatorStringUnitLength(bytesPerUnit))

// weight counts the parts that a list, a map or an object has in all its depth.
// Any other value has none.
func weight(v ref.Val) uint64 {
	switch v.(type) {
	case traits.Lister, traits.Mapper, traits.Indexer:
		return uint64(weights.AggregateSize(v))
	}
	return 0
}

func compares(function string) bool {
	return function == operators.Equals || function == operators.NotEquals || function == operators.In
}

// comparison weighs two values before it compares them: a list that holds
// another one twice doubles with each such list around it, and CEL prices what it
// compares afterwards, and not in depth.
type comparison struct {
	interpreter.InterpretableCall
}

// weighing makes a comparison of each of CEL's own.
func weighing(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	if call, ok := i.(interpreter.InterpretableCall); ok && compares(call.Function()) {
		return comparison{call}, nil
	}
	return i, nil
}

// Eval implements [interpreter.Interpretable].
func (c comparison) Eval(vars interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(vars, c.Exec)
}

// Exec implements [interpreter.InterpretableV2].
func (c comparison) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	args := c.Args()
	x, y := args[0].Exec(frame), args[1].Exec(frame)
	switch {
	case types.IsUnknownOrError(x):
		return x
	case types.IsUnknownOrError(y):
		return y
	case weight(x)+weight(y) > MaxCost:
		return types.WrapErr(errValueSize)
	}
	var is ref.Val
	if list, ok := y.(traits.Container); c.Function() != operators.In {
		is = types.Bool((types.Equal(x, y) == types.True) == (c.Function() == operators.Equals))
	} else if !ok {
		return types.MaybeNoSuchOverloadErr(y)
	} else {
		is = list.Contains(x)
	}
	if costs := frame.CostTracker(); costs != nil {
		costs.EvalBinary(frame, c.ID(), c, x, y, is)
	}
	return is
}
