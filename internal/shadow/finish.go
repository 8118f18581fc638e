package shadow

import (
	"fmt"
	"slices"
	"strings"
)

// reportID names a report; it is the same whoever writes it.
func reportID(run, domain string, cycle int) string {
	return fmt.Sprintf("%s/%s/%d", run, domain, cycle)
}

// finish derives what follows from the facts of a report: the numbers to show,
// the level that it may claim, and the fields that its spec version has.
func (r *Report) finish(p *Policy) {
	s := &r.Swarm
	r.SpecVersion = p.SpecVersion
	r.Report.ID = reportID(s.RunID, s.Domain, s.Cycle)
	r.Report.ShadowScore = s.Score.Percent()
	r.Report.Level = s.Score.Level()
	r.SealedTests = TestTally{Total: s.Score.Total, Passed: s.Score.Total - s.Score.Failed, Failed: s.Score.Failed}
	r.Hardening = nil
	if p.MaxCycles > 0 {
		r.Hardening = s.hardening(p)
	}
	if r.Failures == nil {
		r.Failures = []Failure{}
	}
	if p.SpecVersion == "1.0.0" {
		r.InVersion1()
		s.LevelReasons = nil
		return
	}
	r.claimLevel(p)
	broken, advisory := s.SealBroken != "", len(s.AdvisoryReasons) > 0
	r.Report.SealBroken, r.Report.Advisory = &broken, &advisory
	r.Report.AdvisoryReason = strings.Join(s.AdvisoryReasons, "; ")
	r.Report.WorkspaceIsolation = p.WorkspaceIsolation
	if s.Unwalled {
		r.Report.WorkspaceIsolation = IsolationLegacy
	}
}

// InVersion1 leaves what version 1.0.0 of the spec knows.
func (r *ScoreReport) InVersion1() {
	h := &r.Report
	r.SpecVersion = "1.0.0"
	r.Report = ReportHead{ID: h.ID, Timestamp: h.Timestamp, Specification: h.Specification, ShadowScore: h.ShadowScore, Level: h.Level, SealedHash: h.SealedHash}
	if r.Hardening != nil {
		r.Hardening.HardeningVelocity, r.Hardening.MaxReveal = "", ""
	}
}

// claimLevel sets the conformance level that this report truly meets, up to the
// policy's, and why it is no higher.
func (r *Report) claimLevel(p *Policy) {
	s := &r.Swarm
	level, reasons := p.ConformanceLevel, slices.Clone(s.LevelReasons)
	atMost := func(n int, why string, holds bool) {
		if holds {
			level, reasons = min(level, n), appendNew(reasons, fmt.Sprintf("level %d: %s", n, why))
		}
	}
	if len(reasons) > 0 {
		level = min(level, 3)
	}
	atMost(p.ConformanceLevel, "the configuration allows no more", p.ConformanceLevel < 4)
	atMost(2, "the run has no hardening", p.MaxCycles == 0)
	atMost(1, "a replay: the work is older than the criteria", p.Replay)
	atMost(1, "the bus is not walled", p.WorkspaceIsolation != IsolationStrict || s.Unwalled)
	atMost(1, "the seal is broken", s.SealBroken != "")
	atMost(1, BeforeSeal, slices.Contains(s.AdvisoryReasons, BeforeSeal))
	r.Report.ConformanceLevel, s.LevelReasons = level, reasons
}

// hardening sums the cycles up in the spec's terms. A fix that never came is
// no cycle.
func (s *Swarm) hardening(p *Policy) *Hardening {
	first, n := s.Cycles[0].Score, len(s.Cycles)-1
	h := &Hardening{
		CyclesCompleted:    n,
		MaxCycles:          p.MaxCycles,
		InitialShadowScore: first.Percent(),
		FinalShadowScore:   s.Score.Percent(),
		HardeningVelocity:  "0.0",
	}
	if s.Cycle > 0 || s.Hardening.Requested {
		h.MaxReveal = "message"
	}
	if n > 0 {
		h.HardeningVelocity = velocity(first, s.Score, n)
	}
	return h
}
