package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

const (
	// maxBytes bounds a configuration file. A full one has about 5 KB.
	maxBytes = 256 << 10
	// maxProblems bounds what is said about it: a file of another
	// program could otherwise be answered with tens of thousands of lines.
	maxProblems = 100
)

// Error lists everything that is wrong with a configuration, a line
// each: FILE:LINE: KEY.PATH: what is wrong and what is allowed. For a value
// from the environment the variable takes the place of FILE:LINE.
type Error []string

func (e Error) Error() string { return strings.Join(e, "\n") }

// override is an environment variable that goes before the file.
type override struct {
	env, path string
	field     func(*Config) *string
}

var overrides = []override{
	{"SHADOWD_BUS_URL", "bus.url", func(c *Config) *string { return &c.Bus.URL }},
	{"SHADOWD_BUS_CREDENTIALS", "bus.credentials", func(c *Config) *string { return &c.Bus.Credentials }},
	{"SHADOWD_BUS_NKEY", "bus.nkey", func(c *Config) *string { return &c.Bus.NKey }},
	{"SHADOWD_ENVELOPE_KEY", "keys.envelope", func(c *Config) *string { return &c.Keys.Envelope }},
	{"SHADOWD_SIGNING_KEY", "keys.signing", func(c *Config) *string { return &c.Keys.Signing }},
}

// Load reads the configuration file at path and applies the environment
// (KEY=value each). An empty path means ./config.yml if there is one, and the
// defaults otherwise; a file that is named must exist. Its error is a
// Error if the content is wrong.
func Load(path string, environ []string) (*Config, error) {
	named := path != ""
	if !named {
		path = "config.yml"
	}
	text, err := readConfig(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return Parse("", nil, environ)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return Parse(path, text, environ)
}

// readConfig stops reading one byte behind the limit, so that a device or a
// pipe cannot fill the memory.
func readConfig(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxBytes+1))
}

// Parse lays text over the defaults and the environment over both.
// File is the name for messages.
func Parse(file string, text []byte, environ []string) (*Config, error) {
	p := &parse{file: file, origin: map[string]string{}}
	c := Default()
	if root := p.document(text); root != nil {
		p.mapping(root, c)
	}
	for _, o := range overrides {
		if value := Getenv(environ, o.env); value != "" {
			*o.field(c) = value
			p.origin[o.path] = o.env
		}
	}
	p.check(c)
	if len(p.problems) == 0 {
		p.checkAuthorFiles(c.Seal.Authors)
	}
	if len(p.problems) > 0 {
		return nil, p.errors()
	}
	c.cap()
	return c, nil
}

// cap puts what is in effect where one setting bounds another, or says nothing.
func (c *Config) cap() {
	s := &c.ShadowScoring
	s.ConformanceLevel = "L" + strconv.Itoa(s.MaxLevel())
	for _, scale := range []*Scale{&c.Scales.SS50, &c.Scales.SS100, &c.Scales.SS250} {
		scale.Criteria = min(scale.Criteria, s.SealedCriteriaCount)
	}
	c.fillModels()
}

// Getenv is the value of an environment variable. One that is set to nothing
// counts as not set: that is how a compose file passes on what is missing.
func Getenv(environ []string, name string) string {
	for _, kv := range environ {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// UnknownVariables warns of every SHADOWD_ variable that shadowd does not
// read. Those for tests (SHADOWD_TEST_) are left alone.
func UnknownVariables(environ []string) []string {
	var known, warnings []string
	for _, o := range overrides {
		known = append(known, o.env)
	}
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "SHADOWD_") || strings.HasPrefix(name, "SHADOWD_TEST_") || slices.Contains(known, name) {
			continue
		}
		warnings = append(warnings, fmt.Sprintf("the environment variable %s is not known%s; known are %s",
			name, didYouMean(name, known), strings.Join(known, ", ")))
	}
	slices.Sort(warnings)
	return warnings
}

// parse collects what one configuration says and what is wrong with it.
type parse struct {
	file     string
	origin   map[string]string // key path → "line" or the name of a variable
	problems []problem
}

type problem struct {
	line   int // 0 for what is not in the file
	where  string
	path   string
	detail string
}

