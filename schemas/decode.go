package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
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
	// encoding/json judges the syntax, so that r can read without doubt.
	if err := syntaxError(data); err != nil {
		return nil, err
	}
	r := reader{data: data}
	v, p := r.value(s, 0)
	if p != nil {
		return nil, p
	}
	return v, nil
}

func syntaxError(data []byte) error {
	if json.Valid(data) {
		return nil
	}
	var value json.RawMessage
	err := json.Unmarshal(data, &value)
	if at := new(json.SyntaxError); errors.As(err, &at) {
		return fmt.Errorf("not JSON at byte %d: %w", at.Offset, err)
	}
	return fmt.Errorf("not JSON: %w", err)
}

// reader reads the values of a JSON text whose syntax is known to be right.
type reader struct {
	data []byte
	i    int
}

// next skips white space and returns the byte there, without taking it.
func (r *reader) next() byte {
	for {
		switch c := r.data[r.i]; c {
		case ' ', '\t', '\n', '\r':
			r.i++
		default:
			return c
		}
	}
}

// value reads the next value; depth is the number of arrays and objects around
// it. The schema s is nil where the value is none of the schema's business.
func (r *reader) value(s *jsonschema.Schema, depth int) (any, *problem) {
	if s != nil && s.Ref != nil {
		s = s.Ref
	}
	c := r.next()
	if (c == '{' || c == '[') && depth == maxDepth {
		return nil, &problem{text: fmt.Sprintf("nested deeper than %d arrays and objects", maxDepth)}
	}
	switch c {
	case '{':
		return r.object(s, depth+1)
	case '[':
		return r.array(s, depth+1)
	case '"':
		return r.string()
	case 't':
		r.i += len("true")
		return true, nil
	case 'f':
		r.i += len("false")
		return false, nil
	case 'n':
		r.i += len("null")
		return nil, nil
	}
	start := r.i
	for r.i < len(r.data) && strings.IndexByte("+-.0123456789Ee", r.data[r.i]) >= 0 {
		r.i++
	}
	return number(string(r.data[start:r.i]), s)
}

// more steps over the bracket before the first element or the comma before
// another, and reports whether there is an element; if not, it has taken the
// closing bracket.
func (r *reader) more(closing byte) bool {
	c := r.next()
	r.i++
	if c == closing {
		return false
	}
	if c != ',' && r.next() == closing {
		r.i++
		return false
	}
	return true
}

func (r *reader) array(s *jsonschema.Schema, depth int) (any, *problem) {
	list := []any{}
	var items *jsonschema.Schema
	if s != nil {
		items = s.Items2020
	}
	for r.more(']') {
		v, p := r.value(items, depth)
		if p != nil {
			return nil, p.under(strconv.Itoa(len(list)))
		}
		list = append(list, v)
	}
	return list, nil
}

func (r *reader) object(s *jsonschema.Schema, depth int) (any, *problem) {
	o := map[string]any{}
	var names names
	for r.more('}') {
		r.next()
		name, p := r.string()
		if p != nil {
			return nil, p
		}
		if p := names.add(name, o); p != nil {
			return nil, p.under(name)
		}
		of, p := property(s, name)
		if p != nil {
			return nil, p.under(name)
		}
		r.next()
		r.i++ // the colon
		v, p := r.value(of, depth)
		if p != nil {
			return nil, p.under(name)
		}
		o[name] = v
	}
	return o, nil
}

// string reads the string that begins at r.i.
func (r *reader) string() (string, *problem) {
	r.i++
	end := r.i
	for r.data[end] != '"' {
		if r.data[end] == '\\' {
			end++
		}
		end++
	}
	n := bytes.IndexByte(r.data[r.i:end], '\\')
	if n < 0 {
		s := string(r.data[r.i:end])
		r.i = end + 1
		return s, nil
	}
	var b strings.Builder
	b.Grow(end - r.i)
	for ; n >= 0; n = bytes.IndexByte(r.data[r.i:end], '\\') {
		b.Write(r.data[r.i : r.i+n])
		r.i += n
		c, p := r.escape()
		if p != nil {
			return "", p
		}
		b.WriteRune(c)
	}
	b.Write(r.data[r.i:end])
	r.i = end + 1
	return b.String(), nil
}

// escape reads the escape that begins at r.i. Half of a surrogate pair is
// refused: encoding/json would silently put U+FFFD in its place.
func (r *reader) escape() (rune, *problem) {
	c := r.data[r.i+1]
	if c != 'u' {
		r.i += 2
		if k := strings.IndexByte("bfnrt", c); k >= 0 {
			return rune("\b\f\n\r\t"[k]), nil
		}
		return rune(c), nil
	}
	u := r.unit()
	if !utf16.IsSurrogate(u) {
		return u, nil
	}
	if bytes.HasPrefix(r.data[r.i:], []byte(`\u`)) {
		if whole := utf16.DecodeRune(u, r.unit()); whole != utf8.RuneError {
			return whole, nil
		}
	}
	return 0, &problem{text: fmt.Sprintf(`the escape \u%04x is half of a surrogate pair: write both halves, or the character itself`, u)}
}

// unit reads the \uXXXX that begins at r.i.
func (r *reader) unit() rune {
	n, _ := strconv.ParseUint(string(r.data[r.i+2:r.i+6]), 16, 16) // the syntax is known
	r.i += 6
	return rune(n)
}

// names refuses a name that stands twice in an object, in whatever case.
type names struct {
	folded map[string]string // those that are not their own folded form, by that
}

// add takes in another name of the object o, which holds those before it.
func (n *names) add(name string, o map[string]any) *problem {
	if _, ok := o[name]; ok {
		return &problem{text: "the name is there twice in one object"}
	}
	f := fold(name)
	other, clash := n.folded[f]
	if f != name {
		if _, ok := o[f]; ok {
			other, clash = f, true
		}
		if n.folded == nil {
			n.folded = map[string]string{}
		}
		n.folded[f] = name
	}
	if clash {
		return &problem{text: "differs from " + quote(other) + " in the same object by case only"}
	}
	return nil
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
