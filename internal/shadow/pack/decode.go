package pack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// document is a file as it is written.
type document struct {
	Version  field   `yaml:"version"`
	Family   field   `yaml:"family"`
	Criteria []entry `yaml:"criteria"`
}

// entry is one criterion of a file.
type entry struct {
	Assertion   field    `yaml:"assertion"`
	Expectation field    `yaml:"expectation"`
	Message     field    `yaml:"message"`
	Check       field    `yaml:"check"`
	Category    field    `yaml:"category"`
	Domains     domains  `yaml:"domains"`
	Requirement field    `yaml:"requirement"`
	Expects     *expects `yaml:"expects"`

	line int // where it begins
}

// expects is an expectation in a form that can be compared.
type expects struct {
	Number  field    `yaml:"number"`
	AtMost  field    `yaml:"at_most"`
	AtLeast field    `yaml:"at_least"`
	OneOf   outcomes `yaml:"one_of"`
	Present field    `yaml:"present"`
}

// Lists of the keys of these names, which the YAML library then names when a
// value is no list.
type (
	domains  []field
	outcomes []field
)

const (
	documentKeys = "version, family, criteria"
	entryKeys    = "assertion, expectation, message, check, category, domains, requirement, expects"
	expectsKeys  = "number, at_most, at_least, one_of, present"
)

// field is a scalar with its place in the file.
type field struct {
	text string
	line int // 0 if it is not there
	// first is the line in which the text itself begins.
	first int
	// refused: it is no text, which has been said.
	refused bool
}

// UnmarshalYAML takes any plain value as it is written.
func (f *field) UnmarshalYAML(n *yaml.Node) error {
	f.line, f.first = n.Line, n.Line
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Tag == "!!binary" {
		f.refused = true
		return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: not a text: allowed is a text here", n.Line)}}
	}
	if n.Style == yaml.LiteralStyle || n.Style == yaml.FoldedStyle {
		f.first++
	}
	f.text = strings.TrimSpace(n.Value)
	before, _, _ := strings.Cut(n.Value, f.text)
	f.first += strings.Count(before, "\n")
	return nil
}

// Error lists all that is wrong with a file, a line each: FILE:LINE: what is
// wrong and what is allowed.
type Error []string

func (e Error) Error() string { return strings.Join(e, "\n") }

// problems collects what is wrong with a file.
type problems struct {
	file string
	list []problem
}

type problem struct {
	line int
	text string
}

func (p *problems) add(line int, format string, args ...any) {
	p.list = append(p.list, problem{line, fmt.Sprintf(format, args...)})
}

// maxShown bounds what is said about one file: it may be no pack at all.
const maxShown = 50

// err lists the problems in the order of the file, or is nil.
func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b problem) int { return a.line - b.line })
	var e Error
	for _, q := range p.list[:min(len(p.list), maxShown)] {
		e = append(e, p.file+":"+strconv.Itoa(max(q.line, 1))+": "+q.text)
	}
	if more := len(p.list) - maxShown; more > 0 {
		e = append(e, fmt.Sprintf("%s: and %d more: is this a file of criteria?", p.file, more))
	}
	return e
}

// decode reads the document. Nil means that it could not be read at all.
func (p *problems) decode(data []byte) *document {
	if len(data) > MaxFile {
		p.add(1, "the file has more than %d bytes, which is the most allowed", MaxFile)
		return nil
	}
	if line := badText(data); line > 0 {
		p.add(line, "not plain text: allowed are UTF-8 and no control characters")
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	var doc document
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		p.add(1, "the file is empty: write version: 1 and a list of criteria")
		return nil
	}
	var wrong *yaml.TypeError
	if err != nil && !errors.As(err, &wrong) {
		p.yaml(err.Error())
		return nil
	}
	if wrong != nil {
		for _, one := range wrong.Errors {
			p.yaml(one)
		}
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		p.add(1, "there is more than one document in the file: allowed is one")
	}
	doc.places(data)
	return &doc
}

// places finds the lines in which the criteria begin. The decoder that knows
// the keys does not tell.
func (d *document) places(data []byte) {
	var root yaml.Node
	if yaml.Unmarshal(data, &root) != nil || len(root.Content) == 0 {
		return
	}
	top := root.Content[0]
	for i := 0; i+1 < len(top.Content); i += 2 {
		list := top.Content[i+1]
		if top.Content[i].Value != "criteria" || list.Kind != yaml.SequenceNode {
			continue
		}
		for k := range min(len(d.Criteria), len(list.Content)) {
			d.Criteria[k].line = list.Content[k].Line
		}
	}
}

var (
	yamlLine = regexp.MustCompile(`^(?:yaml: )?line (\d+): (?s:(.*))$`)
	// The library counts lines from 0 in what its parser says.
	yamlParser  = regexp.MustCompile(`^(did not find expected (<|node|key|'|',')|found (duplicate %|incompatible|undefined tag))`)
	yamlUnknown = regexp.MustCompile(`^field (.*) not found in type pack\.(\w+)$`)
	yamlTwice   = regexp.MustCompile(`^mapping key "(.*)" already defined at line (\d+)$`)
	yamlType    = regexp.MustCompile("^cannot unmarshal (!!\\w+)(?: `(?s:(.*))`)? into (.*)$")
)

// yaml puts an error of the YAML library into words about the file.
func (p *problems) yaml(message string) {
	line, text := 1, strings.TrimPrefix(message, "yaml: ")
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = m[2]
	}
	if m := yamlUnknown.FindStringSubmatch(text); m != nil {
		allowed := map[string]string{"document": documentKeys, "entry": entryKeys, "expects": expectsKeys}
		p.add(line, "unknown key %.60q: allowed are %s", m[1], allowed[m[2]])
		return
	}
	if m := yamlTwice.FindStringSubmatch(text); m != nil {
		p.add(line, "the key %.60q is there twice, first in line %s: leave one", m[1], m[2])
		return
	}
	if m := yamlType.FindStringSubmatch(text); m != nil {
		want := map[string]string{"pack.document": "a mapping with the keys " + documentKeys, "[]pack.entry": "a list of criteria",
			"pack.entry": "a criterion with the keys " + entryKeys, "pack.domains": "a list, as in domains: [NAME]", "pack.outcomes": "a list, as in one_of: [401, 403]", "pack.expects": "a mapping with one of the keys " + expectsKeys}[m[3]]
		p.add(line, "the value has another form than it should: allowed here is %s", want)
		return
	}
	if strings.HasPrefix(text, "not a text") {
		p.add(line, "%s", text)
		return
	}
	if yamlParser.MatchString(text) {
		line++
	}
	p.add(line, "not YAML, here or in what begins here: %s", text)
}

// badText is the first line, from 1, with what YAML does not allow as text; 0
// if there is none. The YAML library names no line for it.
func badText(text []byte) int {
	for i, line := range bytes.Split(text, []byte("\n")) {
		odd := func(r rune) bool { return unicode.IsControl(r) && r != '\t' && r != '\r' && r != '\u0085' }
		if !utf8.Valid(line) || bytes.ContainsFunc(line, odd) {
			return i + 1
		}
	}
	return 0
}
