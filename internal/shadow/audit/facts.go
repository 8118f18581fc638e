package audit

import (
	"fmt"
	"slices"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// facts checks what a report says of itself: numbers, level, gate, the
// decision about a fix, which bundle stands. It needs neither the envelope nor
// the bundle, so it holds for runs that cannot be judged again too.
func (r *Run) facts(rep, prev *report) {
	r.criteria(rep)
	r.numbers(rep)
	var before *shadow.Report
	if prev != nil {
		before = &prev.Report
	}
	r.decision(rep, rep.Redecide(&r.com.Policy, before, r.deadline(rep.Cycle, prev)))
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

// decision compares what a report decides with what follows from its numbers.
func (r *Run) decision(rep *report, want *shadow.Report) {
	last := func(rep *shadow.Report) *shadow.Cycle { return &rep.Swarm.Cycles[len(rep.Swarm.Cycles)-1] }
	r.same(rep, want, HardeningWrong, func(rep *shadow.Report) any {
		h := &rep.Swarm.Hardening
		return map[string]any{"requested": h.Requested, "final": rep.Swarm.Final, "escalate": append([]string{}, h.Escalate...)}
	})
	r.same(rep, want, GateWrong, func(rep *shadow.Report) any {
		return map[string]any{"action": rep.Swarm.Gate.Action, "enforced": rep.Swarm.Gate.Enforced}
	})
	r.same(rep, want, CyclesWrong, func(rep *shadow.Report) any {
		all := rep.Swarm.Cycles
		return map[string]any{"before": append([]shadow.Cycle{}, all[:len(all)-1]...), "cycle": last(rep).Cycle}
	})
	r.same(rep, want, RegressionWrong, func(rep *shadow.Report) any {
		s := &rep.Swarm
		return map[string]any{"score": s.Score, "accepted_cycle": s.AcceptedCycle, "kept": last(rep).Kept, "regressed": s.Hardening.Regressed}
	})
	r.same(rep, want, VelocityWrong, func(rep *shadow.Report) any { return rep.Hardening })
	r.same(rep, want, DeadlineWrong, func(rep *shadow.Report) any { return rep.Swarm.Hardening.Deadline })
}
