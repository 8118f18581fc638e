package check

import (
	"reflect"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
)

// The objects that functions give. The compiler knows their fields, so that a
// misspelt one is an error when a check is written.
type (
	section struct {
		Title string `json:"title"`
		Level int    `json:"level"`
		Text  string `json:"text"`
	}
	table struct {
		Header []string   `json:"header"`
		Rows   [][]string `json:"rows"`
	}
	codeBlock struct {
		Lang string `json:"lang"`
		Body string `json:"body"`
	}
	link struct {
		Text string `json:"text"`
		URL  string `json:"url"`
	}
)

var objectTypes = []reflect.Type{reflect.TypeFor[section](), reflect.TypeFor[table](), reflect.TypeFor[codeBlock](), reflect.TypeFor[link]()}

// provider and adapter tell the compiler of the objects, and make values of
// them.
var provider, adapter = func() (types.Provider, types.Adapter) {
	args := []any{types.ParseStructTag("json")}
	for _, t := range objectTypes {
		args = append(args, t)
	}
	r := types.NewEmptyRegistry()
	p, a, err := types.ComposeTypes(r, r, args...)
	if err != nil {
		panic(err) // a mistake in the types above
	}
	return p, a
}()

func listOf[T any]() *cel.Type {
	return cel.ListType(cel.ObjectType(reflect.TypeFor[T]().String()))
}

// fieldsHint lists the fields of the objects that a field may have been meant
// for: the compiler does not say of which one it was asked.
func fieldsHint() string {
	var out []string
	for _, t := range objectTypes {
		var names []string
		for field := range t.Fields() {
			names = append(names, field.Tag.Get("json"))
		}
		out = append(out, "a "+strings.ReplaceAll(t.Name(), "B", " b")+" has "+strings.Join(names, ", "))
	}
	return strings.Join(out, "; ")
}
