package shadow

import "github.com/swarmspeed/shadowd/internal/text/clip"

// newReport begins the report on a submission.
func newReport(c *Commitment, ev Evidence) *Report {
	b := &ev.Submission.Bundle
	r := &Report{Swarm: Swarm{
		RunID:         ev.Submission.RunID,
		Domain:        b.Domain,
		BundleID:      b.BundleID,
		CommanderID:   b.CommanderID,
		Scale:         c.Policy.Scale,
		Domains:       c.Domains,
		Cycle:         ev.Submission.Cycle,
		AcceptedCycle: ev.Submission.Cycle,
		Judges:        []AuthorRef{},
		Items:         []ItemVerdict{},
		In:            ev.In,
		BundleDigest:  ev.Digest,
		Notices:       ev.Notices,
		Unwalled:      ev.Unwalled && c.Policy.WorkspaceIsolation == IsolationStrict,
	}}
	r.Report.Timestamp, r.Report.SealedHash = ev.In.Time, c.SealedHash
	return r
}

// report states what was found in one submission, before any decision.
func (x *Exam) report(ev Evidence, j *Judgement) *Report {
	e := x.Envelope
	b := &ev.Submission.Bundle
	r := newReport(&x.Commitment, ev)
	s := &r.Swarm
	s.Score = j.Score()
	s.CheckerVersion = e.CheckerVersion
	s.Judges = append([]AuthorRef{{Name: byRules, Model: Model{Family: "rules"}}}, ev.Panel.Judges...)
	s.Ballots, s.Cost = j.Ballots, cost(j.Ballots)
	s.Tampering = tampering(b)
	s.Items, s.Read = j.Items, ReadOf(j.Items)
	if j.Split > 0 {
		s.addAdvisory("the judges did not agree on " + Count(j.Split, "item"))
	}
	if j.Unvoted > 0 {
		s.addAdvisory("judges had no vote on " + Count(j.Unvoted, "item"))
	}
	for i := range j.Verdicts {
		v := &j.Verdicts[i]
		s.Categories = append(s.Categories, v.Criterion.Category)
		switch v.Outcome {
		case NotApplicable:
			s.NotApplicable = append(s.NotApplicable, v.Criterion.ID)
			continue
		case Passed:
			if v.Unread {
				s.UnreadCriteria = append(s.UnreadCriteria, v.Criterion.ID)
			}
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
	r.Report.Specification = clip.To(e.Task, maxTask)
	x.provenance(r, ev, b)
	return r
}

// BeforeSeal is the advisory reason of a report whose bundle was stored before
// its run's commitment.
const BeforeSeal = "the bundle arrived before the seal"

func (s *Swarm) addAdvisory(why string) { s.AdvisoryReasons = appendNew(s.AdvisoryReasons, why) }
