package strict

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"gopkg.in/yaml.v3"
)

const (
	maxFile         = 1 << 20 // bytes of a YAML file
	maxFileProblems = 50      // that are told: it may be the file of another program
)

// FileError lists all that is wrong with a file, a line each:
// FILE:LINE: KEY.PATH: what is wrong and what is allowed.
type FileError []string

func (e FileError) Error() string { return strings.Join(e, "\n") }

// File is a YAML file that was read, and what is wrong with it. Paths are written as
// in seal.authors[0].file; "" is the whole file.
type File struct {
	name     string
	places   map[string]place
	problems []fileProblem
	failed   map[string]bool // paths at or below which something is wrong
	json     []byte          // the file's values
}

// place is a value of the file, and the line of its key or, in a list, its own.
type place struct {
	value *yaml.Node
	line  int
}

type fileProblem struct {
	line        int // 0 for what is not in the file
	where, path string
	text        string
}

// ReadFile lays text over what into points to. name is for messages. What is wrong is in
// Err, and what is right of a wrong file is in into.
func ReadFile(name string, text []byte, into any) *File {
	f := &File{name: name, places: map[string]place{}, failed: map[string]bool{}}
	root, ok := f.document(text)
	if !ok {
		return f
	}
	f.json = append(f.json, "{}"...)
	if root != nil {
		f.json = f.json[:0]
		f.value(root, root.Line, "")
	}
	v := reflect.ValueOf(into).Elem()
	d := newDecoder(file, f.json)
	whole := *tree(v.Type(), file)
	whole.null = true
	d.value(&whole, v)
	for _, p := range d.problems {
		path := ""
		for _, s := range p.path {
			if s.index < 0 {
				path = join(path, s.name)
			} else {
				path += "[" + strconv.Itoa(s.index) + "]"
			}
		}
		f.Fail(path, "%s", p.text)
	}
	return f
}

