package pack

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
	"github.com/swarmspeed/shadowd/schemas"
)

// MaxFile is the size of a file in bytes, MaxCriteria how many criteria it may
// hold. The schema and its reader have the same bounds.
const (
	MaxFile     = 1 << 20
	MaxCriteria = 300
)

// Pack is a file of standing criteria that has been found right.
type Pack struct {
	family   string
	criteria []criterion
}

type criterion struct {
	shadow.Criterion // without material
	message          string
	domains          []string // globs; none: every domain
	at               string   // its path in the file
	program          *check.Check
	examples         int
}

// document is a file as it is written.
type document struct {
	Family   string  `yaml:"family"`
	Criteria []entry `yaml:"criteria"`
}

type entry struct {
	Assertion   string              `yaml:"assertion"`
	Expectation string              `yaml:"expectation"`
	Message     string              `yaml:"message"`
	Check       string              `yaml:"check"`
	Category    shadow.Category     `yaml:"category"`
	Domains     []string            `yaml:"domains"`
	Examples    examples            `yaml:"examples"`
	Requirement string              `yaml:"requirement"`
	Expects     *shadow.Expectation `yaml:"expects"`
}

// examples are texts that a check must let pass, or fail.
type examples struct {
	Passes []string `yaml:"passes"`
	Fails  []string `yaml:"fails"`
}

// Parse reads the file called name, for messages only. schemas/criteria.json
// says what it holds. judged says that there are judges, who read what has no
// check; without them every criterion needs one. Its error is a
// [schemas.FileError].
func Parse(name string, data []byte, judged bool) (*Pack, error) {
	var doc document
	f := &file{schemas.ReadFile(schemas.Criteria, name, data, &doc)}
	pack := &Pack{family: "rules"}
	if doc.Family != "" {
		pack.family = strings.ToLower(strings.TrimSpace(doc.Family))
	}
	if len(doc.Criteria) > MaxCriteria {
		return nil, f.Err()
	}
	for i := range doc.Criteria {
		pack.criteria = append(pack.criteria, f.criterion("criteria["+strconv.Itoa(i)+"]", &doc.Criteria[i], judged))
	}
	f.compare(pack.criteria)
	if err := f.Err(); err != nil {
		return nil, err
	}
	return pack, nil
}

// file is a file of criteria, checked for what a schema cannot say.
type file struct{ *schemas.File }

// criterion reads the entry at a path and notes what is wrong with it.
func (f *file) criterion(at string, e *entry, judged bool) criterion {
	text := strings.TrimSpace
	c := criterion{
		Criterion: shadow.Criterion{Category: e.Category, Assertion: text(e.Assertion), Expected: text(e.Expectation), Check: text(e.Check)},
		message:   text(e.Message),
		domains:   e.Domains,
		at:        at,
	}
	if !f.Has(at+".check") && !judged {
		f.Fail(at+".check", "is missing: write an expression of the check language, or name judges who read in judging.panel")
	}
	for i, d := range e.Domains {
		if _, err := path.Match(d, ""); err != nil {
			f.Fail(at+".domains["+strconv.Itoa(i)+"]", "%.60q is not a pattern: write a domain's name, with * for any letters and ? for one", d)
		}
	}
	if c.Check != "" {
		f.check(&c)
	}
	f.examples(&c, &e.Examples)
	if e.Requirement != "" {
		c.Requirements = []string{text(e.Requirement)}
	}
	if c.Expects = e.Expects; c.Expects != nil && !f.Failed(at+".expects") {
		f.expects(&c)
	}
	if c.GivenAwayBy(c.message) {
		f.Fail(at+".message", "it repeats the assertion, the expectation or the check, and commanders read it: say what to do about a failure")
	}
	return c
}

// check compiles the criterion's check and runs it on an empty bundle.
func (f *file) check(c *criterion) {
	at := c.at + ".check"
	program, err := check.Compile(c.Check)
	if err != nil {
		line, column, message := whereIn(f.Node(at), err)
		f.FailLine(line, at, fmt.Sprintf("it does not compile at column %d of the expression: %s", column, message))
		return
	}
	domain := shadow.Domain{Domain: "domain", CommanderID: "commander"}
	if err := shadow.RunOnNothing(program, &domain, shadow.Material{}); err != nil {
		f.Fail(at, "it fails on an empty bundle, so it would judge nobody: %v", err)
		return
	}
	c.program = program
}

// expects checks the expectation that can be compared.
func (f *file) expects(c *criterion) {
	at := c.at + ".expects"
	if len(c.Requirements) == 0 {
		f.Fail(at, "it is compared with what others expect of the same requirement, and none is named: add requirement: ID")
	}
	if err := c.Expects.Check(); err != nil {
		f.Fail(at, "%v", err)
	}
}

// reveals reports whether the criterion's message gives another one away.
func (c *criterion) reveals(o *criterion) bool {
	revealed := c.Criterion
	revealed.Material = map[string]shadow.Material{"": {Message: c.message}}
	return revealed.Reveals(&o.Criterion)
}

// compare notes criteria that ask the same, and messages that repeat another
// criterion's words.
func (f *file) compare(all []criterion) {
	for i := range all {
		for k := range all {
			a, b := &all[i], &all[k]
			switch {
			case k < i && a.Assertion != "" && shadow.SameWords(a.Assertion, b.Assertion):
				f.Fail(a.at+".assertion", "it says what %s says: leave one", b.at)
			case k != i && a.reveals(b):
				f.Fail(a.at+".message", "it repeats %s, and commanders read it: say what to do about a failure", b.at)
			}
		}
	}
}

// whereIn translates the place of a check's error into a line of the file. In
// a folded or quoted text the lines of the file are not those of the
// expression: the error names the line in which it begins.
func whereIn(n *yaml.Node, err error) (line, column int, message string) {
	var e *check.Error
	if !errors.As(err, &e) {
		return n.Line, 1, err.Error()
	}
	line = n.Line
	if n.Style == yaml.LiteralStyle || n.Style == yaml.FoldedStyle {
		line++
	}
	before, _, _ := strings.Cut(n.Value, strings.TrimSpace(n.Value))
	return line + strings.Count(before, "\n") + e.Line - 1, e.Column, e.Message
}
