package schemas

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// resolve follows references. It is nil for no schema.
func resolve(s *jsonschema.Schema) *jsonschema.Schema {
	for s != nil && s.Ref != nil {
		s = s.Ref
	}
	return s
}

// items is the schema of the elements of an array, or nil.
func items(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	return s.Items2020
}

// property finds the schema of a property, nil if there is none. A name of the
// schema in another case is refused.
func property(s *jsonschema.Schema, name string) (*jsonschema.Schema, *problem) {
	if s == nil {
		return nil, nil
	}
	if of, ok := s.Properties[name]; ok {
		return of, nil
	}
	for known := range s.Properties {
		if strings.EqualFold(known, name) {
			return nil, &problem{text: "is spelt " + quote(known) + ": names are case-sensitive"}
		}
	}
	of, _ := s.AdditionalProperties.(*jsonschema.Schema)
	return of, nil
}

// below is the schema of what is at a path below s, or nil.
func below(s *jsonschema.Schema, path []string) *jsonschema.Schema {
	s = resolve(s)
	for _, token := range path {
		if s == nil {
			return nil
		}
		of := items(s)
		if of == nil {
			of, _ = property(s, token)
		}
		s = resolve(of)
	}
	return s
}
