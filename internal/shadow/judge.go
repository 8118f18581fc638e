package shadow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// Exam is a verified envelope with its checks compiled, ready to judge. It is
// safe for concurrent use.
type Exam struct {
	Envelope   *Envelope
	Commitment Commitment
	checks     []*check.Check // one per criterion; nil where it has none
	guard      guard
}

// NewExam verifies an envelope against the commitment in the log and compiles
// its checks. ErrSealBroken means that the two don't match.
func NewExam(e *Envelope, c *Commitment) (*Exam, error) {
	if err := e.Verify(c); err != nil {
		return nil, err
	}
	x := &Exam{
		Envelope:   e,
		Commitment: *c,
		checks:     make([]*check.Check, len(e.Criteria)),
		guard:      newGuard(e.Criteria, e.Decoy.Token),
	}
	for i, cr := range e.Criteria {
		if cr.Check == "" {
			continue
		}
		var err error
		if x.checks[i], err = compile(cr.Check); err != nil {
			return nil, fmt.Errorf("the check of %s does not compile%s", cr.ID, column(err))
		}
	}
	return x, nil
}

// Outcome is a verdict's word.
type Outcome string

// The outcomes. Undecided counts as not passed and makes the report advisory.
// NotApplicable counts as passed: the bundle's domain was asked for nothing
// that the criterion is about.
const (
	Passed        Outcome = "passed"
	Failed        Outcome = "failed"
	NotApplicable Outcome = "not_applicable"
	Undecided     Outcome = "undecided"
)

// Verdict is the judgement of one bundle by one criterion.
type Verdict struct {
	Criterion *Criterion
	Outcome   Outcome
	Actual    string // what was found instead; empty for a pass
	Message   string // what the commander is told; empty unless failed
	Unclear   []check.Unclear
	// LetPass are those of Unclear that were not held against the bundle.
	LetPass []check.Unclear
	// unread: it failed for nothing but what could not be read.
	unread bool
}

// Judgement is the judgement of one bundle by a whole envelope.
type Judgement struct {
	Verdicts []Verdict
	// Ballots are those of a panel that count, in the order of Verdicts.
	Ballots []Ballot
	// SealBroken is the reason why the seal counts as broken, or empty.
	SealBroken string
}

// Score counts what was not passed. With a broken seal nothing was passed.
func (j *Judgement) Score() Score {
	s := Score{Total: len(j.Verdicts)}
	for i := range j.Verdicts {
		if j.SealBroken != "" || j.Verdicts[i].Outcome != Passed {
			s.Failed++
		}
	}
	return s
}

// Judge judges a bundle by the checks, and by what ev tells of a panel where
// they leave something open. The event's data are searched as a whole for the
// decoy's token.
func (x *Exam) Judge(ev *Evidence) *Judgement {
	b := &ev.Submission.Bundle
	j := &Judgement{Verdicts: make([]Verdict, len(x.Envelope.Criteria))}
	dom := findDomain(x.Envelope.Domains, b.Domain)
	in := CheckInput(b, dom, nil)
	in.Text = check.Analyse(b.Content) // once for all criteria
	for i := range x.Envelope.Criteria {
		c := &x.Envelope.Criteria[i]
		m := c.Material[b.Domain]
		if in.Material = m.Data; in.Material == nil {
			in.Material = map[string]any{}
		}
		j.Verdicts[i] = x.judgeOne(c, x.checks[i], m, in)
	}
	x.settle(j, b.Domain, ev.Panel.Ballots)
	if x.showsDecoy(b, ev.Raw) {
		j.SealBroken = "the bundle carries the token of the decoy, which only a reader of the envelope can know"
	}
	return j
}

func (x *Exam) judgeOne(c *Criterion, program *check.Check, m Material, in check.Input) Verdict {
	v := Verdict{Criterion: c}
	if program == nil {
		v.Outcome, v.Actual = Undecided, "no judge for criteria in natural language is configured"
		return v
	}
	r, err := program.Eval(in)
	if err != nil {
		v.Outcome, v.Actual = Undecided, "the check could not be evaluated: "+err.Error()
		return v
	}
	v.Unclear, v.LetPass = r.Unclear, r.LetPass()
	if r.Passed {
		v.Outcome = Passed
		return v
	}
	v.Outcome, v.Message = Failed, x.message(c, m, r.Problems)
	v.unread = len(r.Problems) == 0 && len(v.Unclear) > len(v.LetPass)
	if v.Actual = list(r.Problems, maxActual); v.Actual == "" {
		v.Actual = "the check is false"
	}
	return v
}

// message puts problems into the words that the author sealed for the
// commander. A message that would give a criterion of the envelope away is
// replaced by one that names the category only.
func (x *Exam) message(c *Criterion, m Material, problems []string) string {
	var told []string
	items := slices.Sorted(maps.Keys(m.Messages))
	for _, p := range problems {
		for _, item := range items {
			if strings.HasPrefix(p, item+": ") && !slices.Contains(told, m.Messages[item]) {
				told = append(told, m.Messages[item])
			}
		}
	}
	msg := m.Message
	if len(told) > 0 {
		msg = list(told, maxMessage)
	}
	if msg = strings.Join(strings.Fields(msg), " "); msg == "" || x.guard.leaks(msg) {
		return "A requirement of kind " + string(c.Category) + " is not met"
	}
	return msg
}

// Bounds on what a report repeats of a bundle, in bytes, so that a report
// stays far smaller than the bundle that it is about.
const (
	maxActual  = 4000
	maxMessage = 2000
)

// list joins items up to a bound and says how many it leaves out.
func list(items []string, most int) string {
	var b strings.Builder
	for i, item := range items {
		item = strings.ToValidUTF8(item[:min(len(item), most)], "")
		if i > 0 && b.Len()+len(item) > most {
			fmt.Fprintf(&b, "; and %d more", len(items)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(item)
	}
	return b.String()
}

// CheckInput is what a check sees of a bundle, under the names of the events:
// the bundle, its domain's entry in the decomposition (nil: an empty one), and
// the material that is sealed for it. The text is left to be analysed.
func CheckInput(b *Bundle, d *Domain, material map[string]any) check.Input {
	conflicts := make([]any, len(b.Conflicts))
	for i, c := range b.Conflicts {
		conflicts[i] = map[string]any{"description": c.Description, "resolution": c.Resolution}
	}
	in := check.Input{
		Bundle: map[string]any{
			"bundle_id":    b.BundleID,
			"domain":       b.Domain,
			"commander_id": b.CommanderID,
			"status":       b.Status,
			"summary":      b.Summary,
			"atoms_merged": b.AtomsMerged,
			"conflicts":    conflicts,
			"content":      b.Content,
			"confidence":   b.Confidence,
		},
		Domain:   map[string]any{},
		Material: material,
	}
	if d != nil {
		in.Domain = map[string]any{
			"domain":       d.Domain,
			"task_brief":   d.TaskBrief,
			"sub_tasks":    d.SubTasks,
			"deliverables": d.Deliverables,
			"constraints":  d.Constraints,
		}
	}
	if in.Material == nil {
		in.Material = map[string]any{}
	}
	return in
}
