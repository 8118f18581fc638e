package schemas

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"gopkg.in/yaml.v3"
)

const (
	// maxFile bounds a YAML file in bytes.
	maxFile = 1 << 20
	// maxFileProblems bounds what is said about one: it may be the file of
	// another program.
	maxFileProblems = 50
	// maxRepeated is how many values aliases may add to those of a file, which
	// has fewer than bytes.
	maxRepeated = 10_000
)

// FileError lists all that is wrong with a file, a line each:
// FILE:LINE: KEY.PATH: what is wrong and what is allowed.
type FileError []string

func (e FileError) Error() string { return strings.Join(e, "\n") }

// File is a YAML file that is read by its schema. It collects what is wrong
// with it. Paths are written as in seal.authors[0].file; "" is the whole file.
type File struct {
	name     string
	root     *yaml.Node // nil for an empty file
	places   map[string]place
	problems []fileProblem
	failed   map[string]bool // paths at or below which something is wrong
	left     int             // how many more values are read
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

// ReadFile checks text by the schema called schema ("config" or "criteria")
// and lays it over what into points to. name is for messages. What is wrong is
// in Err, and what is right of a wrong file is in into.
//
// A key is there once and known, a number is written in decimal digits, an
// object without a value is an empty one. $defs/duration of a schema takes 90s
// and 7d, $defs/size 10GB and 512KiB; into has a time.Duration and an integer.
func ReadFile(schema, name string, text []byte, into any) *File {
	f := &File{name: name, places: map[string]place{}, failed: map[string]bool{}, left: len(text) + maxRepeated}
	if !f.document(text) {
		return f
	}
	s := compiled()[schema]
	var tree any = map[string]any{}
	if f.root != nil {
		tree = f.tree(f.root, f.root.Line, s, "")
	}
	if f.left < 0 {
		return f
	}
	for _, p := range check(s, tree) {
		f.refused(p, s)
	}
	if f.root == nil {
		return f
	}
	if err := f.root.Decode(into); err != nil && len(f.problems) == 0 {
		f.note(1, "", strings.ReplaceAll(err.Error(), "\n", " "))
	}
	return f
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
	f.note(f.places[at].line, path, fmt.Sprintf(format, args...))
}

// FailLine notes what is wrong at a path, in a line of a text of several.
func (f *File) FailLine(line int, path, text string) { f.note(line, path, text) }

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

func (f *File) note(line int, path, text string) {
	f.add(fileProblem{line, f.name + ":" + strconv.Itoa(max(line, 1)), path, text})
}

func (f *File) add(p fileProblem) {
	f.problems = append(f.problems, p)
	for at := p.path; !f.failed[at]; at = parent(at) {
		f.failed[at] = true
	}
}

// refused notes what the schema finds wrong.
func (f *File) refused(p *problem, s *jsonschema.Schema) {
	path := ""
	for _, token := range p.path {
		if n := f.Node(path); n != nil && n.Kind == yaml.SequenceNode {
			path += "[" + token + "]"
		} else {
			path = join(path, token)
		}
	}
	if k, ok := p.kind.(*kind.Type); ok && strings.HasSuffix(p.text, " must be string") && (k.Got == "number" || k.Got == "boolean") {
		p.text += ": put it in quotes"
	}
	if _, missing := p.kind.(*kind.Required); missing {
		if of := below(s, p.path); of != nil && of.Description != "" {
			first, _, _ := strings.Cut(of.Description, ".")
			p.text += ": " + first
		}
	}
	f.Fail(path, "%s", p.text)
}

// join puts a key behind a path. One that could be taken for a path, or that
// is long, is quoted and cut.
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
