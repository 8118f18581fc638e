package audit

import (
	"bytes"
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
			want.Failures = slices.DeleteFunc(slices.Clone(want.Failures), func(f shadow.Failure) bool {
				return !slices.ContainsFunc(r.exam.Envelope.Criteria, func(c shadow.Criterion) bool { return c.ID == f.TestName })
			})
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

// object is a part of a report, in the places that it has there.
type object = map[string]any

func judged(rep *shadow.Report) any {
	return object{"swarm": object{"in": rep.Swarm.In, "bundle_digest": rep.Swarm.BundleDigest}}
}

func voted(rep *shadow.Report) any {
	return object{"swarm": object{"ballots": rep.Swarm.Ballots, "cost": rep.Swarm.Cost}}
}

func decided(rep *shadow.Report) any {
	s := &rep.Swarm
	return object{
		"report":       object{"shadow_score": rep.Report.ShadowScore, "level": rep.Report.Level},
		"sealed_tests": rep.SealedTests,
		"swarm": object{"score": s.Score, "gate": s.Gate, "final": s.Final, "accepted_cycle": s.AcceptedCycle, "hardening": s.Hardening,
			"advisory_reasons": s.AdvisoryReasons},
	}
}

// compare notes what differs between a stored report and the derived one: the
// first part that does explains what follows from it.
func (r *Run) compare(rep *report, want *shadow.Report) {
	data := encode(want)
	if bytes.Equal(rep.Data, data) {
		return
	}
	part := func(code Code, of func(*shadow.Report) any) (differs bool) {
		stored, derived := encode(of(&rep.Report)), encode(of(want))
		r.differ(rep.Message, code, stored, derived)
		return !bytes.Equal(stored, derived)
	}
	have, derived := notPassed(&rep.Report), notPassed(want)
	switch {
	case part(ReportInput, judged), part(VoteWrong, voted):
	case have != derived:
		r.find(rep.Message, VerdictWrong, have, derived)
	case part(GateWrong, decided):
	default:
		r.differ(rep.Message, Differs, rep.Data, data)
	}
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