// document parses text as one YAML document. An empty text is a document without
// a root.
func (f *File) document(text []byte) (root *yaml.Node, ok bool) {
	if len(text) > maxFile {
		f.FailLine(1, "", fmt.Sprintf("the file has more than %d bytes: allowed are %d", maxFile, maxFile))
		return nil, false
	}
	at := bytes.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n\u0085", r) })
	if !utf8.Valid(text) || at >= 0 { // the library names no line for it
		f.FailLine(1+bytes.Count(text[:max(at, 0)], []byte("\n")), "", "not plain text: allowed are UTF-8 and no control characters")
		return nil, false
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, true
	} else if err != nil {
		f.syntax(err)
		return nil, false
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		f.FailLine(second.Line, "", "a second document starts here: allowed is one document a file")
	case !errors.Is(err, io.EOF):
		f.syntax(err)
	}
	return doc.Content[0], true
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)`)

// syntax notes an error of the YAML library. What its parser says is of the line
// before it at times.
func (f *File) syntax(err error) {
	message, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		message = m[2]
		line, _ = strconv.Atoi(m[1])
	}
	if strings.Contains(message, "cannot start any token") {
		message += ": indent with spaces, not with tabs"
	}
	f.FailLine(line, "", "not YAML, here or in what begins here: "+message)
}

// value writes a value of the file as JSON, and remembers its place.
func (f *File) value(n *yaml.Node, line int, path string) {
	f.places[path] = place{n, line}
	switch n.Kind {
	case yaml.ScalarNode:
		f.scalar(n, path)
	case yaml.MappingNode:
		f.json = append(f.json, '{')
		f.mapping(n, path)
		f.json = append(f.json, '}')
	case yaml.SequenceNode:
		f.json = append(f.json, '[')
		for i, item := range n.Content {
			if i > 0 {
				f.json = append(f.json, ',')
			}
			f.value(item, item.Line, path+"["+strconv.Itoa(i)+"]")
		}
		f.json = append(f.json, ']')
	default: // of an alias a few lines could stand for more than memory holds
		f.FailLine(line, path, "an alias is not read: write the value out")
		f.json = append(f.json, "null"...)
	}
}

// mapping writes the fields of an object; of keys that are there twice the first.
func (f *File) mapping(n *yaml.Node, path string) {
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, line := n.Content[i], n.Content[i].Line
		if key.Kind != yaml.ScalarNode {
			f.FailLine(line, path, "a key is a list, a mapping or an alias: allowed is text")
			continue
		}
		here := join(path, key.Value)
		if first[key.Value] > 0 {
			f.FailLine(line, here, fmt.Sprintf("the key is there twice, first in line %d: allowed is one", first[key.Value]))
			continue
		}
		if len(first) > 0 {
			f.json = append(f.json, ',')
		}
		first[key.Value] = line
		f.json, _ = jsontext.AppendQuote(f.json, key.Value)
		f.json = append(f.json, ':')
		f.value(n.Content[i+1], line, here)
	}
}

// decimal is a number that every reader reads alike.
var decimal = regexp.MustCompile(`\A-?(0|[1-9][0-9]*)(\.[0-9]+)?\z`)

// scalar writes one value.
func (f *File) scalar(n *yaml.Node, path string) {
	text := "null"
	switch n.Tag {
	case "!!null":
	case "!!bool":
		text = strings.ToLower(n.Value)
	case "!!int", "!!float":
		if text = n.Value; !decimal.MatchString(text) {
			f.FailLine(n.Line, path, quote(n.Value)+" is not a number in decimal digits")
			text = "null"
		}
	case "!!str", "!!timestamp", "!!merge": // << as a value
		if strings.ContainsFunc(n.Value, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			// Not shown: it may be a URL with a password.
			f.FailLine(n.Line, path, "there is a control character in it")
		}
		f.json, _ = jsontext.AppendQuote(f.json, n.Value)
		return
	default:
		f.FailLine(n.Line, path, "the tag "+quote(n.Tag)+" is not known: leave it out")
	}
	f.json = append(f.json, text...)
}

// Fail notes what is wrong at a path, unless something is wrong there already.
func (f *File) Fail(path, format string, args ...any) {
	if f.failed[path] {
		return
	}
	at := path
	for at != "" && f.places[at].value == nil {
		at = parent(at)
	}
	f.FailLine(f.places[at].line, path, fmt.Sprintf(format, args...))
}

// FailOutside notes what is wrong with the value of a path that is not from
// the file: where is its place, such as an environment variable.
func (f *File) FailOutside(where, path, text string) {
	f.add(fileProblem{0, where, path, text})
}

// Failed reports whether something is wrong at a path or below it.
func (f *File) Failed(path string) bool { return f.failed[path] }

// Has reports whether the file has a value at a path.
func (f *File) Has(path string) bool { return f.Node(path) != nil }

// Node is the value at a path, or nil.
func (f *File) Node(path string) *yaml.Node { return f.places[path].value }

// Place says where the value of a path stands: FILE:LINE: KEY.PATH.
func (f *File) Place(path string) string {
	return fmt.Sprintf("%s:%d: %s", f.name, f.places[path].line, path)
}

// Err is a FileError of all that is wrong, in the order of the file, or nil.
func (f *File) Err() error {
	if len(f.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(f.problems, func(a, b fileProblem) int {
		if a.line == 0 || b.line == 0 {
			return b.line - a.line
		}
		return cmp.Or(a.line-b.line, cmp.Compare(a.path, b.path))
	})
	var e FileError
	for _, p := range f.problems[:min(len(f.problems), maxFileProblems)] {
		if p.path != "" {
			p.where += ": " + p.path
		}
		e = append(e, p.where+": "+p.text)
	}
	if more := len(f.problems) - maxFileProblems; more > 0 {
		e = append(e, fmt.Sprintf("%s: and %d more problems: is it the right file?", f.name, more))
	}
	return e
}

// FailLine notes what is wrong at a path, in a line of a text of several.
func (f *File) FailLine(line int, path, text string) {
	f.add(fileProblem{line, f.name + ":" + strconv.Itoa(max(line, 1)), path, text})
}

func (f *File) add(p fileProblem) {
	f.problems = append(f.problems, p)
	for at := p.path; !f.failed[at]; at = parent(at) {
		f.failed[at] = true
	}
}

// join puts a key behind a path, quoted and cut if it could be taken for a path.
func join(path, key string) string {
	if !plainKey.MatchString(key) {
		key = quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

var plainKey = regexp.MustCompile(`\A[A-Za-z0-9_-]{1,40}\z`)

// parent is a path without its last part.
func parent(path string) string { return path[:max(strings.LastIndexAny(path, ".["), 0)] }
