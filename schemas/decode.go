package schemas

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// maxDepth is how deeply arrays and objects may be nested in each other. The
// protocol needs five levels; the rest is room for vendors' fields.
const maxDepth = 64

// maxFields is how many fields an object may have for which the schema has no
// bound of its own: each is looked at several times.
const maxFields = 1000

// decode reads JSON, strictly, as what the schema s describes. The schema is
// needed to know the proper spelling of names and where numbers are integers.
func decode(data []byte, s *jsonschema.Schema) (any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("the data is empty: a JSON object is expected")
	}
	// A name that is there twice is found with those that differ by case only.
	r := reader{Decoder: jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))}
	v, p := r.value(s, 0)
	if p == nil {
		r.syntax = End(r.Decoder)
	}
	if r.syntax != nil {
		return nil, fmt.Errorf("not JSON at %w", r.syntax)
	}
	if p != nil {
		return nil, p
	}
	return v, nil
}

// SyntaxError says where a text stops being JSON, and why, of an error of
// jsontext. It repeats little of the text, and escaped.
func SyntaxError(err error) error {
	at, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return err
	}
	help := ""
	if strings.Contains(at.Err.Error(), "surrogate pair") {
		help = ": write both halves, or the character itself"
	}
	p := &problem{path: slices.Collect(at.JSONPointer.Tokens()), text: at.Err.Error() + help}
	return fmt.Errorf("byte %d: %w", at.ByteOffset+1, p)
}

// End says whether anything stands behind the value that was read.
func End(d *jsontext.Decoder) error {
	behind := d.InputOffset() + 1
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("byte %d: something stands behind the value", behind)
	}
	return nil
}

// reader reads a JSON text. syntax is what ends it early.
type reader struct {
	*jsontext.Decoder
	syntax error
}

// next is the next token.
func (r *reader) next() (jsontext.Token, *problem) {
	t, err := r.ReadToken()
	if err != nil {
		r.syntax = SyntaxError(err)
		return t, &problem{}
	}
	return t, nil
}

// more says whether the array or object goes on. Where the syntax is wrong it does
// not, and what is read next says so.
func (r *reader) more() bool {
	switch r.PeekKind() {
	case 0, ']', '}':
		return false
	}
	return true
}

// value reads the next value; depth is the number of arrays and objects around
// it. The schema s is nil if the schema does not describe the value: it is
// checked and not kept, since it may take fifty times its length.
func (r *reader) value(s *jsonschema.Schema, depth int) (any, *problem) {
	s = resolve(s)
	t, p := r.next()
	if p != nil {
		return nil, p
	}
	switch t.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return t.Bool(), nil
	case '0':
		return number(t.String(), s)
	case '"':
		return t.String(), nil
	}
	if depth == maxDepth {
		return nil, &problem{text: fmt.Sprintf("nested deeper than %d arrays and objects", maxDepth)}
	}
	if t.Kind() == '{' {
		return r.object(s, depth+1)
	}
	return r.array(s, depth+1)
}

// array reads what follows a bracket. A list that is too long, or of which many
// elements are of a wrong type, ends here: the schema library takes a kilobyte
// for each thing that it finds.
func (r *reader) array(s *jsonschema.Schema, depth int) (any, *problem) {
	list, n, wrong := []any{}, 0, 0
	of := resolve(items(s))
	want := typesOf(of)
	for ; r.more(); n++ {
		v, p := r.value(of, depth)
		if p == nil && want != nil && !slices.Contains(want, typeOf(v)) {
			if wrong++; wrong > maxProblems {
				p = &problem{text: fmt.Sprintf("is of type %s, must be %s, as %d before it", typeOf(v), strings.Join(want, " or "), maxProblems)}
			}
		}
		if p != nil {
			return nil, p.under(strconv.Itoa(n))
		}
		if s != nil && (s.MaxItems == nil || n < *s.MaxItems) {
			list = append(list, v)
		}
	}
	if _, p := r.next(); p != nil { // the bracket
		return nil, p
	}
	if s != nil && n > len(list) {
		return nil, &problem{text: outOfBounds(&kind.MaxItems{Got: n, Want: len(list)})}
	}
	return list, nil
}

// typesOf are the types that a schema allows, nil for any. An integer is a
// number here.
func typesOf(s *jsonschema.Schema) []string {
	if s == nil || s.Types == nil {
		return nil
	}
	types := s.Types.ToStrings()
	if slices.Contains(types, "integer") {
		types = append(types, "number")
	}
	return types
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

func (r *reader) object(s *jsonschema.Schema, depth int) (any, *problem) {
	o := map[string]any{}
	folded := map[string]string{}
	most := maxFields
	if s != nil && s.MaxProperties != nil {
		most = *s.MaxProperties
	}
	for r.more() {
		if len(folded) == most {
			return nil, &problem{text: fmt.Sprintf("has more than %d fields", most)}
		}
		t, p := r.next()
		if p != nil {
			return nil, p
		}
		name := t.String()
		of, p := property(s, name)
		key := fold(name)
		if other, there := folded[key]; other == name && there {
			p = &problem{text: "the name is there twice in one object"}
		} else if there {
			p = &problem{text: "differs from " + quote(other) + " in the same object by case only"}
		}
		folded[key] = name
		var v any
		if p == nil {
			v, p = r.value(of, depth)
		}
		if p != nil {
			return nil, p.under(name)
		}
		if s != nil {
			o[name] = v
		}
	}
	if _, p := r.next(); p != nil { // the bracket
		return nil, p
	}
	return o, misspelt(o, s)
}

// misspelt finds a field that the schema does not know and that is near to one
// which is not there: subTasks for sub_tasks. Taken for a field of somebody
// else, it would be lost in silence.
func misspelt(o map[string]any, s *jsonschema.Schema) *problem {
	if s == nil || s.AdditionalProperties != nil {
		return nil
	}
	var absent, unknown []string
	for name := range o {
		if s.Properties[name] == nil {
			unknown = append(unknown, name)
		}
	}
	if unknown == nil {
		return nil
	}
	for known := range s.Properties {
		if _, ok := o[known]; !ok {
			absent = append(absent, known)
		}
	}
	slices.Sort(absent)
	slices.Sort(unknown)
	for _, name := range unknown {
		if guess := DidYouMean(name, absent); guess != "" {
			return (&problem{text: "is unknown" + guess}).under(name)
		}
	}
	return nil
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
		return nil, &problem{text: clip.To(literal, maxQuoted+1) + " is out of the range of a 64-bit floating point number"}
	}
	if s != nil && s.Types != nil && strings.ContainsAny(literal, ".eE") {
		if types := s.Types.ToStrings(); slices.Contains(types, "integer") && !slices.Contains(types, "number") {
			return nil, &problem{text: clip.To(literal, maxQuoted+1) + " must be an integer, written without fraction and exponent"}
		}
	}
	return f, nil
}

// fold maps names that differ by case only to the same string, by the same
// rule as encoding/json and strings.EqualFold.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		if least < utf8.RuneSelf {
			return unicode.ToLower(least) // a name in small letters stays as it is
		}
		return least
	}, name)
}

// InvalidUTF8 is the offset of the first byte that is not UTF-8, or -1.
func InvalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; ; {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
}
