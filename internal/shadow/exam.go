package shadow

import (
	"fmt"
	"slices"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
	"github.com/swarmspeed/shadowd/internal/shadow/guard"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// Exam is a verified envelope with its checks compiled, ready to judge. It is
// safe for concurrent use.
type Exam struct {
	Envelope   *Envelope
	Commitment Commitment
	checks     []*check.Check // one per criterion; nil where it has none
	guard      *guard.Guard
}

// NewExam verifies an envelope against the commitment in the log and compiles
// its checks, those that checks knows excepted. ErrSealBroken means that the two
// don't match.
func NewExam(e *Envelope, c *Commitment, checks *Checks) (*Exam, error) {
	if err := e.Verify(c); err != nil {
		return nil, err
	}
	return e.Exam(checks)
}

// Exam is the exam of an envelope that [Seal] has returned, which needs no
// verification.
func (e *Envelope) Exam(checks *Checks) (*Exam, error) {
	x := &Exam{
		Envelope:   e,
		Commitment: e.Commitment(),
		checks:     make([]*check.Check, len(e.Criteria)),
		guard:      guardOf(e),
	}
	for i, cr := range e.Criteria {
		if cr.Check == "" {
			continue
		}
		var err error
		if x.checks[i], err = checks.compile(cr.Check); err != nil {
			return nil, fmt.Errorf("the check of %s does not compile%s", cr.ID, column(err))
		}
	}
	return x, nil
}

// Judge judges a bundle by the checks and the rules of reading, and by what ev
// tells of a panel where they leave something open. The event's data are
// searched as a whole for the decoy's token.
func (x *Exam) Judge(ev *Evidence) *Judgement {
	b := &ev.Submission.Bundle
	j := &Judgement{Verdicts: make([]Verdict, len(x.Envelope.Criteria))}
	dom := x.Envelope.Domains.Find(b.Domain)
	if dom == nil {
		dom = &Domain{Domain: b.Domain}
	}
	in := CheckInput(b, dom, nil)
	in.Text = check.Analyse(b.Content) // once for all criteria
	j.Items = x.Envelope.read(dom, &reading.Work{Content: in.Text.Doc, Summary: markdown.Parse(b.Summary), Status: b.Status})
	j.settleItems(ev.Panel.Ballots, b)
	for i := range x.Envelope.Criteria {
		c := &x.Envelope.Criteria[i]
		m, asked := c.Material[b.Domain]
		switch {
		case !asked:
			j.Verdicts[i] = Verdict{Criterion: c, Outcome: NotApplicable}
		case c.Delivery:
			j.Verdicts[i] = x.delivered(j, c, b)
		default:
			in.Material = m.Data
			j.Verdicts[i] = x.checked(c, x.checks[i], b, in)
		}
	}
	j.failEmpty()
	x.settle(j, b, ev.Panel.Ballots)
	if guard.JSONContainsToken(ev.Raw, x.Envelope.token()) {
		j.SealBroken = "the bundle carries the token of the decoy, which only a reader of the envelope can know"
	}
	return j
}

// failEmpty fails what checks passed in a bundle of whose work none is found and
// most is known not to be there: there is nothing that it could hold of. What is
// unread stays so, and a limit is no work. Judges show a passage for what they
// pass.
func (j *Judgement) failEmpty() {
	work, failed := 0, 0
	for i := range j.Items {
		it := &j.Items[i]
		switch {
		case it.Kind == Constraint || it.Kind == RequirementItem:
		case it.failed():
			work, failed = work+1, failed+1
		case it.Verdict == reading.Found:
			return
		default:
			work++
		}
	}
	if failed*2 <= work {
		return
	}
	for i := range j.Verdicts {
		if v := &j.Verdicts[i]; v.Outcome == Passed && !v.Unread {
			const why = "most of the work is not delivered, and none of it was found"
			v.Outcome, v.Expected, v.Actual, v.Message = Failed, v.Criterion.Expected, why, why
		}
	}
}

// delivered judges by a criterion of delivery: it fails for each item that is
// known not to be there. What is unread fails nothing.
func (x *Exam) delivered(j *Judgement, c *Criterion, b *Bundle) Verdict {
	v := Verdict{Criterion: c, Outcome: Passed}
	var expected, actual, told []string
	for i := range j.Items {
		it := &j.Items[i]
		if !slices.Contains(c.Material[b.Domain].Items, it.ItemRef) {
			continue
		}
		if !it.failed() {
			v.Unread = v.Unread || it.Verdict == reading.Unread
			continue
		}
		expected = append(expected, oneLine(it.Text))
		actual = append(actual, it.ItemRef.String()+": "+it.why)
		matter := oneLine(it.Text)
		told = append(told, x.messageFor(c, b, matter, it.why, matter+": not delivered"))
	}
	if len(expected) > 0 {
		v.Outcome, v.Unread = Failed, false
		v.Expected, v.Actual, v.Message = list(expected, maxActual), list(actual, maxActual), list(told, maxMessage)
	}
	return v
}

// checked judges by a criterion's check, or leaves it to a panel where it has
// none.
func (x *Exam) checked(c *Criterion, program *check.Check, b *Bundle, in check.Input) Verdict {
	v := Verdict{Criterion: c, Expected: c.Expected}
	if program == nil {
		v.Outcome, v.Actual = Undecided, "no judge for criteria in natural language is configured"
		return v
	}
	r, err := program.Eval(in)
	switch {
	case err != nil:
		v.Outcome, v.Actual = Undecided, "the check could not be evaluated: "+err.Error()
	case r.Passed:
		v.Outcome = Passed
	default:
		v.Outcome, v.Message = Failed, x.message(c, b, list(r.Problems, maxMessage))
		if v.Actual = list(r.Problems, maxActual); v.Actual == "" {
			v.Actual = "the check is false"
		}
	}
	return v
}