// fail notes what is wrong with the key path at a line of the file.
func (p *parse) fail(line int, path, format string, args ...any) {
	p.note(problem{line, p.file + ":" + strconv.Itoa(line), path, fmt.Sprintf(format, args...)})
}

// failAt notes what is wrong with a key path, wherever its value is from.
func (p *parse) failAt(path, format string, args ...any) {
	origin := p.origin[path]
	if line, err := strconv.Atoi(origin); err == nil {
		p.fail(line, path, format, args...)
		return
	}
	p.note(problem{0, origin, path, fmt.Sprintf(format, args...)})
}

func (p *parse) note(q problem) {
	if len(p.problems) < maxProblems {
		p.problems = append(p.problems, q)
	}
}

// errors lists the problems in the order of the file, the environment's last.
func (p *parse) errors() Error {
	slices.SortStableFunc(p.problems, func(a, b problem) int {
		if a.line == 0 || b.line == 0 {
			return b.line - a.line
		}
		return a.line - b.line
	})
	var list Error
	for _, q := range p.problems {
		if q.path != "" {
			q.where += ": " + q.path
		}
		list = append(list, q.where+": "+q.detail)
	}
	if len(p.problems) >= maxProblems {
		list = append(list, p.file+":"+strconv.Itoa(p.problems[len(p.problems)-1].line)+": too much is wrong to go on: is this a configuration of shadowd?")
	}
	return list
}

// document parses the text as one YAML document. It is nil if the text is
// empty or, with a problem noted, wrong.
func (p *parse) document(text []byte) *yaml.Node {
	if len(text) > maxBytes {
		p.fail(1, "", "the file has more than %d bytes, which is the most allowed: this is not a configuration of shadowd", maxBytes)
		return nil
	}
	if line := badText(text); line > 0 {
		p.fail(line, "", "not plain text: allowed are UTF-8 and no control characters")
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if err != io.EOF {
			p.syntax(text, err)
		}
		return nil
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		p.fail(second.Line, "", "a second document starts here: allowed is one document a file")
	case err != io.EOF:
		p.syntax(text, err)
	}
	return doc.Content[0]
}

// badText is the first line, from 1, with what YAML does not allow as text; 0
// if there is none. The YAML library names no line for it.
func badText(text []byte) int {
	line := 1
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == '\n':
			line++
		case r == utf8.RuneError && size == 1,
			unicode.IsControl(r) && r != '\t' && r != '\r' && r != '\u0085',
			r == '\ufeff' && i > 0, r == '\ufffe', r == '\uffff':
			return line
		}
		i += size
	}
	return 0
}

var (
	yamlLine  = regexp.MustCompile(`^yaml: line (\d+): `)
	yamlAlias = regexp.MustCompile(`^yaml: unknown anchor '(.*)' referenced`)
	// The library counts lines from 0 in what its parser says, and from 1 in
	// what its scanner says. These are the parser's.
	yamlParser = regexp.MustCompile(`: (did not find expected (<|node|key|'|',')|found (duplicate %|incompatible|undefined tag))`)
)

// syntax notes an error of the YAML library.
func (p *parse) syntax(text []byte, err error) {
	message, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		message = strings.TrimPrefix(err.Error(), m[0])
		line, _ = strconv.Atoi(m[1])
		if yamlParser.MatchString(err.Error()) {
			line++
		}
	} else if m := yamlAlias.FindStringSubmatch(err.Error()); m != nil {
		before, _, _ := bytes.Cut(text, []byte("*"+m[1]))
		line += bytes.Count(before, []byte("\n"))
	}
	// What is missing at the end is missed behind the last line.
	line = min(line, 1+bytes.Count(bytes.TrimRight(text, "\r\n"), []byte("\n")))
	if at := bytes.Split(text, []byte("\n")); line <= len(at) && bytes.HasPrefix(bytes.TrimLeft(at[line-1], " "), []byte("\t")) {
		message += ": indent with spaces, not with tabs"
	}
	p.fail(line, "", "not YAML, here or in what begins here: %s", message)
}

// YAML writes a configuration so that Load reads the same back.
func YAML(c *Config) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(c); err != nil {
		return nil, err
	}
	return b.Bytes(), enc.Close()
}
