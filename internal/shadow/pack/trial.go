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
			case t.Error != "":
				f.Fail(here, "the check has no verdict on it: %s", t.Error)
			case t.Verdict == "passed" && !kind.pass:
				f.Fail(here, "the check lets it pass")
			case t.Verdict == "failed" && kind.pass:
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

// Trial is a criterion of a file, and what its check says of a bundle that is
// tried out.
type Trial struct {
	Category  shadow.Category `json:"category"`
	Assertion string          `json:"assertion"`
	Message   string          `json:"message"`
	Examples  int             `json:"examples"` // in the file, each judged as it says
	Judges    bool            `json:"judges"`   // it has no check: judges decide
	// Verdict is passed, failed or error; empty if nothing was tried.
	Verdict  string   `json:"verdict,omitempty"`
	Problems []string `json:"problems,omitempty"` // what is wrong, as the check words it
	Error    string   `json:"error,omitempty"`    // why there is no verdict
}

// Try runs every check of the file on a bundle, or on nothing if it is nil.
func (p *Pack) Try(b *shadow.Bundle) []Trial {
	all := []Trial{}
	for i := range p.criteria {
		all = append(all, p.criteria[i].try(b))
	}
	return all
}

func (c *criterion) try(b *shadow.Bundle) Trial {
	t := Trial{Category: c.Category, Assertion: c.Assertion, Message: c.Basis, Examples: c.examples, Judges: c.program == nil}
	if t.Judges || b == nil {
		return t
	}
	domain := shadow.Domain{Domain: b.Domain, CommanderID: b.CommanderID}
	r, err := c.program.Eval(shadow.CheckInput(b, &domain))
	switch t.Problems = r.Problems; {
	case err != nil:
		t.Verdict, t.Error = "error", err.Error()
	case r.Passed:
		t.Verdict = "passed"
	default:
		t.Verdict = "failed"
	}
	return t
}
