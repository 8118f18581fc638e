package check

import (
	"strings"
	"sync"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
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
		cel.EnableMacroCallTracking(),        // for Sides, which writes parts of an expression
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
		// CEL's own compare at every place of the string.
		cel.Function("indexOf",
			cel.MemberOverload("string_index_of_string", []*cel.Type{cel.StringType, cel.StringType}, cel.IntType, cel.FunctionBinding(indexOf)),
			cel.MemberOverload("string_index_of_string_int", []*cel.Type{cel.StringType, cel.StringType, cel.IntType}, cel.IntType, cel.FunctionBinding(indexOf))),
		cel.Function("lastIndexOf",
			cel.MemberOverload("string_last_index_of_string", []*cel.Type{cel.StringType, cel.StringType}, cel.IntType, cel.FunctionBinding(lastIndexOf)),
			cel.MemberOverload("string_last_index_of_string_int", []*cel.Type{cel.StringType, cel.StringType, cel.IntType}, cel.IntType, cel.FunctionBinding(lastIndexOf))),
	}
	for _, f := range functions {
		opts = append(opts, cel.Function(f.Name, cel.MemberOverload("text_"+f.Name, f.args, f.result, cel.LateFunctionBinding())))
	}
	return cel.NewCustomEnv(opts...)
})

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

func indexOf(args ...ref.Val) ref.Val {
	s, sub, from := string(args[0].(types.String)), string(args[1].(types.String)), 0
	if len(args) == 3 {
		from = byteAt(s, args[2])
	}
	if i := strings.Index(s[from:], sub); i >= 0 {
		return types.Int(utf8.RuneCountInString(s[:from+i]))
	}
	return types.IntNegOne
}

func lastIndexOf(args ...ref.Val) ref.Val {
	s, sub := string(args[0].(types.String)), string(args[1].(types.String))
	if len(args) == 3 { // the last place where it may begin
		s = s[:min(byteAt(s, args[2])+len(sub), len(s))]
	}
	if i := strings.LastIndex(s, sub); i >= 0 {
		return types.Int(utf8.RuneCountInString(s[:i]))
	}
	return types.IntNegOne
}

// byteAt is where a character of a string begins, by its number from 0.
func byteAt(s string, character ref.Val) int {
	left := character.(types.Int)
	for i := range s {
		if left <= 0 {
			return i
		}
		left--
	}
	return len(s)
}
