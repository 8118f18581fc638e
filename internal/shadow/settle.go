package shadow

import (
	"fmt"
	"slices"
)

// Questions are those that the checks leave to a panel: criteria without a
// check, those whose check could not be evaluated, and those that pass or fail
// for something that the check could not read. A bundle that breaks the seal is
// not worth a question.
func (x *Exam) Questions(ev *Evidence) []Question {
	b := &ev.Submission.Bundle
	j := x.Judge(ev)
	if j.SealBroken != "" {
		return nil
	}
	var qs []Question
	for i := range j.Verdicts {
		if v := &j.Verdicts[i]; v.open() {
			qs = append(qs, Question{
				RunID: ev.Submission.RunID, Cycle: ev.Submission.Cycle, BundleDigest: ev.Digest, Bundle: b,
				Domain: findDomain(x.Envelope.Domains, b.Domain), Criterion: v.Criterion,
			})
		}
	}
	return qs
}

// open reports whether the checks alone leave the verdict to a panel.
func (v *Verdict) open() bool {
	return v.Outcome == Undecided || v.Outcome == Passed && len(v.LetPass) > 0 || v.unread
}

// settle puts what a panel decided in the place of what the checks left open.
// Ballots on anything else count for nothing.
func (x *Exam) settle(j *Judgement, domain string, ballots []Ballot) {
	for i := range j.Verdicts {
		v := &j.Verdicts[i]
		at := slices.IndexFunc(ballots, func(b Ballot) bool { return b.TestName == v.Criterion.ID })
		if at < 0 || !v.open() {
			continue
		}
		b := &ballots[at]
		j.Ballots = append(j.Ballots, *b)
		*v = Verdict{Criterion: v.Criterion, Outcome: b.Outcome, Unclear: v.Unclear}
		switch b.Outcome {
		case Failed:
			v.Actual = b.found()
			v.Message = x.message(v.Criterion, v.Criterion.Material[domain], nil)
		case Undecided:
			v.Actual = b.words()
		}
	}
}

// found is what the judges who fail a criterion found instead.
func (b *Ballot) found() string {
	var said []string
	for i := range b.Votes {
		if b.Votes[i].Outcome == Failed {
			said = appendNew(said, b.Votes[i].Actual)
		}
	}
	return list(said, maxActual)
}

// words tells why a panel could not decide.
func (b *Ballot) words() string {
	passed, failed := count(b.Votes)
	out := fmt.Sprintf("no majority of the %d judges: %d passed, %d failed", b.Configured, passed, failed)
	var why []string
	for i := range b.Votes {
		if v := &b.Votes[i]; v.Outcome == Undecided {
			why = append(why, v.Judge+": "+v.Why)
		}
	}
	if len(why) > 0 {
		out += "; no vote of " + list(why, maxActual)
	}
	return out
}
