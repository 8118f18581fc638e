package schemas

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// tree turns a node into what a schema judges. It follows the schema and not
// the file, so that nesting cannot make it long; lists of aliases of lists could,
// and end at f.left.
func (f *File) tree(n *yaml.Node, line int, s *jsonschema.Schema, path string) any {
	if f.left--; f.left < 0 {
		if f.left == -1 {
			f.note(line, path, "aliases repeat too much of the file: write less, or without aliases")
		}
		return nil
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	f.places[path] = place{n, line}
	if s = resolve(s); s == nil {
		return nil // its key is refused
	}
	switch n.Kind {
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			list[i] = f.tree(item, item.Line, s.Items2020, path+"["+strconv.Itoa(i)+"]")
		}
		return list
	case yaml.MappingNode:
		return f.mapping(n, s, path)
	}
	v, problem := scalar(n, s)
	if problem != "" {
		f.note(n.Line, path, problem)
	}
	return v
}

// mapping keeps in n only what can be decoded: of keys that are there twice the
// first, and those that the schema knows.
func (f *File) mapping(n *yaml.Node, s *jsonschema.Schema, path string) any {
	o := map[string]any{}
	first := map[string]int{}
	var kept []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, line := n.Content[i], n.Content[i].Line
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			f.note(line, path, "a key is a list or a mapping: allowed is text")
			continue
		}
		here := join(path, key.Value)
		if first[key.Value] > 0 {
			f.note(line, here, fmt.Sprintf("the key is there twice, first in line %d: allowed is one", first[key.Value]))
			continue
		}
		first[key.Value] = line
		if s.Properties[key.Value] != nil {
			kept = append(kept, n.Content[i:i+2]...)
		}
		o[key.Value] = f.tree(n.Content[i+1], line, s.Properties[key.Value], here)
	}
	n.Content = kept
	return o
}

// decimal is a number that every reader reads alike.
var decimal = regexp.MustCompile(`\A-?(0|[1-9][0-9]*)(\.[0-9]+)?\z`)

// scalar reads one value, and puts a duration or a size into the form that Go
// reads.
func scalar(n *yaml.Node, s *jsonschema.Schema) (v any, problem string) {
	switch n.Tag {
	case "!!null":
		if s.Types != nil && slices.Contains(s.Types.ToStrings(), "object") {
			return map[string]any{}, ""
		}
		return nil, ""
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), ""
	case "!!int", "!!float":
		if !decimal.MatchString(n.Value) {
			return nil, quote(n.Value) + " is not a number in decimal digits"
		}
		v, p := number(n.Value, s)
		if p != nil {
			return nil, p.text
		}
		return v, ""
	case "!!str", "!!timestamp":
		if strings.ContainsFunc(n.Value, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			// Not shown: it may be a URL with a password.
			return n.Value, "there is a control character in it"
		}
		v := n.Value // as it is written; withUnit changes the node
		return v, withUnit(n, s)
	}
	return n.Value, "the tag " + quote(n.Tag) + " is not known: leave it out"
}
