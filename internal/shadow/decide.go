package shadow

import (
	"fmt"
	"slices"
	"time"
)

// Evidence is a submission together with where it was stored.
type Evidence struct {
	Submission *Submission
	Raw        []byte // the event's data
	Digest     string // Digest(Raw)
	In         Place
	// BeforeSeal: it was stored before its run's commitment, so nothing
	// shows that the criteria were not written after it.
	BeforeSeal bool
	// Unwalled: where it is judged, the wall is not known to hold. Then the
	// isolation that the run was sealed under is not claimed.
	Unwalled bool
	// Notices are what the author of the event should know of its data.
	Notices []string
	// Panel is what judges said to the exam's Questions; none were asked
	// where it is empty.
	Panel Panel
}

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
		r.stand(prev)
		s.Hardening.Regressed = true
		for _, why := range fixDoubts {
			s.doubt(fmt.Sprintf("fix %d, which was not kept: %s", this.Cycle, why))
		}
	} else {
		r.inherit(prev)
	}
	s.Cycles = append(append([]Cycle{}, prev.Swarm.Cycles...), this)
	r.conclude(p)
}

// Redecide says again what follows from what a stored report found, whose score
// stands in its last cycle, and from the stored report of the cycle before. Of
// the result the score, the cycles, what is decided and the numbers about cycles
// are to be compared.
func (r *Report) Redecide(p *Policy, prev *Report, deadline time.Time) *Report {
	if prev != nil && r.Swarm.Hardening.TimedOut {
		return TimedOut(p, prev, deadline, r.Swarm.SealBroken)
	}
	again := *r
	s := &again.Swarm
	s.Score, s.AcceptedCycle, s.Final, s.Hardening = s.Cycles[len(s.Cycles)-1].Score, s.Cycle, false, SwarmHarden{}
	if s.SealBroken == "" {
		again.decide(p, prev, deadline)
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
		r.Failures, s.Undecided, s.NotApplicable = nil, nil, nil
		s.breakSeal(broken)
	}
	r.close(p)
	return &r
}

// Broken is the final report of a bundle whose run's seal is broken: nothing
// was passed, whatever stood before.
func Broken(c *Commitment, domains []Domain, ev Evidence, prev *Report, why string) *Report {
	r := &Report{Swarm: swarmOf(ev, &c.Policy)}
	s := &r.Swarm
	s.Domains = c.Domains
	s.Score = Score{Failed: c.CriteriaCount, Total: c.CriteriaCount}
	s.AcceptedCycle = s.Cycle
	if prev != nil {
		s.Cycles = append(s.Cycles, prev.Swarm.Cycles...)
		s.Unwalled = s.Unwalled || prev.Swarm.Unwalled
		r.Report.Specification = prev.Report.Specification
	}
	s.Cycles = append(s.Cycles, Cycle{Cycle: s.Cycle, Score: s.Score, Kept: true, BundleDigest: ev.Digest})
	s.breakSeal(why)
	r.Report.Timestamp = ev.In.Time
	r.Report.SealedHash = c.SealedHash
	if d := findDomain(domains, s.Domain); d != nil {
		// Those of an envelope have their family stated.
		r.Report.ImplementerFamily, _ = Families(nil).Of(d.Implementer)
	}
	r.close(&c.Policy)
	return r
}

// report states what was found in one submission, before any decision.
func (x *Exam) report(ev Evidence, j *Judgement) *Report {
	e := x.Envelope
	b := &ev.Submission.Bundle
	r := &Report{Swarm: swarmOf(ev, &e.Policy)}
	s := &r.Swarm
	s.Domains = len(e.Domains)
	s.Score = j.Score()
	s.AcceptedCycle = s.Cycle
	s.CheckerVersion = e.CheckerVersion
	s.Judges = append([]AuthorRef{{Name: byRules, Model: Model{Family: "rules"}}}, ev.Panel.Judges...)
	s.Ballots, s.Cost = j.Ballots, cost(j.Ballots)
	s.Tampering = tampering(b)
	s.Items, s.Read = j.Items, readOf(j.Items)
	if j.Unsettled > 0 {
		s.doubt(fmt.Sprintf("the judges did not agree on %s", plural(j.Unsettled, "item")))
	}
	for i := range j.Verdicts {
		v := &j.Verdicts[i]
		s.Categories = append(s.Categories, v.Criterion.Category)
		switch v.Outcome {
		case NotApplicable:
			s.NotApplicable = append(s.NotApplicable, v.Criterion.ID)
			continue
		case Passed:
			continue
		}
		f := Failure{TestName: v.Criterion.ID, Category: v.Criterion.Category, Expected: v.Expected, Actual: v.Actual, Message: v.Message}
		if v.Outcome == Undecided {
			s.Undecided = append(s.Undecided, v.Criterion.ID)
			f.Message = "could not be judged"
		}
		r.Failures = append(r.Failures, f)
	}
	if b.OpenTests != nil {
		r.OpenTests = &TestTally{Total: b.OpenTests.Total, Passed: b.OpenTests.Passed, Failed: b.OpenTests.Failed}
		r.Coverage = coverage(e.Criteria, b.OpenTests.ByCategory)
		s.OpenTestsBy = b.CommanderID
	}
	r.Report.Timestamp = ev.In.Time
	r.Report.Specification = e.Task
	r.Report.SealedHash = e.SealedHash
	x.provenance(r, ev, b)
	return r
}

// coverage compares sealed criteria with open tests, category by category, or
// is nil where the bundle does not say of which category its tests are. Tests
// of a category that the protocol does not know are of "unknown".
func coverage(criteria []Criterion, open map[Category]TestTally) map[Category]Coverage {
	if len(open) == 0 {
		return nil
	}
	out := map[Category]Coverage{}
	add := func(c Category, sealed, open int) {
		n := out[c]
		n.Sealed += sealed
		n.Open += open
		n.Delta = n.Sealed - n.Open
		out[c] = n
	}
	for i := range criteria {
		add(criteria[i].Category, 1, 0)
	}
	for c, t := range open {
		if c == "edge_cases" { // as some runners have it
			c = EdgeCase
		}
		if !slices.Contains(Categories(), c) {
			c = "unknown"
		}
		add(c, 0, t.Total)
	}
	return out
}

// BeforeSeal is the advisory reason of a report whose bundle was stored before
// its run's commitment.
const BeforeSeal = "the bundle arrived before the seal"

func swarmOf(ev Evidence, p *Policy) Swarm {
	b := &ev.Submission.Bundle
	return Swarm{
		RunID:        ev.Submission.RunID,
		Domain:       b.Domain,
		BundleID:     b.BundleID,
		CommanderID:  b.CommanderID,
		Scale:        p.Scale,
		Cycle:        ev.Submission.Cycle,
		Judges:       []AuthorRef{},
		Items:        []ItemVerdict{},
		In:           ev.In,
		BundleDigest: ev.Digest,
		Notices:      ev.Notices,
		Unwalled:     ev.Unwalled && p.WorkspaceIsolation == IsolationStrict,
	}
}

func (s *Swarm) doubt(why string) { s.AdvisoryReasons = appendNew(s.AdvisoryReasons, why) }

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// words spells how much was read: "3 of 9 items read".
func (r Read) words() string { return fmt.Sprintf("%d of %s read", r.Read, plural(r.Items, "item")) }

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// words spells a score: "2 of 8 criteria not passed (25.0 %)".
func (s Score) words() string {
	return fmt.Sprintf("%d of %d criteria not passed (%s %%)", s.Failed, s.Total, s.Percent())
}
