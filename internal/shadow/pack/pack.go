// Package pack is the author of standing criteria: those that a team writes
// down once, in a YAML file, and has asked of every run.
//
//	version: 1
//	criteria:
//	  - assertion: The bundle says how to undo the change.
//	    expectation: A section on rollback.
//	    message: the way back
//	    check: text.has_section('Rollback')
//	    category: error_handling
//	    domains: ["deploy*", backend]
//
// [Parse] reads a file and finds every mistake in it, with its line, before the
// first run. [New] makes an author of it, which has all criteria of the file
// asked, in their order: each of the domains that it is meant for. More than
// fit into an envelope is an error of the run.
//
// Both are pure.
package pack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/check"
	"github.com/swarmspeed/shadowd/internal/shadow/guard"
	"github.com/swarmspeed/shadowd/internal/text/strict"
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
	shadow.Material          // as each domain is asked it; its basis is the message
	domains         []string // globs; none: every domain
	at              string   // its path in the file
	program         *check.Check
	examples        int
}

// document is a file as it is written.
type document struct {
	Version  int     `yaml:"version" is:"required,of=1" must:"1, the version of this form"`
	Family   string  `yaml:"family" is:"text"`
	Criteria []entry `yaml:"criteria" is:"required,min=1,max=300" must:"a list of criteria"`
}

type entry struct {
	Assertion   string          `yaml:"assertion" is:"required,text" must:"a sentence that says what is true of good work"`
	Expectation string          `yaml:"expectation" is:"required,text" must:"what the report names as expected"`
	Message     string          `yaml:"message" is:"required,text" must:"the matter, as the commander is told it; what was found stands behind it"`
	Check       string          `yaml:"check" is:"text"`
	Category    shadow.Category `yaml:"category" is:"required" must:"the kind of criterion"`
	Domains     []string        `yaml:"domains" is:"min=1;text"`
	Examples    examples        `yaml:"examples" is:"min=1"`
}

// examples are texts that a check must let pass, or fail.
type examples struct {
	Passes []string `yaml:"passes" is:"min=1"`
	Fails  []string `yaml:"fails" is:"min=1"`
}

// Parse reads the file called name. judged says that there are judges, who read what
// has no check; without them every criterion needs one. Its error is a [strict.FileError].
func Parse(name string, data []byte, judged bool) (*Pack, error) {
	var doc document
	f := &file{strict.ReadFile(name, data, &doc)}
	pack := &Pack{family: strings.ToLower(strings.TrimSpace(cmp.Or(doc.Family, "rules")))}
	if n := f.Node("criteria"); n != nil && len(n.Content) > MaxCriteria {
		return nil, f.Err()
	}
	for i := range doc.Criteria {
		if at := "criteria[" + strconv.Itoa(i) + "]"; f.Node(at).Kind == yaml.MappingNode {
			pack.criteria = append(pack.criteria, f.criterion(at, &doc.Criteria[i], judged))
		}
	}
	f.compare(pack.criteria)
	if err := f.Err(); err != nil {
		return nil, err
	}
	return pack, nil
}

// file is a file of criteria, checked for what a schema cannot say.
type file struct{ *strict.File }

