package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// facts checks what a report says of itself: numbers, level, gate, the
// decision about a fix, which bundle stands. It needs neither the envelope nor
// the bundle, so it holds for runs that cannot be judged again too.
func (r *Run) facts(rep, prev *report) {
	r.criteria(rep)
	r.numbers(rep)
	r.decision(rep)
	r.cycles(rep, prev)
	r.standing(rep, prev)
	r.hardeningBlock(rep)
	if s := &rep.Swarm; prev != nil && (s.SealBroken == "" || s.Hardening.TimedOut) {
		want, have := stamp(r.deadline(rep.Cycle, prev)), "none"
		if s.Hardening.Deadline != nil {
			have = stamp(*s.Hardening.Deadline)
		}
		differ(r, rep.Message, DeadlineWrong, "hardening.deadline", have, want)
	}
}

// criteria: every one passed or is among the failures.
func (r *Run) criteria(rep *report) {
	s := &rep.Swarm
	if s.Score.Total != r.com.CriteriaCount {
		r.find(rep.Message, CriterionMissing, fmt.Sprintf("%d criteria", s.Score.Total), fmt.Sprint(r.com.CriteriaCount))
	}
	if s.SealBroken != "" {
		return // then nothing passed and nothing is listed
	}
	if len(rep.Failures) != s.Score.Failed {
		r.find(rep.Message, CriterionMissing, fmt.Sprintf("%d failures for a score of %d failed", len(rep.Failures), s.Score.Failed), "one for each criterion that did not pass")
	}
	seen := map[string]bool{}
	for i := range rep.Failures {
		f := &rep.Failures[i]
		// What is expected of a delivery depends on the items; comparing the
		// reports holds it.
		known := r.exam == nil || slices.ContainsFunc(r.exam.Envelope.Criteria, func(c shadow.Criterion) bool {
			return c.ID == f.TestName && c.Category == f.Category && (c.Delivery || c.Expected == f.Expected)
		})
		if seen[f.TestName] || !known {
			r.find(rep.Message, CriterionUnknown, "failure "+f.TestName+", which stands there twice or is not so in the envelope", "each criterion once, as it was sealed")
		}
		seen[f.TestName] = true
	}
	for _, id := range s.Undecided {
		if !seen[id] {
			r.find(rep.Message, CriterionUnknown, "undecided "+id+", which is not among the failures", "undecided criteria count as not passed")
		}
	}
}

func (r *Run) numbers(rep *report) {
	s := &rep.Swarm
	t, n := rep.SealedTests, s.Score
	if n.Failed < 0 || n.Failed > n.Total || t != (shadow.TestTally{Total: n.Total, Passed: n.Total - n.Failed, Failed: n.Failed}) {
		r.find(rep.Message, ScoreWrong, fmt.Sprintf("score %d of %d, sealed_tests %d = %d passed + %d failed", n.Failed, n.Total, t.Total, t.Passed, t.Failed), "the same counts in both")
	}
	differ(r, rep.Message, ScoreWrong, "shadow_score", rep.Report.Report.ShadowScore, n.Percent())
	differ(r, rep.Message, LevelWrong, "level", rep.Report.Report.Level, n.Level())
}

// decision: the gate, and whether a fix is asked for.
func (r *Run) decision(rep *report) {
	s, p := &rep.Swarm, &r.com.Policy
	fixable := len(rep.Failures) > len(s.Undecided)
	ask := s.SealBroken == "" && !s.Hardening.TimedOut && rep.Cycle < p.MaxCycles && s.Score.Exceeds(p.Threshold) && fixable
	if s.Hardening.Requested != ask || s.Final == ask {
		r.find(rep.Message, HardeningWrong, fmt.Sprintf("requested %v, final %v", s.Hardening.Requested, s.Final),
			fmt.Sprintf("requested %v, final %v: %d of %d, threshold %d %%, cycle %d of %d", ask, !ask, s.Score.Failed, s.Score.Total, p.Threshold, rep.Cycle, p.MaxCycles))
	}
	gate := s.Score.Level().Action()
	if gate == shadow.Proceed && s.SealBroken == "" && s.Read.Below(p.MinRead) {
		gate = p.UnreadAction
	}
	switch {
	case !p.EnforceGates:
		gate = shadow.Proceed
	case s.SealBroken != "":
		gate = shadow.Quarantine
	case ask:
		gate = shadow.Pending
	}
	if s.Gate.Action != gate || s.Gate.Enforced != p.EnforceGates {
		r.find(rep.Message, GateWrong, fmt.Sprintf("%s, enforced %v", s.Gate.Action, s.Gate.Enforced), fmt.Sprintf("%s, enforced %v", gate, p.EnforceGates))
	}
}

