package pack

import (
	"strconv"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

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
			switch t := c.try(&shadow.Bundle{Status: "success", Content: text}); {
			case t.Err != nil:
				f.Fail(here, "the check has no verdict on it: %v", t.Err)
			case t.Passed && !kind.pass:
				f.Fail(here, "the check lets it pass")
			case !t.Passed && kind.pass:
				f.Fail(here, "the check fails it: %s", found(t.Problems))
			}
		}
	}
}

func found(problems []string) string {
	if len(problems) == 0 {
		return "it is false"
	}
	return strings.Join(problems, "; ")
}

// Trial is what a criterion says of a bundle that is tried out.
type Trial struct {
	Assertion, Message string
	Category           shadow.Category
	Examples           int  // in the file, all of which come out
	Open               bool // there is no check: judges decide
	Passed             bool
	Problems           []string // what is wrong, as the check words it
	Err                error    // why there is no verdict
}

// Try runs every check of the file on a bundle.
func (p *Pack) Try(b *shadow.Bundle) []Trial {
	var all []Trial
	for i := range p.criteria {
		all = append(all, p.criteria[i].try(b))
	}
	return all
}

func (c *criterion) try(b *shadow.Bundle) Trial {
	t := Trial{Assertion: c.Assertion, Message: c.message, Category: c.Category, Examples: c.examples, Open: c.program == nil}
	if t.Open {
		return t
	}
	domain := shadow.Domain{Domain: b.Domain, CommanderID: b.CommanderID}
	r, err := c.program.Eval(shadow.CheckInput(b, &domain, nil))
	t.Passed, t.Problems, t.Err = r.Passed, r.Problems, err
	return t
}
