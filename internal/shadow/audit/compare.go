package audit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// redecided is what follows from what a report says that it found. It needs
// neither the envelope nor the bundle.
func (r *Run) redecided(rep, prev *report, deadline time.Time) *shadow.Report {
	found := rep.Report
	s := &found.Swarm
	s.RunID, s.Domain, s.Cycle, s.Domains, found.Report.SealedHash = r.ID, rep.Domain, rep.Cycle, r.com.Domains, r.com.SealedHash
	if d := r.domains.Find(rep.Domain); d != nil {
		s.CommanderID = d.CommanderID
	}
	s.Cycles = slices.Clone(s.Cycles)
	s.Cycles[len(s.Cycles)-1].Score.Total = r.com.CriteriaCount
	want := found.Redecide(&r.com.Policy, prev.before(), deadline)
	if s = &want.Swarm; s.SealBroken == "" {
		if r.exam != nil {
			s.CheckerVersion = r.exam.Envelope.CheckerVersion
		}
		s.Score.Failed = len(want.Failures)
		count(want)
	}
	return want
}

// count derives the numbers of a report that follow from its score.
func count(rep *shadow.Report) {
	n := rep.Swarm.Score
	rep.SealedTests = shadow.TestTally{Total: n.Total, Passed: n.Total - n.Failed, Failed: n.Failed}
	rep.Report.ShadowScore, rep.Report.Level = n.Percent(), n.Level()
}

// decided is what a report makes of its verdicts.
func decided(rep *shadow.Report) string {
	s := &rep.Swarm
	return fmt.Sprint(s.Score, rep.SealedTests, rep.Report.ShadowScore, rep.Report.Level, s.Gate.Action, s.Gate.Enforced, s.AdvisoryReasons,
		s.Final, s.Hardening.Requested, s.Hardening.Regressed, s.AcceptedCycle)
}

// compare notes what differs between a stored report and the derived one, under
// the first code that fits: what comes first explains what comes after it.
func (r *Run) compare(rep *report, want *shadow.Report) {
	data := encode(want)
	if bytes.Equal(rep.Data, data) {
		return
	}
	s, w := &rep.Swarm, &want.Swarm
	code := Differs
	switch {
	case s.In.Sequence != w.In.Sequence || !s.In.Time.Equal(w.In.Time) || s.BundleDigest != w.BundleDigest:
		code = ReportInput
	case !bytes.Equal(encode(s.Ballots), encode(w.Ballots)), !bytes.Equal(encode(s.Cost), encode(w.Cost)):
		code = VoteWrong
	case notPassed(&rep.Report) != notPassed(want):
		r.find(rep.Message, VerdictWrong, notPassed(&rep.Report), notPassed(want))
		return
	case decided(&rep.Report) != decided(want):
		code = GateWrong
	}
	r.differ(rep.Message, code, rep.Data, data)
}

// notPassed lists the failures of a report.
func notPassed(rep *shadow.Report) string {
	if why := rep.Swarm.SealBroken; why != "" {
		return "the seal is broken: " + why
	}
	var all []string
	for _, f := range rep.Failures {
		id := f.TestName
		if slices.Contains(rep.Swarm.Undecided, id) {
			id += " (undecided)"
		}
		all = append(all, id)
	}
	return "not passed: " + strings.Join(all, ", ")
}
