package schemas

import (
	"fmt"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxIgnored is how many fields Ignored names.
const maxIgnored = 20

// Ignored checks data as [Validate] does, and says which of its fields nobody
// reads, since the schema does not know them: sentences for the author of the
// event, in order. A field of all elements of a list stands once, with * for
// the index.
func Ignored(name string, data []byte) ([]string, error) {
	s := compiled()[name]
	if s == nil {
		return nil, fmt.Errorf("there is no schema called %.60q", name)
	}
	v, err := decode(data, s)
	if err != nil {
		return nil, err
	}
	if err := list(check(s, v)); err != nil {
		return nil, err
	}
	found := map[string]bool{}
	ignored(s, v, nil, found)
	said := slices.Sorted(maps.Keys(found))
	if more := len(said) - maxIgnored; more > 0 {
		said = append(said[:maxIgnored], fmt.Sprintf("and %d more unknown fields", more))
	}
	return said, nil
}

// ignored looks below path.
func ignored(s *jsonschema.Schema, v any, path []string, found map[string]bool) {
	if s = resolve(s); s == nil {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			ignored(items(s), element, append(path, "*"), found)
		}
	case map[string]any:
		for name, value := range v {
			of, _ := property(s, name)
			at := append(path, name)
			if of == nil {
				found[(&problem{path: at, text: "is unknown, and nobody reads it"}).Error()] = true
			}
			ignored(of, value, at, found)
		}
	}
}
