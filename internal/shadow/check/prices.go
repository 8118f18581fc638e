package check

import (
	"unicode"

	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

const (
	// bytesPerUnit is how much of a string is worth one unit of cost.
	bytesPerUnit = 40
	// unitsForLanguage is what telling the language of a text costs beside
	// reading it.
	unitsForLanguage = 16_000
	// dataFactor is how much more than reading a text parsing it as JSON costs.
	dataFactor = 10
)

// prices are what the functions cost. CEL prices its operators itself, and of
// its functions on strings and lists only some.
type prices struct{}

// CallCost is one unit, one for each element and one for each bytesPerUnit bytes
// of the result, and the same for the arguments. Phrases are priced by the text
// that they are looked for in, each.
func (prices) CallCost(name, _ string, args []ref.Val, result ref.Val) *uint64 {
	if !unicode.IsLetter(rune(name[0])) {
		return operatorCost(name, args, result)
	}
	n, phrases := 1+size(result), uint64(1)
	for i, a := range args {
		if _, ok := a.(traits.Lister); !ok {
			n += size(a)
		} else if name != "size" {
			n += weight(a)
			if i > 0 {
				phrases = max(phrases, size(a))
			}
		}
	}
	if s, ok := args[0].(types.String); ok {
		n += phrases * size(s)
	}
	switch name {
	case "language":
		n += unitsForLanguage
	case "json":
		n *= dataFactor
	}
	return &n
}

// operatorCost prices comparisons by all that is compared, and lists that double
// with each + as too much before anything goes through them.
func operatorCost(name string, args []ref.Val, result ref.Val) *uint64 {
	n := size(result)
	switch {
	case name == operators.Add && n > MaxCost:
		return &n
	case compares(name):
		if n = weight(args[0]) + weight(args[1]); n > 0 {
			return &n
		}
	}
	return nil
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
