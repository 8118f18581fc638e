package shadow

import (
	"fmt"
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
	// ID numbers the issues of one event, from "issue-1". It is not that of the
	// criterion, from which a commander could tell how many there are.
	ID      string `json:"id"`
	Message string `json:"message"`
}

// Request derives the hardening request from a stored report that asks for a
// fix. stored is the report's time in the stream, from which the deadline runs.
// The commander is not asked to fix what could not be judged.
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

// issues are the failures without what could not be judged. Criteria that rest
// on the same item may fail in the same words, which are said once.
func (r *Report) issues() []Issue {
	undecided, said := map[string]bool{}, map[string]bool{}
	for _, id := range r.Swarm.Undecided {
		undecided[id] = true
	}
	issues := []Issue{}
	for _, f := range r.Failures {
		if !undecided[f.TestName] && !said[f.Message] {
			said[f.Message] = true
			issues = append(issues, Issue{ID: fmt.Sprintf("issue-%d", len(issues)+1), Message: f.Message})
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
