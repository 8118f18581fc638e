package shadow

import (
	"fmt"
	"slices"
	"strings"

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
	Expected  string // of a fail: what was asked for
	Actual    string // what was found instead; empty for a pass
	Message   string // what the commander is told; empty unless failed
}

// Judgement is the judgement of one bundle by a whole envelope.
type Judgement struct {
	Verdicts []Verdict
	// Items are what was made of each item of the domain's assignment.
	Items []ItemVerdict
	// Ballots are those of a panel that count: first those on criteria, in the
	// order of Verdicts, then those on items, in the order of Items.
	Ballots []Ballot
	// Unsettled is how many items a panel was asked about in vain.
	Unsettled int
	// SealBroken is the reason why the seal counts as broken, or empty.
	SealBroken string
}

// Score counts what was not passed. With a broken seal nothing was passed.
func (j *Judgement) Score() Score {
	s := Score{Total: len(j.Verdicts)}
	for i := range j.Verdicts {
		if o := j.Verdicts[i].Outcome; j.SealBroken != "" || o == Failed || o == Undecided {
			s.Failed++
		}
	}
	return s
}

// Judge judges a bundle by the checks and the rules of reading, and by what ev
// tells of a panel where they leave something open. The event's data are
// searched as a whole for the decoy's token.
func (x *Exam) Judge(ev *Evidence) *Judgement {
	b := &ev.Submission.Bundle
	j := &Judgement{Verdicts: make([]Verdict, len(x.Envelope.Criteria))}
	dom := findDomain(x.Envelope.Domains, b.Domain)
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
			j.Verdicts[i] = x.delivered(j, c, m)
		default:
			if in.Material = m.Data; in.Material == nil {
				in.Material = map[string]any{}
			}
			j.Verdicts[i] = x.checked(c, x.checks[i], b, in)
		}
	}
	x.settle(j, b, ev.Panel.Ballots)
	if x.showsDecoy(ev.Raw) {
		j.SealBroken = "the bundle carries the token of the decoy, which only a reader of the envelope can know"
	}
	return j
}

// delivered judges by a criterion of delivery: it fails for each item that is
// known not to be there. What is unread fails nothing.
func (x *Exam) delivered(j *Judgement, c *Criterion, m Material) Verdict {
	v := Verdict{Criterion: c, Outcome: Passed}
	var expected, actual, told []string
	for i := range j.Items {
		it := &j.Items[i]
		if !it.failed() || !slices.Contains(m.Items, it.ItemRef) {
			continue
		}
		expected = append(expected, oneLine(it.Text))
		actual = append(actual, it.ItemRef.String()+": "+it.why)
		if x.Envelope.Policy.Reveal == RevealArea {
			told = append(told, oneLine(it.Text)+": not delivered")
			continue
		}
		told = append(told, oneLine(it.Text)+": "+it.why)
	}
	if len(expected) > 0 {
		v.Outcome = Failed
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

// message is what the commander is told of a criterion that its bundle fails:
// the author's words, with the defect behind them. What gives something sealed
// away is left out.
func (x *Exam) message(c *Criterion, b *Bundle, defect string) string {
	tells := func(text string) bool { return x.guard.Tells(c.ID, text, b.texts()...) }
	msg := strings.Join(strings.Fields(c.Material[b.Domain].Message), " ")
	if msg == "" || tells(msg) {
		msg = "A requirement of kind " + string(c.Category) + " is not met"
	}
	if x.Envelope.Policy.Reveal == RevealArea || defect == "" {
		return msg
	}
	if full := strings.TrimRight(msg, ".") + ": " + strings.Join(strings.Fields(defect), " "); !tells(full) {
		return full
	}
	return msg
}

// Bounds on what a report repeats of a bundle, in bytes, so that a report
// stays far smaller than the bundle that it is about.
const (
	maxActual  = 4000
	maxMessage = 2000
)

// list joins items up to a bound and says how many it leaves out. An item that
// comes several times is said once, with the count.
func list(items []string, most int) string {
	items = once(items)
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

// once lists each item once, in the order in which they come first.
func once(items []string) []string {
	times := map[string]int{}
	for _, item := range items {
		times[item]++
	}
	var out []string
	for _, item := range items {
		switch n := times[item]; {
		case n == 1:
			out = append(out, item)
		case n > 1:
			out = append(out, fmt.Sprintf("%s (%d times)", item, n))
		}
		times[item] = 0
	}
	return out
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
