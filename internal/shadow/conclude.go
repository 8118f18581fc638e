package shadow

import "fmt"

// keepPrevious keeps the earlier bundle instead of a fix that is worse. In and
// BundleDigest still name the fix, since it is the event that was judged.
func (r *Report) keepPrevious(prev *Report) {
	r.Failures, r.OpenTests, r.Coverage = prev.Failures, prev.OpenTests, prev.Coverage
	h, before := &r.Report, &prev.Report
	h.Independence, h.ImplementerFamily, h.ImplementerModel = before.Independence, before.ImplementerFamily, before.ImplementerModel
	s, p := &r.Swarm, &prev.Swarm
	s.Score, s.AcceptedCycle = p.Score, p.AcceptedCycle
	s.Undecided, s.NotApplicable, s.UnreadCriteria, s.Items, s.Read = p.Undecided, p.NotApplicable, p.UnreadCriteria, p.Items, p.Read
	s.AdvisoryReasons = append([]string{}, p.AdvisoryReasons...)
	s.LevelReasons, s.OpenTestsBy = p.LevelReasons, p.OpenTestsBy
}

// conclude asks for a fix, or closes the domain.
func (r *Report) conclude(p *Policy) {
	s := &r.Swarm
	fixable := len(r.Failures) > len(s.Undecided)
	if s.Cycle >= p.MaxCycles || !s.Score.Exceeds(p.Threshold) || !fixable {
		r.close(p)
		return
	}
	s.Hardening.Requested = true
	s.Gate = Gate{Action: Pending, Reason: fmt.Sprintf("%s: above %d %%, fix %d is awaited", s.Score.words(), p.Threshold, s.Cycle+1), Enforced: true}
	s.observe(p)
	r.finish(p)
}

// close makes the report the domain's last one.
func (r *Report) close(p *Policy) {
	s := &r.Swarm
	s.Final = true
	if s.Cycle > 0 {
		for _, f := range r.Failures {
			s.Hardening.Escalate = append(s.Hardening.Escalate, f.TestName)
		}
	}
	level := s.Score.Level()
	s.Gate = Gate{Action: level.Action(), Reason: s.Score.words() + ": " + string(level), Enforced: true}
	if s.SealBroken != "" {
		s.Gate.Action, s.Gate.Reason = Quarantine, "the seal is broken: no verdict of this run can be trusted"
	}
	if why := s.unread(p.MinRead); why != "" && s.Gate.Action == Proceed {
		s.Gate.Action, s.Gate.Reason = p.UnreadAction, s.Score.words()+", but unread: "+why
	}
	s.observe(p)
	r.finish(p)
}

// observe lets everything proceed where gates are not enforced.
func (s *Swarm) observe(p *Policy) {
	if !p.EnforceGates {
		s.Gate = Gate{Action: Proceed, Reason: "observe mode; enforced, the gate would say " + string(s.Gate.Action) + " (" + s.Gate.Reason + ")"}
	}
}

// breakSeal notes why no verdict can be trusted. The slice is copied, since it
// may be an earlier report's.
func (s *Swarm) breakSeal(why string) {
	s.SealBroken = why
	s.AdvisoryReasons = append([]string{}, s.AdvisoryReasons...)
	s.addAdvisory("the seal is broken: " + why)
}