// criterion reads the entry at a path and notes what is wrong with it.
func (f *file) criterion(at string, e *entry, judged bool) criterion {
	text := strings.TrimSpace
	c := criterion{
		Material: shadow.Material{Category: e.Category, Assertion: text(e.Assertion), Expected: text(e.Expectation), Check: text(e.Check), Basis: text(e.Message)},
		domains:  e.Domains,
		at:       at,
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
	if c.secrets("").Contains(c.Basis) {
		f.Fail(at+".message", "it repeats the assertion, the expectation or the check, and commanders read it: name the matter")
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
	if _, err := evaluate(program, ""); err != nil {
		f.Fail(at, "it fails on an empty bundle, so it would judge nobody: %v", err)
		return
	}
	c.program = program
}

// secrets knows what no message may repeat of the criterion.
func (c *criterion) secrets(id string) *guard.Guard {
	return guard.New([]guard.Criterion{{ID: id, Sealed: []string{c.Assertion, c.Expected, c.Check}}}, nil)
}

// compare notes criteria that ask the same, and messages that tell what another
// criterion asks.
func (f *file) compare(all []criterion) {
	for k := range all {
		b := &all[k]
		asks := b.secrets("other")
		for i := range all {
			a := &all[i]
			if k < i && a.Assertion != "" && shadow.SameWords(a.Assertion, b.Assertion) {
				f.Fail(a.at+".assertion", "it says what %s says: leave one", b.at)
			} else if k != i && asks.Reveals("own", a.Basis, []string{a.Assertion, a.Expected, a.Check}) {
				f.Fail(a.at+".message", "it repeats %s, and commanders read it: name the matter", b.at)
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

// examples runs the check of a criterion on the texts that the file gives for
// it, and notes those on which it is wrong.
func (f *file) examples(c *criterion, x *examples) {
	at := c.at + ".examples"
	c.examples = len(x.Passes) + len(x.Fails)
	if c.examples > 0 && c.Check == "" {
		f.Fail(at, "there is no check that they could test: judges decide this criterion")
	}
	if c.program == nil {
		return
	}
	for _, kind := range []struct {
		name  string
		texts []string
		pass  bool
	}{{"passes", x.Passes, true}, {"fails", x.Fails, false}} {
		for i, text := range kind.texts {
			here := at + "." + kind.name + "[" + strconv.Itoa(i) + "]"
			switch r, err := evaluate(c.program, text); {
			case err != nil:
				f.Fail(here, "the check has no verdict on it: %v", err)
			case r.Passed && !kind.pass:
				f.Fail(here, "the check lets it pass")
			case !r.Passed && kind.pass:
				f.Fail(here, "the check fails it: %s", cmp.Or(strings.Join(r.Problems, "; "), "it is false"))
			}
		}
	}
}

// evaluate evaluates a check on a bundle of which nothing is known but its content.
func evaluate(program *check.Check, content string) (check.Result, error) {
	b := shadow.Bundle{Domain: "domain", CommanderID: "commander", Status: "success", Content: content}
	return program.Eval(shadow.CheckInput(&b, &shadow.Domain{Domain: b.Domain, CommanderID: b.CommanderID}))
}

// Listed is what a file says of one of its criteria, in short.
type Listed struct {
	Category  shadow.Category `json:"category"`
	Assertion string          `json:"assertion"`
	Examples  int             `json:"examples"` // each judged as it says
	Judges    bool            `json:"judges"`   // it has no check: judges decide
}

// List lists the criteria of the file.
func (p *Pack) List() (all []Listed) {
	for i := range p.criteria {
		c := &p.criteria[i]
		all = append(all, Listed{c.Category, c.Assertion, c.examples, c.program == nil})
	}
	return all
}

// Author asks the criteria of a pack. It is safe for concurrent use.
type Author struct {
	name string
	pack *Pack
}

// New returns the author called name.
func New(name string, p *Pack) *Author { return &Author{name, p} }

// Ref names the author and the family of the pack: "rules" unless the file says
// otherwise.
func (a *Author) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: a.name, Model: shadow.Model{Family: a.pack.family}}
}

// Write returns, for each domain of the order, all criteria that are meant for it, in
// the order of the file, however many fit.
func (a *Author) Write(_ context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	drafts := make(map[string]shadow.Draft, len(o.Count))
	for domain := range o.Count {
		var d shadow.Draft
		for i := range a.pack.criteria {
			if c := &a.pack.criteria[i]; c.meantFor(domain) {
				d.Criteria = append(d.Criteria, c.Material)
			}
		}
		drafts[domain] = d
	}
	return drafts, nil
}

func (c *criterion) meantFor(domain string) bool {
	return len(c.domains) == 0 || slices.ContainsFunc(c.domains, func(glob string) bool {
		ok, err := path.Match(glob, domain)
		return err == nil && ok
	})
}
