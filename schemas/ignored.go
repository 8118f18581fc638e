package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxIgnored is how many fields Ignored names.
const maxIgnored = 20

// Ignored says which fields the data of the event called name has that nobody
// reads, since its schema does not know them: sentences for the author of the
// event, in order. A field of all elements of a list stands once, with * for
// the index. The data must have passed Validate.
func Ignored(name string, data []byte) []string {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return nil
	}
	found := map[string]bool{}
	ignored(compiled()[name], v, nil, found)
	said := slices.Sorted(maps.Keys(found))
	if more := len(said) - maxIgnored; more > 0 {
		said = append(said[:maxIgnored], fmt.Sprintf("and %d more unknown fields", more))
	}
	return said
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
			at := append(slices.Clone(path), name)
			if of == nil {
				found[(&problem{path: at, text: "is unknown, and nobody reads it"}).Error()] = true
			}
			ignored(of, value, at, found)
		}
	}
}
