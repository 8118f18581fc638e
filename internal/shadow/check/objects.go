package check

import (
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
)

// fieldsOf are the fields of the objects that functions give, in the order of
// the signatures. They are maps when a check runs; their types are declared so
// that a misspelt field is an error when the check is written.
var fieldsOf = map[string][]objectField{
	"section":    {{"title", str}, {"level", cel.IntType}, {"text", str}},
	"table":      {{"header", strList}, {"rows", cel.ListType(strList)}},
	"code block": {{"lang", str}, {"body", str}},
	"link":       {{"text", str}, {"url", str}},
}

type objectField struct {
	name string
	kind *cel.Type
}

// listOf is the type of a list of objects.
func listOf(kind string) *cel.Type { return cel.ListType(cel.ObjectType(kind)) }

// objects tells the compiler of the fields.
type objects struct{ *types.Registry }

func newObjects() (objects, error) {
	r, err := types.NewRegistry()
	return objects{r}, err
}

func (o objects) FindStructType(name string) (*types.Type, bool) {
	if fieldsOf[name] != nil {
		return types.NewTypeTypeWithParam(cel.ObjectType(name)), true
	}
	return o.Registry.FindStructType(name)
}

func (o objects) FindStructFieldNames(name string) ([]string, bool) {
	fields, ok := fieldsOf[name]
	if !ok {
		return o.Registry.FindStructFieldNames(name)
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	return names, true
}

func (o objects) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	fields, ok := fieldsOf[name]
	if !ok {
		return o.Registry.FindStructFieldType(name, field)
	}
	i := slices.IndexFunc(fields, func(f objectField) bool { return f.name == field })
	if i < 0 {
		return nil, false
	}
	return &types.FieldType{Type: fields[i].kind}, true
}

// fieldsHint lists the fields of the objects that a field may have been meant
// for: the compiler does not say of which one it was asked.
func fieldsHint() string {
	var out []string
	for _, kind := range []string{"section", "table", "code block", "link"} {
		names, _ := objects{}.FindStructFieldNames(kind)
		out = append(out, "a "+kind+" has "+strings.Join(names, ", "))
	}
	return strings.Join(out, "; ")
}
