package pack

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// Bounds of a file, in bytes and in criteria.
const (
	MaxFile     = 1 << 20
	MaxCriteria = 300
)

// Pack is a file of standing criteria that has been found right.
type Pack struct {
	family   string
	criteria []criterion
}

// criterion is one standing criterion.
type criterion struct {
	shadow.Criterion // without material
	message          string
	domains          []string // globs; none: every domain
	line             int
}

// Parse reads the file called name, for messages only. judged says that there
// are judges, who read what has no check; without them every criterion needs
// one. Its error is an Error.
func Parse(name string, data []byte, judged bool) (*Pack, error) {
	p := &problems{file: name}
	doc := p.decode(data)
	if doc == nil {
		return nil, p.err()
	}
	pack := &Pack{family: "rules"}
	switch {
	case doc.Version.line == 0:
		p.add(1, "version is missing: write version: 1")
	case doc.Version.text != "1" && !doc.Version.refused:
		p.add(doc.Version.line, "version %.20q is not known: write version: 1", doc.Version.text)
	}
	if doc.Family.line > 0 {
		if pack.family = strings.ToLower(doc.Family.text); pack.family == "" && !doc.Family.refused {
			p.add(doc.Family.line, "family says nothing: leave it out, for criteria written by hand, or name the family of the model that wrote them")
		}
	}
	if len(doc.Criteria) == 0 && len(p.list) == 0 {
		p.add(1, "there are no criteria: write at least one under criteria")
	}
	if n := len(doc.Criteria); n > MaxCriteria {
		p.add(doc.Criteria[MaxCriteria].line, "there are %d criteria, and at most %d are allowed: make two files of it", n, MaxCriteria)
		return nil, p.err()
	}
	for i := range doc.Criteria {
		pack.criteria = append(pack.criteria, p.criterion(&doc.Criteria[i], judged))
	}
	p.compare(pack.criteria)
	if err := p.err(); err != nil {
		return nil, err
	}
	return pack, nil
}

// Len is how many criteria there are of a category.
func (p *Pack) Len(c shadow.Category) int {
	n := 0
	for i := range p.criteria {
		if p.criteria[i].Category == c {
			n++
		}
	}
	return n
}

// criterion reads one entry and notes what is wrong with it.
func (p *problems) criterion(e *entry, judged bool) criterion {
	orJudges := ", or name judges who read in judging.panel"
	if judged {
		orJudges = ", or leave it out, and judges decide"
	}
	for _, f := range []struct {
		name string
		field
		why string
	}{
		{"assertion", e.Assertion, "say in a sentence what is true of good work"},
		{"expectation", e.Expectation, "say what the report should name as expected"},
		{"message", e.Message, "say what a commander should do about a failure"},
		{"check", e.Check, "write an expression of the check language" + orJudges},
		{"category", e.Category, "one of " + categories()},
	} {
		switch {
		case f.line == 0 && f.name == "check" && judged:
		case f.line == 0:
			p.add(e.line, "the criterion has no %s: %s", f.name, f.why)
		case f.text == "" && !f.refused:
			p.add(f.line, "%s says nothing: %s", f.name, f.why)
		}
	}
	c := criterion{
		Criterion: shadow.Criterion{
			Category: shadow.Category(e.Category.text), Assertion: e.Assertion.text, Expected: e.Expectation.text, Check: e.Check.text,
		},
		message: e.Message.text,
		line:    e.line,
	}
	if e.Category.text != "" && !slices.Contains(shadow.Categories(), c.Category) {
		p.add(e.Category.line, "category %.40q is not known: write one of %s", e.Category.text, categories())
	}
	if e.Domains != nil && len(e.Domains) == 0 {
		p.add(e.line, "domains is an empty list: name the domains that the criterion is meant for, or leave it out for all")
	}
	for _, d := range e.Domains {
		if _, err := path.Match(d.text, ""); err != nil || d.text == "" && !d.refused {
			p.add(d.line, "domain %.60q is not a pattern: write a domain's name, with * for any letters and ? for one", d.text)
		}
		c.domains = append(c.domains, d.text)
	}
	if c.Check != "" {
		p.check(&c, e.Check)
	}
	if e.Requirement.line > 0 {
		if e.Requirement.text == "" && !e.Requirement.refused {
			p.add(e.Requirement.line, "requirement says nothing: write the id of a requirement, or leave it out")
		}
		c.Requirements = []string{e.Requirement.text}
	}
	if e.Expects != nil {
		p.expects(&c, e)
	}
	if c.GivenAwayBy(c.message) {
		p.add(e.Message.line, "the message repeats the assertion, the expectation or the check, and commanders read it: say what to do about a failure")
	}
	return c
}

