package llm

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// member is a field of an object, with its name as the model wrote it. A value is
// a string, a literal, a list of values, or an object, which is a list of members.
type member struct {
	name  string
	value any
}

// literal is a number, true, false, null, or another word without quotation marks.
type literal string

var (
	errUnfinished = errors.New("it breaks off in the middle of an object")
	errNoObject   = errors.New("there is no JSON object in it")
)

// Bounds on a reply's text that is searched for objects.
const (
	maxText    = 1 << 20
	maxObjects = 100
	maxDepth   = 40
)

// objectsIn are the objects that stand in a text side by side, with any words
// around them. They are JSON as models write it: with comments, commas too many,
// single quotation marks or none. An object that does not end is an error, since
// what is missing may say something else.
func objectsIn(text string) (found [][]member, err error) {
	r := &reader{text: text[:min(len(text), maxText)]}
	for work := 0; len(found) < maxObjects && work < 4*maxText; {
		next := strings.IndexByte(r.text[r.at:], '{')
		if next < 0 {
			break
		}
		begin := r.at + next
		r.at, r.err = begin, nil
		object, _ := r.value(0).([]member)
		work += r.at - begin
		switch {
		case errors.Is(r.err, errUnfinished):
			return nil, r.err
		case r.err != nil:
			r.at = begin + 1
		default:
			found = append(found, object)
		}
	}
	if len(found) == 0 {
		return nil, errNoObject
	}
	return found, nil
}

// objects are the same as plain JSON.
func objects(text string) (plain []json.RawMessage) {
	found, _ := objectsIn(thought(text)) // none where there is an error
	for _, o := range found {
		raw, err := json.Marshal(plainJSON(o))
		if err == nil {
			plain = append(plain, raw)
		}
	}
	return plain
}

// plainJSON is a value as package json marshals it.
func plainJSON(v any) any {
	switch v := v.(type) {
	case []member:
		m := make(map[string]any, len(v))
		for _, f := range v {
			m[f.name] = plainJSON(f.value)
		}
		return m
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plainJSON(v[i])
		}
		return out
	case literal:
		if json.Valid([]byte(v)) {
			return json.RawMessage(v)
		}
		return string(v)
	}
	return v
}

// reader reads one value after the other. After its first error it reads nothing.
type reader struct {
	text string
	at   int
	err  error
}

var errSyntax = errors.New("it is no valid JSON")

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// peek is the next byte behind white space and comments, 0 at the end.
func (r *reader) peek() byte {
	for r.err == nil {
		r.at = len(r.text) - len(strings.TrimLeft(r.text[r.at:], " \t\r\n\u00a0\ufeff"))
		var end string
		switch rest := r.text[r.at:]; {
		case strings.HasPrefix(rest, "//"):
			end = "\n"
		case strings.HasPrefix(rest, "/*"):
			end = "*/"
		case rest == "":
			return 0
		default:
			return rest[0]
		}
		_, after, _ := strings.Cut(r.text[r.at:], end)
		r.at = len(r.text) - len(after)
	}
	return 0
}

// value reads a value.
func (r *reader) value(depth int) any {
	if depth > maxDepth {
		r.fail(errSyntax)
	}
	switch c := r.peek(); {
	case c == 0:
		r.fail(errUnfinished)
		return nil
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.list(depth)
	case quotation(r.text[r.at:]) != "":
		return r.str(false)
	}
	return r.bare()
}

func (r *reader) object(depth int) any {
	fields := []member{}
	for r.at++; ; {
		switch c := r.peek(); {
		case c == 0:
			r.fail(errUnfinished)
			return fields
		case c == '}':
			r.at++
			return fields
		case c == ',' && len(fields) > 0:
			r.at++
		default:
			name := r.name()
			fields = append(fields, member{name, r.value(depth + 1)})
		}
	}
}

// name reads the name of a field and its colon.
func (r *reader) name() (name string) {
	begin := r.at
	if quotation(r.text[r.at:]) != "" {
		name = r.str(true)
	} else {
		rest := strings.TrimLeftFunc(r.text[r.at:], isName)
		name = r.text[r.at : len(r.text)-len(rest)]
		r.at += len(name)
	}
	switch c := r.peek(); {
	case c == 0:
		r.fail(errUnfinished)
	case c != ':' || r.at == begin:
		r.fail(errSyntax)
	default:
		r.at++
	}
	return name
}

