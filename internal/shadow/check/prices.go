package check

import (
	"unicode"

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
// of the result, and one for each bytesPerUnit bytes of the arguments. Phrases are
// priced by the text that they are looked for in, each.
func (prices) CallCost(name, _ string, args []ref.Val, result ref.Val) *uint64 {
	if !unicode.IsLetter(rune(name[0])) { // an operator: _+_, @in
		return nil
	}
	n, phrases := 1+size(result), uint64(1)
	for i, a := range args {
		if l, ok := a.(traits.Lister); !ok {
			n += size(a)
		} else if i > 0 {
			phrases = max(phrases, size(l))
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

func size(v ref.Val) uint64 {
	switch v := v.(type) {
	case types.String:
		return uint64(len(v)) / bytesPerUnit
	case traits.Lister:
		return uint64(v.Size().(types.Int))
	}
	return 0
}
