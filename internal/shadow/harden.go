package shadow

import (
	"slices"
	"strings"
	"time"
)

// HardeningData is the data of hardening-request: all that a commander ever
// learns. It holds no criterion, no score, no count and no word about sealing.
type HardeningData struct {
	RunID       string `json:"run_id"`
	Domain      string `json:"domain"`
	BundleID    string `json:"bundle_id"`
	CommanderID string `json:"commander_id"`
	// Cycle is the number that the fix must carry.
	Cycle int `json:"cycle"`
	// Deadline: a fix stored later is rejected.
	Deadline time.Time `json:"deadline"`
	// Text is the block to hand to the commander's model as it is.
	Text   string  `json:"text"`
	Issues []Issue `json:"issues"`
}

// Issue is one failure in the words meant for the commander.
type Issue struct {
	ID      string `json:"id"`
	Message string `json:"message"`
}

// Request derives the hardening request from a stored report that asks for a
// fix. stored is the report's time in the stream, from which the deadline
// runs. What could not be judged is not put to the commander.
func Request(r *Report, p *Policy, stored time.Time) *HardeningData {
	s := &r.Swarm
	h := &HardeningData{
		RunID:       s.RunID,
		Domain:      s.Domain,
		BundleID:    s.BundleID,
		CommanderID: s.CommanderID,
		Cycle:       s.Cycle + 1,
		Deadline:    p.FixDeadline(stored),
		Issues:      r.issues(),
	}
	var b strings.Builder
	b.WriteString("SHADOW HARDENING — Fix these issues:\n")
	for _, i := range h.Issues {
		b.WriteString("- [" + i.ID + "] " + i.Message + "\n")
	}
	h.Text = b.String()
	return h
}

// issues are the failures without what could not be judged.
func (r *Report) issues() []Issue {
	undecided := map[string]bool{}
	for _, id := range r.Swarm.Undecided {
		undecided[id] = true
	}
	issues := []Issue{}
	for _, f := range r.Failures {
		if !undecided[f.TestName] {
			issues = append(issues, Issue{ID: f.TestName, Message: f.Message})
		}
	}
	return issues
}

// QuarantineData is the data of bundle-quarantined: what a re-review needs.
type QuarantineData struct {
	RunID       string  `json:"run_id"`
	Domain      string  `json:"domain"`
	BundleID    string  `json:"bundle_id"`
	CommanderID string  `json:"commander_id"`
	Cycle       int     `json:"cycle"`
	SealBroken  bool    `json:"seal_broken"`
	Issues      []Issue `json:"issues"`
}

// Notice derives the quarantine notice from a stored final report, or nil
// where its gate does not quarantine.
func Notice(r *Report) *QuarantineData {
	s := &r.Swarm
	if !s.Final || s.Gate.Action != Quarantine {
		return nil
	}
	return &QuarantineData{
		RunID:       s.RunID,
		Domain:      s.Domain,
		BundleID:    s.BundleID,
		CommanderID: s.CommanderID,
		Cycle:       s.AcceptedCycle,
		SealBroken:  s.SealBroken != "",
		Issues:      r.issues(),
	}
}

// Leaks reports whether text holds an assertion, an expectation, a check, what
// a check reads, the decoy or the salt of the envelope, or a long run of their
// words. It is asked about what the swarm is told of a report before it is
// published. What the decomposition says is no secret, nor what stands in
// public: texts that whoever reads this one wrote itself. Authors may put words
// of a criterion into their messages for commanders, and still not all of it.
func (x *Exam) Leaks(text string, public ...string) bool {
	if salt := x.Envelope.Salt; salt != "" && strings.Contains(strings.ToLower(text), salt) {
		return true
	}
	return x.guard.leaksBeyond(text,
		func() []string { return append(x.Envelope.public(), public...) },
		func() []string { return slices.Collect(messagesOf(x.Envelope.Criteria)) })
}

// public is what the envelope repeats of the decomposition.
func (e *Envelope) public() []string {
	texts := []string{e.RunID, e.Task}
	for _, r := range e.Requirements {
		texts = append(texts, r.Text)
	}
	return append(texts, textsOf(e.Domains)...)
}

func textsOf(domains []Domain) (texts []string) {
	for i := range domains {
		d := &domains[i]
		texts = append(texts, d.Domain, d.CommanderID, d.TaskBrief)
		texts = slices.Concat(texts, d.SubTasks, d.Deliverables, d.Constraints)
	}
	return texts
}
