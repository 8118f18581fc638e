package page

import (
	"maps"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// withhold is a run without sealed text.
func withhold(r *history.Run) *history.Run {
	open := *r
	open.Reports, open.Stored = map[string][]*shadow.Report{}, map[any]time.Time{}
	maps.Copy(open.Stored, r.Stored)
	for domain, reports := range r.Reports {
		for _, rep := range reports {
			bare := withoutSealed(rep)
			open.Stored[bare] = r.Stored[rep]
			open.Reports[domain] = append(open.Reports[domain], bare)
		}
	}
	open.Reviews = nil
	for _, v := range r.Reviews {
		bare := *v // what a person found and why may say what a criterion asks
		bare.Review.Found, bare.Review.Because = nil, ""
		open.Reviews = append(open.Reviews, &bare)
	}
	return &open
}

// withoutSealed copies of a report what shows nothing of its criteria but their
// number, category and outcome.
func withoutSealed(r *shadow.Report) *shadow.Report {
	s := &r.Swarm
	bare := &shadow.Report{
		ScoreReport: shadow.ScoreReport{
			SpecVersion: r.SpecVersion,
			Report:      r.Report,
			SealedTests: r.SealedTests,
			OpenTests:   r.OpenTests,
			Coverage:    r.Coverage,
			Hardening:   r.Hardening,
		},
		Swarm: shadow.Swarm{
			RunID: s.RunID, Domain: s.Domain, BundleID: s.BundleID, CommanderID: s.CommanderID, Scale: s.Scale,
			Domains: s.Domains, Cycle: s.Cycle, Final: s.Final, Score: s.Score, Gate: s.Gate, AcceptedCycle: s.AcceptedCycle, Cycles: s.Cycles, Hardening: s.Hardening,
			SealBroken: s.SealBroken, AdvisoryReasons: s.AdvisoryReasons, Verdict: s.Verdict,
			Counts: s.Counts, Controls: s.Controls, Cost: s.Cost, CheckerVersion: s.CheckerVersion, Unwalled: s.Unwalled,
			In: s.In, BundleDigest: s.BundleDigest,
		},
	}
	for _, f := range r.Failures {
		bare.Failures = append(bare.Failures, shadow.Failure{TestName: f.TestName, Category: f.Category})
	}
	for _, c := range s.Criteria {
		bare.Swarm.Criteria = append(bare.Swarm.Criteria, shadow.CriterionVerdict{ID: c.ID, Category: c.Category, Outcome: c.Outcome})
	}
	for _, it := range s.Items {
		// Which criterion asks for an item is sealed. Its text is the swarm's own.
		bare.Swarm.Items = append(bare.Swarm.Items, shadow.ItemVerdict{Item: it.Item, State: it.State, By: it.By, Line: it.Line})
	}
	for _, j := range s.Judges {
		// Why one has no vote may quote what it was asked.
		bare.Swarm.Judges = append(bare.Swarm.Judges, shadow.JudgeRef{AuthorRef: j.AuthorRef, Recorded: j.Recorded})
	}
	for i := range s.Ballots {
		b := &s.Ballots[i]
		ballot := shadow.Ballot{About: b.About, Outcome: b.Outcome, Configured: b.Configured, Cast: b.Cast, Agreed: b.Agreed}
		for _, v := range b.Votes {
			ballot.Votes = append(ballot.Votes, shadow.Vote{Judge: v.Judge, Outcome: v.Outcome, Millis: v.Millis, Calls: v.Calls, Tokens: v.Tokens, Written: v.Written, Micros: v.Micros, Cached: v.Cached})
		}
		bare.Swarm.Ballots = append(bare.Swarm.Ballots, ballot)
	}
	return bare
}
