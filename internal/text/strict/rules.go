// Package strict decodes documents into Go types and says all that is wrong
// with them: events in JSON ([Decode]) and files in YAML ([ReadFile]). Both are
// read by the same rules and refused in the same words.
//
// The rules of a field stand in its struct tag "is", separated by commas:
//
//	min=N, max=N  of a number, at least 0 if there is no min; of the characters
//	              of a text, the elements of a list, the fields of an object.
//	              Durations and sizes have units.
//	of=A|B        one of these; or=C is one more than those of the type
//	NAME          a form that [Forms] knows
//	unique        no two elements are equal
//	required      it must be there
//	size          an integer that may have a unit, such as 10GB
//
// Behind a semicolon stand the rules of a list's elements or a table's values,
// and behind a second one those of a table's names. A type of which a method
// Rule returns rules has them everywhere. The tag "must" says in words what a
// value must be. In JSON a field is required unless its tag has omitempty, or
// omitzero of a struct; what may be left out of an output is not empty and not 0.
package strict

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Form is what a text must look like: a regular expression, and in words, which
// may be left out.
type Form struct{ Pattern, Words string }

type form struct {
	*regexp.Regexp
	words string
}

var forms = map[string]form{}

// Forms makes forms known, for tags of types that are declared in the package.
func Forms(all map[string]Form) struct{} {
	for name, f := range all {
		forms[name] = form{regexp.MustCompile(f.Pattern), f.Words}
	}
	return struct{}{}
}

var _ = Forms(map[string]Form{
	"text":     {`\S`, ""},
	"duration": {`^([0-9]+d)?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))*$`, "a duration such as 90s, 10m, 24h or 7d"},
	"size":     {`^[0-9]+(B|kB|KB|MB|GB|TB|KiB|MiB|GiB|TiB)?$`, "a size such as 512KiB, 10GB or a number of bytes"},
})

// reading is the kind of document that is read.
type reading int

// The kinds.
const (
	Input  reading = iota // fields that nobody knows are ignored and told, and what may be left out may be null
	Output                // takes no unknown field and no null
	file                  // is as Output, of YAML: an object without a value is an empty one
)

type bound struct {
	text string // as it is written; empty: there is none
	n    float64
}

// node says what a value must be.
type node struct {
	goType   reflect.Type
	types    []string // of JSON
	must     string
	min, max bound
	of       []string
	form     form
	unique   bool
	unit     string // "duration" or "size"
	null     bool   // it may be null
	elem     *node  // of a list or a table
	key      *node  // names of a table
	fields   []field
	byName   map[string]int
}

type field struct {
	name     string
	index    []int
	required bool
	*node
}

// maxKnown is how many fields a type may have.
const maxKnown = 64

type treeKey struct {
	reflect.Type
	reading
}

var trees sync.Map // of *node by treeKey

func tree(t reflect.Type, how reading) *node {
	key := treeKey{t, how}
	if n, ok := trees.Load(key); ok {
		return n.(*node)
	}
	n := newNode(t, []string{""}, "", how)
	trees.Store(key, n)
	return n
}

// newNode makes the node of a type with the rules of a tag. A mistake in a tag
// panics: the tests read every type.
func newNode(t reflect.Type, rules []string, must string, how reading) *node {
	if t.Kind() == reflect.Pointer {
		return newNode(t.Elem(), rules, must, how)
	}
	n := &node{goType: t, must: must}
	own, rest := rules[0], append(rules[1:], "")
	if r, ok := reflect.Zero(t).Interface().(interface{ Rule() string }); ok {
		n.rules(r.Rule())
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		n.types = []string{"string"}
	case t == reflect.TypeFor[time.Duration]():
		n.types, n.unit, n.form = []string{"string"}, "duration", forms["duration"]
	case t == reflect.TypeFor[json.Number](), t.Kind() == reflect.Float64:
		n.types = []string{"number"}
	case t.Kind() == reflect.String:
		n.types = []string{"string"}
	case t.Kind() == reflect.Bool:
		n.types = []string{"boolean"}
	case t.Kind() == reflect.Slice:
		n.types, n.elem = []string{"array"}, newNode(t.Elem(), rest, "", how)
	case t.Kind() == reflect.Map:
		n.types, n.elem, n.key = []string{"object"}, newNode(t.Elem(), rest, "", how), newNode(reflect.TypeFor[string](), append(rest[1:], ""), "", how)
	case t.Kind() == reflect.Struct:
		n.types = []string{"object"}
		if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
			n.types = []string{"string", "object"}
		}
		n.byName = map[string]int{}
		n.addFields(t, nil, how)
	default:
		n.types = []string{"integer"}
	}
	n.rules(own)
	if n.min.text == "" && (n.unit != "" || n.types[0] == "number" || n.types[0] == "integer") {
		if n.min.text = "0"; n.unit == "duration" {
			n.min.text = "0s"
		}
	}
	if n.must == "" {
		n.must = n.form.words
	}
	return n
}

