package shadow

import "fmt"

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
		s.doubt(fmt.Sprintf("the judges did not agree on %s", Count(j.Unsettled, "item")))
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

// BeforeSeal is the advisory reason of a report whose bundle was stored before
// its run's commitment.
const BeforeSeal = "the bundle arrived before the seal"

func (s *Swarm) doubt(why string) { s.AdvisoryReasons = appendNew(s.AdvisoryReasons, why) }
