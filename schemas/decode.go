package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// maxDepth is how deeply arrays and objects may be nested in each other. The
// protocol needs five levels; the rest is room for vendors' fields.
const maxDepth = 64

// decode reads JSON, strictly, as what the schema s describes. The schema is
// needed to know the proper spelling of names and where numbers are integers.
func decode(data []byte, s *jsonschema.Schema) (any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("the data is empty: a JSON object is expected")
	}
	if i := InvalidUTF8(data); i >= 0 {
		return nil, fmt.Errorf("the data is not valid UTF-8 at byte %d", i)
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		if at := new(json.SyntaxError); errors.As(err, &at) {
			return nil, fmt.Errorf("not JSON at byte %d: %w", at.Offset, err)
		}
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	r := reader{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	r.dec.UseNumber()
	v, p := r.value(s, 0)
	if p != nil {
		return nil, p
	}
	return v, nil
}

// reader reads the tokens of a JSON text whose syntax is known to be right.
type reader struct {
	data []byte
	dec  *json.Decoder
}

// token is the next token. A string with half of a surrogate pair is refused:
// encoding/json puts U+FFFD in its place.
func (r *reader) token() (json.Token, *problem) {
	start := r.dec.InputOffset()
	t, err := r.dec.Token()
	if err != nil {
		return nil, &problem{text: "not JSON: " + err.Error()}
	}
	if _, ok := t.(string); ok {
		if half := halfPair(r.data[start:r.dec.InputOffset()]); half != "" {
			return nil, &problem{text: "the escape " + half + " is half of a surrogate pair: write both halves, or the character itself"}
		}
	}
	return t, nil
}

// value reads the next value; depth is the number of arrays and objects around
// it. The schema s is nil where the value is none of the schema's business.
func (r *reader) value(s *jsonschema.Schema, depth int) (any, *problem) {
	s = resolve(s)
	t, p := r.token()
	if p != nil {
		return nil, p
	}
	switch t := t.(type) {
	case json.Number:
		return number(string(t), s)
	case json.Delim:
		if depth == maxDepth {
			return nil, &problem{text: fmt.Sprintf("nested deeper than %d arrays and objects", maxDepth)}
		}
		if t == '{' {
			return r.object(s, depth+1)
		}
		return r.array(s, depth+1)
	}
	return t, nil
}

func (r *reader) array(s *jsonschema.Schema, depth int) (any, *problem) {
	list := []any{}
	for r.dec.More() {
		v, p := r.value(items(s), depth)
		if p != nil {
			return nil, p.under(strconv.Itoa(len(list)))
		}
		list = append(list, v)
	}
	_, p := r.token() // the bracket
	return list, p
}

func (r *reader) object(s *jsonschema.Schema, depth int) (any, *problem) {
	o := map[string]any{}
	folded := map[string]string{}
	for r.dec.More() {
		t, p := r.token()
		if p != nil {
			return nil, p
		}
		name := t.(string)
		of, p := property(s, name)
		if _, twice := o[name]; twice {
			p = &problem{text: "the name is there twice in one object"}
		} else if other := folded[fold(name)]; other != "" {
			p = &problem{text: "differs from " + quote(other) + " in the same object by case only"}
		}
		folded[fold(name)] = name
		if p == nil {
			o[name], p = r.value(of, depth)
		}
		if p != nil {
			return nil, p.under(name)
		}
	}
	if _, p := r.token(); p != nil { // the brace
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
	var absent []string
	for known := range s.Properties {
		if _, ok := o[known]; !ok {
			absent = append(absent, known)
		}
	}
	slices.Sort(absent)
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if s.Properties[name] != nil {
			continue
		}
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

// escapes are the escapes of a JSON string, with those that belong together.
var escapes = regexp.MustCompile(`\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)`)

// halfPair is the first escape in a JSON string that is half of a surrogate
// pair, or "".
func halfPair(literal []byte) string {
	if !bytes.Contains(literal, []byte(`\ud`)) && !bytes.Contains(literal, []byte(`\uD`)) {
		return ""
	}
	for _, e := range escapes.FindAll(literal, -1) {
		if len(e) == len(`\u0000`) && (e[2]|0x20) == 'd' && e[3] >= '8' {
			return string(e)
		}
	}
	return ""
}

// fold maps names that differ by case only to the same string, by the same
// rule as encoding/json and strings.EqualFold.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
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