func (n *node) addFields(t reflect.Type, index []int, how reading) {
	tag := "json"
	if how == file {
		tag = "yaml"
	}
	for i := range t.NumField() {
		f, at := t.Field(i), append(slices.Clone(index), i)
		name, options, _ := strings.Cut(f.Tag.Get(tag), ",")
		switch {
		case f.Anonymous:
			n.addFields(f.Type, at, how)
			continue
		case name == "" || name == "-":
			continue
		}
		is := f.Tag.Get("is")
		of := field{name: name, index: at, node: newNode(f.Type, strings.Split(is, ";"), f.Tag.Get("must"), how)}
		mayMiss := how == file || options == "omitempty" || options == "omitzero" && of.fields != nil
		of.required = !mayMiss || slices.Contains(strings.FieldsFunc(is, func(r rune) bool { return r == ',' || r == ';' }), "required")
		of.null = how == Input && !of.required || how == file && of.fields != nil
		if how == Output && !of.required && of.min.n == 0 && slices.Contains([]string{"string", "array", "integer"}, of.types[0]) {
			of.min = bound{"1", 1}
		}
		if of.null && how == Input {
			of.types = append([]string{"null"}, of.types...)
		}
		n.byName[name] = len(n.fields)
		if n.fields = append(n.fields, of); len(n.fields) > maxKnown {
			panic(fmt.Sprintf("%s has more than %d fields", t, maxKnown))
		}
	}
}

// rules reads the rules of one value.
func (n *node) rules(text string) {
	for r := range strings.SplitSeq(text, ",") {
		switch word, value, _ := strings.Cut(r, "="); word {
		case "", "required":
		case "min":
			n.min = n.bound(value)
		case "max":
			n.max = n.bound(value)
		case "of":
			n.of = strings.Split(value, "|")
		case "or":
			n.of = append(slices.Clone(n.of), value)
		case "unique":
			n.unique = true
		case "size":
			n.types, n.unit, n.form = []string{"string", "integer"}, word, forms[word]
		default:
			f, known := forms[word]
			if !known {
				panic(fmt.Sprintf("%s: no rule is called %q", n.goType, word))
			}
			n.form = f
		}
	}
}

func (n *node) bound(text string) bound {
	b := bound{text: text}
	var err error
	switch n.unit {
	case "duration":
		var d time.Duration
		d, err = ParseDuration(text)
		b.n = float64(d)
	case "size":
		var size int64
		size, err = parseSize(text)
		b.n = float64(size)
	default:
		b.n, err = strconv.ParseFloat(text, 64)
	}
	if err != nil {
		panic(err)
	}
	return b
}

// names are those of the fields, sorted.
func (n *node) names() []string { return slices.Sorted(maps.Keys(n.byName)) }

// ParseDuration reads what time.ParseDuration reads, and whole days before it.
func ParseDuration(s string) (time.Duration, error) {
	days, rest, ok := strings.Cut(s, "d")
	if !ok {
		return time.ParseDuration(s)
	}
	n, err := strconv.ParseUint(days, 10, 16) // 16 bits of days are within the range of a duration
	if err != nil {
		return 0, err
	}
	d := time.Duration(n) * 24 * time.Hour
	if rest == "" {
		return d, nil
	}
	more, err := time.ParseDuration(rest)
	return d + more, err
}

// parseSize reads whole bytes: 10GB, 512KiB.
func parseSize(s string) (int64, error) {
	digits := strings.TrimRight(s, "BkKMGTi")
	unit, known := sizes[s[len(digits):]]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !known || n < 0 || n > (1<<63-1)/unit {
		return 0, fmt.Errorf("%q is not a size", s)
	}
	return n * unit, nil
}

var sizes = map[string]int64{
	"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
}
