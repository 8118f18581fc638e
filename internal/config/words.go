package config

import (
	"reflect"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Words for messages about the configuration.

// describe says what a field of type t may hold, to follow "allowed".
func describe(t reflect.Type, allowed string) string {
	low, high, isRange := strings.Cut(allowed, "..")
	choice := strings.ReplaceAll(allowed, "|", ", ")
	switch {
	case t == durationType:
		return "are durations such as 90s, 10m or 24h, from " + low + " to " + high
	case t.Kind() == reflect.Bool:
		return "are true and false"
	case t == reflect.TypeFor[User]():
		return "are mappings with the keys name, role, commander, and nkey, nkey_file or password_file"
	case t == reflect.TypeFor[Author]():
		return "are rules, PROVIDER:MODEL and mappings with the keys " + strings.Join(fieldNames(t), ", ")
	case t == reflect.TypeFor[Judge]():
		return "are names of models, PROVIDER:MODEL, URL#MODEL and mappings with the keys " + strings.Join(fieldNames(t), ", ")
	case t.Kind() == reflect.Struct:
		return "are mappings with the keys " + strings.Join(fieldNames(t), ", ")
	case isRange && t.Kind() == reflect.Float64:
		return "are numbers from " + low + " to " + high
	case isRange:
		return "are whole numbers from " + low + " to " + high
	case allowed != "":
		return "are " + choice
	}
	return "is text"
}

// kindOf says what a node is.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	shown := shorten(n.Value)
	switch n.Tag {
	case "!!null":
		return "there is no value"
	case "!!bool":
		return shown + " is true or false"
	case "!!int", "!!float":
		return shown + " is a number"
	case "!!str":
		return quote(n.Value) + " is text"
	case "!!timestamp":
		return shown + " is a date"
	}
	return "a value with the tag " + shorten(n.Tag)
}

// unquoted says what a node is that should be text.
func unquoted(n *yaml.Node) string {
	switch n.Tag {
	case "!!bool", "!!int", "!!float", "!!timestamp":
		return kindOf(n) + ", as it has no quotes"
	}
	return kindOf(n)
}

// controlCharacter never comes with the text: it may be a URL with a password.
const controlCharacter = "there is a control character in it"

// quote shows text of the file, and never more than 40 characters of it.
func quote(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strconv.Quote(s)
}

// shorten is quote, but leaves the quotes from a plain word.
func shorten(s string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '-' || r == '.' || r == '+' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if s != "" && len(s) <= 40 && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return quote(s)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// fieldName is the key of a field.
func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

func fieldNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		names = append(names, fieldName(t.Field(i)))
	}
	return names
}

// keyPaths lists every key below t, blocks before what is in them.
func keyPaths(t reflect.Type, path string) []string {
	var paths []string
	for i := range t.NumField() {
		f := t.Field(i)
		here := join(path, fieldName(f))
		paths = append(paths, here)
		if f.Type.Kind() == reflect.Struct {
			paths = append(paths, keyPaths(f.Type, here)...)
		}
	}
	return paths
}

// elsewhere is a hint at a key of that name in another block.
func elsewhere(name string) string {
	for _, path := range keyPaths(reflect.TypeFor[Config](), "") {
		if last := path[strings.LastIndex(path, ".")+1:]; last == fold(name) {
			return ` (did you mean ` + path + `?)`
		}
	}
	return ""
}

// didYouMean is a hint at the word in known that is nearest to word, or "" if
// none is near or several are.
func didYouMean(word string, known []string) string {
	best, distance := "", 3
	for _, k := range known {
		switch d := editDistance(fold(word), fold(k)); {
		case d < distance && 3*d < len(k)+3:
			best, distance = k, d
		case d == distance:
			best = ""
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}

// fold removes what people mix up in keys. Long words are cut: they are near
// to nothing, and the distance takes the product of the lengths.
func fold(s string) string {
	return strings.ReplaceAll(strings.ToLower(s[:min(len(s), 40)]), "-", "_")
}

// editDistance is the Levenshtein distance of two words, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