func isName(r rune) bool {
	return r == '_' || r == '-' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r >= utf8.RuneSelf
}

func (r *reader) list(depth int) any {
	values := []any{}
	for r.at++; ; {
		switch r.peek() {
		case 0:
			r.fail(errUnfinished)
			return values
		case ']':
			r.at++
			return values
		case ',':
			r.at++
		default:
			values = append(values, r.value(depth+1))
		}
	}
}

// bare reads a word without quotation marks, up to what ends a value.
func (r *reader) bare() any {
	const longest = 60
	rest := r.text[r.at:]
	n := strings.IndexAny(rest[:min(len(rest), longest)], ",}]\n{[\"")
	switch {
	case n < 0 && len(rest) < longest:
		r.fail(errUnfinished)
		return nil
	case n <= 0 || strings.Contains("{[\"", rest[n:n+1]):
		r.fail(errSyntax)
		return nil
	}
	r.at += n
	word, _, _ := strings.Cut(rest[:n], "//")
	word, _, _ = strings.Cut(word, "/*")
	return literal(strings.TrimSpace(word))
}

// quotation is the mark that ends the string which a text begins with, or "".
func quotation(text string) string {
	for _, q := range [][2]string{{`"""`, `"""`}, {`"`, `"`}, {"'", "'"}, {"“", "”"}, {"`", "`"}} {
		if strings.HasPrefix(text, q[0]) {
			return q[1]
		}
	}
	return ""
}

// str reads a string, which is the name of a field or a value. A quotation mark
// ends it only before what can stand behind it: models forget to escape those
// within.
func (r *reader) str(name bool) string {
	end := quotation(r.text[r.at:])
	r.at += len(end)
	if end == "”" {
		r.at += len("“") - len(end)
	}
	var b strings.Builder
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case rest[0] == '\\':
			r.escape(&b)
		case strings.HasPrefix(rest, end) && ends(rest[len(end):], name):
			r.at += len(end)
			return strings.ToValidUTF8(b.String(), "\uFFFD")
		default:
			b.WriteByte(rest[0])
			r.at++
		}
	}
	r.fail(errUnfinished)
	return ""
}

// escape reads what a backslash begins. One before a letter of no escape stays.
func (r *reader) escape(b *strings.Builder) {
	rest := r.text[r.at:]
	if len(rest) == 1 {
		r.at++
		return
	}
	r.at += 2
	switch c := rest[1]; {
	case c == 'u':
		n := 6
		if len(rest) >= 12 && rest[6] == '\\' && rest[7] == 'u' {
			n = 12 // a surrogate may need the next one
		}
		var s string
		for ; n >= 6; n -= 6 {
			if len(rest) >= n && json.Unmarshal([]byte(`"`+rest[:n]+`"`), &s) == nil && (n == 6 || utf8.RuneCountInString(s) == 1) {
				b.WriteString(s)
				r.at += n - 2
				return
			}
		}
		b.WriteString(`\u`)
	case strings.IndexByte("bfnrt", c) >= 0:
		s, _ := strconv.Unquote(`"\` + string(rune(c)) + `"`)
		b.WriteString(s)
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9':
		b.WriteString(rest[:2])
	default:
		b.WriteByte(c)
	}
}

// ends tells whether a text can follow a name or a value.
func ends(rest string, name bool) bool {
	const far = 1000
	r := reader{text: rest[:min(len(rest), far)]}
	c := r.peek()
	switch {
	case c == 0:
		return len(rest) < far
	case name:
		return c == ':'
	case c == '}' || c == ']':
		return true
	case c == ',':
		r.at++
		next := r.peek()
		rest = r.text[r.at:]
		if next == 0 || strings.IndexByte("\"'{}[]-,0123456789", next) >= 0 || strings.HasPrefix(rest, "“") {
			return true
		}
		word := rest[:len(rest)-len(strings.TrimLeftFunc(rest, isName))]
		return word == "true" || word == "false" || word == "null" || word != "" && strings.HasPrefix(strings.TrimLeft(rest[len(word):], " "), ":")
	}
	// A comma may be missing before the next field.
	between, field, ok := strings.Cut(rest[:min(len(rest), far)], `"`)
	word := strings.TrimLeftFunc(field, isName)
	return ok && strings.TrimSpace(between) == "" && strings.Contains(between, "\n") && strings.HasPrefix(word, `":`)
}
