package check

import (
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/ext"
)

// environment is the CEL environment of all checks: the standard language,
// the variables, the functions of this package, and those of CEL's string,
// list and math extensions whose cost is bounded by the size of their
// arguments. It never changes once it is built.
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
		cel.Variable("material", object),
		cel.Variable("text", cel.StringType),
		// These two may build a string far larger than their arguments.
		cel.Function("replace",
			cel.MemberOverload("string_replace_string_string", []*cel.Type{cel.StringType, cel.StringType, cel.StringType},
				cel.StringType, cel.FunctionBinding(replace)),
			cel.MemberOverload("string_replace_string_string_int", []*cel.Type{cel.StringType, cel.StringType, cel.StringType, cel.IntType},
				cel.StringType, cel.FunctionBinding(replace))),
		cel.Function("join",
			cel.MemberOverload("list_join", []*cel.Type{cel.ListType(cel.StringType)},
				cel.StringType, cel.FunctionBinding(join)),
			cel.MemberOverload("list_join_string", []*cel.Type{cel.ListType(cel.StringType), cel.StringType},
				cel.StringType, cel.FunctionBinding(join))),
	}
	for _, f := range functions {
		opts = append(opts, cel.Function(f.Name, cel.MemberOverload(f.overload(), f.args, f.result, cel.LateFunctionBinding())))
	}
	return cel.NewCustomEnv(opts...)
})

// bytesPerUnit is how much of a string is worth one unit of cost.
const bytesPerUnit = 40

// trackers price the calls: a function of text by what it reads and returns.
// The extensions come without prices of their own at the versions used here.
var trackers = sync.OnceValue(func() []cost.TrackerOption {
	ids := strings.Fields(`contains_string starts_with_string ends_with_string string_char_at_int string_index_of_string string_index_of_string_int string_last_index_of_string
		string_last_index_of_string_int string_lower_ascii string_upper_ascii string_replace_string_string
		string_replace_string_string_int string_split_string string_split_string_int string_substring_int
		string_substring_int_int string_trim list_join list_join_string list_slice`)
	out := make([]cost.TrackerOption, 0, len(ids)+len(functions))
	for _, f := range functions {
		if p := prices[f.Name]; p != nil {
			out = append(out, cost.OverloadTracker(f.overload(), p))
			continue
		}
		ids = append(ids, f.overload())
	}
	for _, id := range ids {
		out = append(out, cost.OverloadTracker(id, price))
	}
	return out
})

// price is one unit, one for each element and one for each bytesPerUnit bytes
// of the arguments and of the result. Phrases are priced by the text that
// they are looked for in, each.
func price(args []ref.Val, result ref.Val) *uint64 {
	n := 1 + size(result)
	phrases := uint64(1)
	for i, a := range args {
		n += size(a)
		if l, ok := a.(traits.Lister); ok && i > 0 {
			phrases = uint64(l.Size().(types.Int))
		}
	}
	n += max(phrases, 1) * size(args[0])
	return &n
}

// prices are those of functions whose cost is another.
var prices = map[string]cost.FunctionTracker{"mentions": priceOfWords, "language": priceOfLanguage, "json": priceOfData}

// wordsPerUnit is how many words are looked for at the price of one phrase.
const wordsPerUnit = 8

func priceOfWords(args []ref.Val, _ ref.Val) *uint64 {
	n := 1 + size(args[1]) + size(args[0])*(1+size(args[1])/wordsPerUnit)
	return &n
}

// unitsForLanguage is what telling the language of a text costs beside reading
// it.
const unitsForLanguage = 16_000

func priceOfLanguage(args []ref.Val, _ ref.Val) *uint64 {
	n := 1 + 2*size(args[0]) + unitsForLanguage
	return &n
}

// priceOfData is that of parsing and of making values.
func priceOfData(args []ref.Val, _ ref.Val) *uint64 {
	n := 1 + 10*size(args[0])
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

func join(args ...ref.Val) ref.Val {
	parts, err := stringsOf(args[0].(traits.Lister))
	if err != nil {
		return types.WrapErr(err)
	}
	sep := ""
	if len(args) == 2 {
		sep = string(args[1].(types.String))
	}
	n := len(sep) * max(0, len(parts)-1)
	for _, p := range parts {
		n += len(p)
	}
	if n > MaxText {
		return types.WrapErr(errTextSize(n))
	}
	return types.String(strings.Join(parts, sep))
}
