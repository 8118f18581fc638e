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
			SealBroken: s.SealBroken, AdvisoryReasons: s.AdvisoryReasons, Undecided: s.Undecided, NotApplicable: s.NotApplicable, UnreadCriteria: s.UnreadCriteria, Categories: s.Categories,
			Read: s.Read, Tampering: s.Tampering, Judges: s.Judges, Cost: s.Cost, CheckerVersion: s.CheckerVersion, Unwalled: s.Unwalled,
			In: s.In, BundleDigest: s.BundleDigest,
		},
	}
	for _, f := range r.Failures {
		bare.Failures = append(bare.Failures, shadow.Failure{TestName: f.TestName, Category: f.Category})
	}
	for _, it := range s.Items {
		// Which criteria ask for an item is sealed. Its text is the swarm's own.
		bare.Swarm.Items = append(bare.Swarm.Items, shadow.ItemVerdict{ItemRef: it.ItemRef, Text: it.Text, Verdict: it.Verdict, By: it.By, Line: it.Line})
	}
	for i := range s.Ballots {
		b := &s.Ballots[i]
		ballot := shadow.Ballot{TestName: b.TestName, Item: b.Item, Outcome: b.Outcome, Configured: b.Configured, Cast: b.Cast, Agreed: b.Agreed}
		for _, v := range b.Votes {
			ballot.Votes = append(ballot.Votes, shadow.Vote{Judge: v.Judge, Outcome: v.Outcome, Millis: v.Millis, Calls: v.Calls, Tokens: v.Tokens, Cached: v.Cached})
		}
		bare.Swarm.Ballots = append(bare.Swarm.Ballots, ballot)
	}
	return bare
}
