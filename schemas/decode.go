package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxDepth is how deeply arrays and objects may be nested in each other. The
// protocol needs five levels; the rest is room for vendors' fields.
const maxDepth = 64

// decode reads data, strictly, as what the schema s describes. The schema is
// needed to know the proper spelling of names and where numbers are integers.
func decode(data []byte, s *jsonschema.Schema) (any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("the data is empty: a JSON object is expected")
	}
	if i := invalidUTF8(data); i >= 0 {
		return nil, fmt.Errorf("the data is not valid UTF-8 at byte %d", i)
	}
	if i := loneSurrogate(data); i >= 0 {
		return nil, fmt.Errorf("the escape at byte %d is half of a surrogate pair: write both halves, or the character itself", i)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, p := value(d, s, 0)
	if p != nil {
		return nil, p
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("the data goes on after the JSON value, at byte %d", d.InputOffset())
	}
	return v, nil
}

// value reads the next value; depth is the number of arrays and objects around
// it. The schema s is nil where the value is none of the schema's business.
func value(d *json.Decoder, s *jsonschema.Schema, depth int) (any, *problem) {
	t, err := d.Token()
	if err != nil {
		return nil, syntaxProblem(d, err)
	}
	if s != nil && s.Ref != nil {
		s = s.Ref
	}
	switch t := t.(type) {
	case json.Delim:
		if depth == maxDepth {
			return nil, &problem{text: fmt.Sprintf("nested deeper than %d arrays and objects", maxDepth)}
		}
		if t == '{' {
			return object(d, s, depth+1)
		}
		return array(d, s, depth+1)
	case json.Number:
		return number(t.String(), s)
	}
	return t, nil // string, bool, nil
}

func array(d *json.Decoder, s *jsonschema.Schema, depth int) (any, *problem) {
	list := []any{}
	var items *jsonschema.Schema
	if s != nil {
		items = s.Items2020
	}
	for d.More() {
		v, p := value(d, items, depth)
		if p != nil {
			return nil, p.under(strconv.Itoa(len(list)))
		}
		list = append(list, v)
	}
	if _, err := d.Token(); err != nil {
		return nil, syntaxProblem(d, err)
	}
	return list, nil
}

func object(d *json.Decoder, s *jsonschema.Schema, depth int) (any, *problem) {
	o := map[string]any{}
	var folded map[string]string // names that are not their own folded form, by that
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, syntaxProblem(d, err)
		}
		name := t.(string)
		if _, ok := o[name]; ok {
			return nil, (&problem{text: "the name is there twice in one object"}).under(name)
		}
		f := fold(name)
		other, clash := folded[f]
		if f != name {
			if _, ok := o[f]; ok {
				other, clash = f, true
			}
			if folded == nil {
				folded = map[string]string{}
			}
			folded[f] = name
		}
		if clash {
			return nil, (&problem{text: "differs from " + quote(other) + " in the same object by case only"}).under(name)
		}
		of, proper := property(s, name)
		if proper != "" {
			return nil, (&problem{text: "is spelt " + quote(proper) + ": names are case-sensitive"}).under(name)
		}
		v, p := value(d, of, depth)
		if p != nil {
			return nil, p.under(name)
		}
		o[name] = v
	}
	if _, err := d.Token(); err != nil {
		return nil, syntaxProblem(d, err)
	}
	return o, nil
}

// property finds the schema of a property, nil if there is none. If the name
// is one of the schema's in another case, proper is how it should be spelt.
func property(s *jsonschema.Schema, name string) (of *jsonschema.Schema, proper string) {
	if s == nil {
		return nil, ""
	}
	if of, ok := s.Properties[name]; ok {
		return of, ""
	}
	for known := range s.Properties {
		if strings.EqualFold(known, name) {
			return nil, known
		}
	}
	of, _ = s.AdditionalProperties.(*jsonschema.Schema)
	return of, ""
}

// number turns a literal into an int64 where it fits one and else into a
// float64. JSON Schema takes 1.0 and 1e3 for integers, encoding/json does not:
// they are refused here, or a valid event could not be decoded.
func number(literal string, s *jsonschema.Schema) (any, *problem) {
	if i, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return i, nil
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return nil, &problem{text: cut(literal) + " is out of the range of a 64-bit floating point number"}
	}
	if s != nil && s.Types != nil && strings.ContainsAny(literal, ".eE") {
		if types := s.Types.ToStrings(); slices.Contains(types, "integer") && !slices.Contains(types, "number") {
			return nil, &problem{text: cut(literal) + " must be an integer, written without fraction and exponent"}
		}
	}
	return f, nil
}

// fold maps names that differ by case only to the same string, by the same
// rule as encoding/json and strings.EqualFold.
func fold(name string) string {
	for i := range len(name) {
		if c := name[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return strings.Map(foldRune, name)
		}
	}
	return name
}

// foldRune is the smallest rune of those that differ from r by case only, and
// for Latin letters the lower one.
func foldRune(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}

// invalidUTF8 is the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// loneSurrogate is the offset of the first \u escape that is half of a
// surrogate pair without its other half, or -1. encoding/json would silently
// put U+FFFD in its place.
func loneSurrogate(data []byte) int {
	for i := 0; ; {
		next := bytes.IndexByte(data[i:], '\\')
		if next < 0 {
			return -1
		}
		i += next
		switch r := escaped(data[i:]); {
		case r < 0xD800 || r > 0xDFFF: // -1: another escape, two bytes at least
			i = min(i+2, len(data))
		case r > 0xDBFF:
			return i
		default:
			if low := escaped(data[i+6:]); low < 0xDC00 || low > 0xDFFF {
				return i
			}
			i += 12
		}
	}
}

// escaped is the number of the \uXXXX escape that data begins with, or -1.
func escaped(data []byte) int64 {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return int64(n)
}
