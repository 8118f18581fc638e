package shadow

import (
	"fmt"
	"time"
)

// Decide judges a submission and decides what follows, as the report to store.
// prev is the stored report of the cycle before, nil for cycle 0; deadline is
// the fix's and is not used for cycle 0.
func (x *Exam) Decide(ev Evidence, prev *Report, deadline time.Time) *Report {
	j := x.Judge(&ev)
	if j.SealBroken != "" {
		return Broken(&x.Commitment, x.Envelope.Domains, ev, prev, j.SealBroken)
	}
	r := x.report(ev, j)
	r.decide(&x.Envelope.Policy, prev, deadline)
	return r
}

// decide says what follows from what was found in a submission.
func (r *Report) decide(p *Policy, prev *Report, deadline time.Time) {
	s := &r.Swarm
	this := Cycle{Cycle: s.Cycle, Score: s.Score, Kept: true, BundleDigest: s.BundleDigest}
	if prev == nil {
		s.Cycles = []Cycle{this}
		r.conclude(p)
		return
	}
	s.Unwalled = s.Unwalled || prev.Swarm.Unwalled
	s.Hardening = SwarmHarden{Deadline: &deadline, FlatVelocity: flatVelocity(r, prev), Regressed: prev.Swarm.Hardening.Regressed}
	// Failed counts decide; the totals are the same envelope's. A tie keeps
	// the fix.
	if s.Score.Failed > prev.Swarm.Score.Failed {
		this.Kept = false
		fixDoubts := s.AdvisoryReasons
		r.keepPrevious(prev)
		s.Hardening.Regressed = true
		for _, why := range fixDoubts {
			s.addAdvisory(fmt.Sprintf("fix %d, which was not kept: %s", this.Cycle, why))
		}
	} else {
		r.inherit(prev)
	}
	s.Cycles = append(append([]Cycle{}, prev.Swarm.Cycles...), this)
	r.conclude(p)
}

// Redecide is the report that follows from what a stored one found, whose score
// stands in its last cycle, and from the stored report of the cycle before.
func (r *Report) Redecide(p *Policy, prev *Report, deadline time.Time) *Report {
	if prev != nil && r.Swarm.Hardening.TimedOut {
		return TimedOut(p, prev, deadline, r.Swarm.SealBroken)
	}
	again := *r
	s := &again.Swarm
	s.Score, s.AcceptedCycle, s.Final, s.Hardening = s.Cycles[len(s.Cycles)-1].Score, s.Cycle, false, SwarmHarden{}
	if s.SealBroken == "" {
		again.decide(p, prev, deadline)
		// Of a fix that does not stand these were found in what is not there any more.
		s.AdvisoryReasons, s.Hardening.FlatVelocity = r.Swarm.AdvisoryReasons, r.Swarm.Hardening.FlatVelocity
		again.finish(p)
		return &again
	}
	s.Score.Failed = s.Score.Total
	s.Cycles = []Cycle{{Cycle: s.Cycle, Score: s.Score, Kept: true, BundleDigest: s.BundleDigest}}
	if prev != nil {
		s.Cycles = append(append([]Cycle{}, prev.Swarm.Cycles...), s.Cycles...)
	}
	again.close(p)
	return &again
}

// flatVelocity lists the criteria that a fix fails as the bundle before it did,
// but for another reason, while the score got no better: the commander works
// on it and misses what is meant, so a human should look at the criterion
// before anyone spends another cycle on it (Shadow Score Spec, level 3).
func flatVelocity(fix, before *Report) []string {
	if fix.Swarm.Score.Failed < before.Swarm.Score.Failed {
		return nil
	}
	var ids []string
	for _, f := range fix.Failures {
		for _, was := range before.Failures {
			if f.TestName == was.TestName && f.Actual != was.Actual {
				ids = append(ids, f.TestName)
			}
		}
	}
	return ids
}

// TimedOut is the final report of a domain whose fix did not come by its
// deadline: what stood before stands, unless the seal has broken since, for
// the reason broken.
func TimedOut(p *Policy, prev *Report, deadline time.Time, broken string) *Report {
	r := *prev
	s := &r.Swarm
	s.Cycle++
	s.Hardening = SwarmHarden{Deadline: &deadline, TimedOut: true, Regressed: prev.Swarm.Hardening.Regressed}
	r.Report.Timestamp = deadline
	if broken != "" {
		s.Score.Failed = s.Score.Total
		r.Failures, s.Undecided, s.NotApplicable, s.UnreadCriteria = nil, nil, nil, nil
		s.breakSeal(broken)
	}
	r.close(p)
	return &r
}

// Broken is the final report of a bundle whose run's seal is broken: nothing
// was passed, whatever stood before.
func Broken(c *Commitment, domains Domains, ev Evidence, prev *Report, why string) *Report {
	r := newReport(c, ev)
	s := &r.Swarm
	s.Score = Score{Failed: c.CriteriaCount, Total: c.CriteriaCount}
	if prev != nil {
		s.Cycles = append(s.Cycles, prev.Swarm.Cycles...)
		s.Unwalled = s.Unwalled || prev.Swarm.Unwalled
		r.Report.Specification = prev.Report.Specification
	}
	s.Cycles = append(s.Cycles, Cycle{Cycle: s.Cycle, Score: s.Score, Kept: true, BundleDigest: ev.Digest})
	s.breakSeal(why)
	if d := domains.Find(s.Domain); d != nil {
		// Those of an envelope have their family stated.
		r.Report.ImplementerFamily, _ = Families(nil).Of(d.Implementer)
	}
	r.close(&c.Policy)
	return r
}