// check compiles the criterion's check and runs it on an empty bundle.
func (p *problems) check(c *criterion, f field) {
	program, err := check.Compile(c.Check)
	if err != nil {
		line, column, message := whereIn(f, err)
		p.add(line, "the check does not compile at column %d of the expression: %s", column, message)
		return
	}
	domain := shadow.Domain{Domain: "domain", CommanderID: "commander"}
	if err := shadow.RunOnNothing(program, &domain, shadow.Material{}); err != nil {
		p.add(f.line, "the check fails on an empty bundle, so it would judge nobody: %v", err)
	}
}

// expects reads the expectation that can be compared.
func (p *problems) expects(c *criterion, e *entry) {
	x := e.Expects
	line := 0
	for _, f := range append([]field{x.Number, x.AtMost, x.AtLeast, x.Present}, x.OneOf...) {
		switch {
		case f.refused:
			return // which has been said
		case f.line > 0 && f.text == "":
			p.add(f.line, "a value of expects is empty: write one, or leave its key out")
			return
		}
		line = max(line, f.line)
	}
	if x.OneOf != nil && len(x.OneOf) == 0 {
		p.add(max(line, e.line), "one_of of expects is an empty list: name the outcomes that will do, or leave it out")
		return
	}
	if line == 0 {
		if len(p.list) == 0 { // else what is wrong with it has been said
			p.add(e.line, "expects says nothing: write one of %s, or leave it out", expectsKeys)
		}
		return
	}
	if len(c.Requirements) == 0 {
		p.add(line, "expects is compared with what others expect of the same requirement, and none is named: add requirement: ID")
	}
	c.Expects = &shadow.Expectation{Number: x.Number.text, AtMost: x.AtMost.text, AtLeast: x.AtLeast.text}
	for _, f := range x.OneOf {
		c.Expects.OneOf = append(c.Expects.OneOf, f.text)
	}
	switch x.Present.text {
	case "true", "false":
		there := x.Present.text == "true"
		c.Expects.Present = &there
	case "":
	default:
		p.add(x.Present.line, "present is %.20q: write true or false", x.Present.text)
		return
	}
	if err := c.Expects.Check(); err != nil {
		p.add(line, "expects: %v", err)
	}
}

// compare notes criteria that ask the same, and messages that repeat another
// criterion's words.
func (p *problems) compare(all []criterion) {
	for i := range all {
		for k := range all {
			a, b := &all[i], &all[k]
			switch {
			case k < i && a.Assertion != "" && shadow.SameWords(a.Assertion, b.Assertion):
				p.add(a.line, "the criterion asserts what the one in line %d asserts: leave one", b.line)
			case k != i && b.GivenAwayBy(a.message):
				p.add(a.line, "its message repeats the criterion in line %d, and commanders read it: say what to do about a failure", b.line)
			}
		}
	}
}

func categories() string {
	var names []string
	for _, c := range shadow.Categories() {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

// whereIn translates the place of a check's error into a line of the file. In
// a folded or quoted text the lines of the file are not those of the
// expression: the error names the line in which it begins.
func whereIn(f field, err error) (line, column int, message string) {
	var e *check.Error
	if !errors.As(err, &e) {
		return f.line, 1, err.Error()
	}
	return f.first + e.Line - 1, e.Column, e.Message
}
