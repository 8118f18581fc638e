package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

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

// objectsIn are the objects that stand in a text, with any words around them, as valid
// JSON. Models write it with comments, commas too many, single quotation marks or none.
// One that does not end is an error, since what is missing may say something else.
func objectsIn(text string) (found []json.RawMessage, err error) {
	r := &reader{text: text[:min(len(text), maxText)]}
	for work := 0; len(found) < maxObjects && work < 4*maxText; {
		next := strings.IndexByte(r.text[r.at:], '{')
		if next < 0 {
			break
		}
		begin := r.at + next
		r.at, r.err, r.out = begin, nil, nil
		r.value(0)
		work += r.at - begin
		switch {
		case errors.Is(r.err, errUnfinished):
			return nil, r.err
		case r.err != nil:
			r.at = begin + 1
		default:
			found = append(found, r.out)
		}
	}
	if len(found) == 0 {
		return nil, errNoObject
	}
	return found, nil
}

// reader reads one value after the other, and writes it as JSON. After its first
// error it reads nothing.
type reader struct {
	text string
	at   int
	err  error
	out  []byte
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
func (r *reader) value(depth int) {
	if depth > maxDepth {
		r.fail(errSyntax)
	}
	switch c := r.peek(); {
	case c == 0:
		r.fail(errUnfinished)
	case c == '{':
		r.group(depth, '}')
	case c == '[':
		r.group(depth, ']')
	case quotation(r.text[r.at:]) != "":
		r.str(false)
	default:
		r.bare()
	}
}

func (r *reader) write(s string) {
	raw, err := json.Marshal(s)
	if err != nil {
		r.fail(err)
	}
	r.out = append(r.out, raw...)
}

// group reads an object or a list, up to its end. It puts the commas itself.
func (r *reader) group(depth int, end byte) {
	r.out = append(r.out, r.text[r.at])
	r.at++
	for n := 0; ; {
		switch c := r.peek(); {
		case c == 0:
			r.fail(errUnfinished)
			return
		case c == end:
			r.at++
			r.out = append(r.out, end)
			return
		case c == ',':
			r.at++
		default:
			if n++; n > 1 {
				r.out = append(r.out, ',')
			}
			if end == '}' {
				r.name()
			}
			r.value(depth + 1)
		}
	}
}

// name reads the name of a field and its colon.
func (r *reader) name() {
	begin := r.at
	if quotation(r.text[r.at:]) != "" {
		r.str(true)
	} else {
		rest := strings.TrimLeftFunc(r.text[r.at:], isName)
		r.at = len(r.text) - len(rest)
		r.write(r.text[begin:r.at])
	}
	switch c := r.peek(); {
	case c == 0:
		r.fail(errUnfinished)
	case c != ':' || r.at == begin:
		r.fail(errSyntax)
	default:
		r.at++
		r.out = append(r.out, ':')
	}
}

func isName(r rune) bool {
	return r == '_' || r == '-' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r >= utf8.RuneSelf
}

// bare reads a word without quotation marks, up to what ends a value.
func (r *reader) bare() {
	const longest = 60
	rest := r.text[r.at:]
	n := strings.IndexAny(rest[:min(len(rest), longest)], ",}]\n{[\"")
	switch {
	case n < 0 && len(rest) < longest:
		r.fail(errUnfinished)
		return
	case n <= 0 || strings.Contains("{[\"", rest[n:n+1]):
		r.fail(errSyntax)
		return
	}
	r.at += n
	word, _, _ := strings.Cut(rest[:n], "//")
	word, _, _ = strings.Cut(word, "/*")
	word = strings.TrimSpace(word)
	switch low := strings.ToLower(word); {
	case low == "none":
		r.out = append(r.out, "null"...)
	case json.Valid([]byte(low)):
		r.out = append(r.out, low...)
	default:
		r.write(word)
	}
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

// escapes are those of JSON.
var escapes = regexp.MustCompile(`^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})`)

// str reads a string, which is the name of a field or a value. A quotation mark
// ends it only before what can stand behind it: models forget to escape those
// within. A backslash before a letter of no escape stays.
func (r *reader) str(name bool) {
	end := quotation(r.text[r.at:])
	r.at += len(end)
	if end == "”" {
		r.at += len("“") - len(end)
	}
	r.out = append(r.out, '"')
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		c, escape := rest[0], escapes.FindString(rest[:min(len(rest), 6)])
		switch {
		case escape != "":
			r.out = append(r.out, escape...)
			r.at += len(escape) - 1
		case c == '\\' && (len(rest) == 1 || rest[1] < utf8.RuneSelf && (unicode.IsLetter(rune(rest[1])) || unicode.IsDigit(rune(rest[1])))):
			r.out = append(r.out, `\\`...)
		case c == '\\' && rest[1] >= ' ':
			r.at++
			r.out = append(r.out, rest[1])
		case strings.HasPrefix(rest, end) && ends(rest[len(end):], name):
			r.at += len(end)
			r.out = append(r.out, '"')
			return
		case c == '"' || c < ' ':
			r.out = fmt.Appendf(r.out, `\u%04x`, c)
		case c != '\\':
			r.out = append(r.out, c)
		}
		r.at++
	}
	r.fail(errUnfinished)
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