// cycles: a report repeats the list of the one before and adds its own line,
// unless no fix came.
func (r *Run) cycles(rep, prev *report) {
	s := &rep.Swarm
	var before []shadow.Cycle
	if prev != nil {
		before = prev.Swarm.Cycles
	}
	want := len(before) + 1
	if s.Hardening.TimedOut {
		want = len(before)
	}
	ok := len(s.Cycles) == want && slices.Equal(s.Cycles[:min(len(before), len(s.Cycles))], before)
	if ok && !s.Hardening.TimedOut {
		ok = s.Cycles[want-1].Cycle == rep.Cycle
	}
	if !ok {
		r.find(rep.Message, CyclesWrong, string(encode(s.Cycles)), "those of the report before, "+string(encode(before))+", and this one's")
	}
}

// standing: a fix that fails more criteria than what stood before is not kept.
func (r *Run) standing(rep, prev *report) {
	s := &rep.Swarm
	last := s.Cycles[len(s.Cycles)-1]
	score, accepted, kept, regressed := last.Score, rep.Cycle, true, false
	if prev != nil {
		p := &prev.Swarm
		regressed = p.Hardening.Regressed
		switch {
		case s.Hardening.TimedOut:
			score, accepted, kept = p.Score, p.AcceptedCycle, last.Kept
		case s.SealBroken != "":
			regressed = false
		case last.Score.Failed > p.Score.Failed:
			score, accepted, kept, regressed = p.Score, p.AcceptedCycle, false, true
		}
	}
	if s.SealBroken != "" {
		score = shadow.Score{Failed: s.Score.Total, Total: s.Score.Total}
	}
	if s.Score != score || s.AcceptedCycle != accepted || last.Kept != kept || s.Hardening.Regressed != regressed {
		r.find(rep.Message, RegressionWrong,
			fmt.Sprintf("score %d, accepted cycle %d, kept %v, regressed %v", s.Score.Failed, s.AcceptedCycle, last.Kept, s.Hardening.Regressed),
			fmt.Sprintf("score %d, accepted cycle %d, kept %v, regressed %v", score.Failed, accepted, kept, regressed))
	}
}

// hardeningBlock checks the public format's numbers about cycles.
func (r *Run) hardeningBlock(rep *report) {
	s, p, h := &rep.Swarm, &r.com.Policy, rep.Hardening
	if h == nil || p.MaxCycles == 0 {
		if (h == nil) != (p.MaxCycles == 0) {
			r.find(rep.Message, VelocityWrong, fmt.Sprintf("a hardening block: %v", h != nil), fmt.Sprint(p.MaxCycles > 0))
		}
		return
	}
	first, n := s.Cycles[0].Score, len(s.Cycles)-1
	want := shadow.Hardening{CyclesCompleted: n, MaxCycles: p.MaxCycles, InitialShadowScore: first.Percent(), FinalShadowScore: s.Score.Percent(), HardeningVelocity: "0.0"}
	if n > 0 {
		want.HardeningVelocity = shadow.Velocity(first, s.Score, n)
	}
	if rep.Cycle > 0 || s.Hardening.Requested {
		want.MaxReveal = "message"
	}
	if p.SpecVersion == "1.0.0" { // which has neither
		want.HardeningVelocity, want.MaxReveal = "", ""
	}
	if *h != want {
		r.find(rep.Message, VelocityWrong, string(encode(h)), string(encode(want)))
	}
	var failing []string
	if s.Final && rep.Cycle > 0 {
		for _, f := range rep.Failures {
			failing = append(failing, f.TestName)
		}
	}
	if !slices.Equal(failing, s.Hardening.Escalate) {
		r.find(rep.Message, HardeningWrong, "escalate "+strings.Join(s.Hardening.Escalate, ", "), "escalate "+strings.Join(failing, ", "))
	}
}
