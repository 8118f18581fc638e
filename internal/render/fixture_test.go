package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/results"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// attack is untrusted text that tries to break out of every format: markup of
// HTML and Markdown, the end of an XML section, a workflow command, a terminal
// escape, a change of writing direction.
const attack = "<script>fetch('https://evil.example/')</script><img src=https://evil.example/x.png onerror=alert(1)> " +
	"]]></failure><!-- **bold** [click](https://evil.example) ![i](https://evil.example/i.png) | cell | `tick` @octocat #1 $x$ " +
	"\n::error title=forged::forged%0A::set-output name=x::y ##[add-mask]a ##vso[task.complete]\r\n## heading\x1b[31mred\x1b[0m\u202eesrever {{.}} </style>"

var moment = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

// report is a final gap report with failed of 8 criteria not passed, as the
// engine would write it; change turns it into what a test needs.
func report(domain string, failed int, change func(*shadow.Report)) *shadow.Report {
	score := shadow.Score{Failed: failed, Total: 8}
	no, level := false, score.Level()
	digest := "sha256:5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"
	r := &shadow.Report{
		ScoreReport: shadow.ScoreReport{
			SpecVersion: "2.0.0",
			Report: shadow.ReportHead{
				ID: "demo/" + domain + "/0", Timestamp: moment, Specification: "Make payments idempotent", ShadowScore: score.Percent(), Level: level,
				SealedHash: digest, ConformanceLevel: 3, SealBroken: &no, Independence: "strong", ImplementerFamily: "mistral",
				SealAuthorFamilies: []string{"rules"}, WorkspaceIsolation: "strict", Advisory: &no,
			},
			SealedTests: shadow.TestTally{Total: 8, Passed: 8 - failed, Failed: failed},
			Failures:    []shadow.Failure{},
			Hardening: &shadow.Hardening{MaxCycles: 1, InitialShadowScore: score.Percent(), FinalShadowScore: score.Percent(),
				HardeningVelocity: "0.0", MaxReveal: "message"},
		},
		Swarm: shadow.Swarm{
			RunID: "demo", Domain: domain, BundleID: "bnd-" + domain, CommanderID: "cmd-" + domain, Scale: "ss-100", Domains: 6, Final: true, Score: score,
			Gate:   shadow.Gate{Action: level.Action(), Reason: fmt.Sprintf("%d of 8 criteria not passed (%s %%): %s", failed, score.Percent(), level), Enforced: true},
			Cycles: []shadow.Cycle{{Score: score, Kept: true, BundleDigest: digest}},
			Judges: []shadow.AuthorRef{{Name: "checks", Model: shadow.Model{Family: "rules"}}}, CheckerVersion: "check/2",
			In: shadow.Place{Sequence: 7, Time: moment}, BundleDigest: digest,
		},
	}
	texts := []string{"Describe the key that makes a payment repeatable", "Round currencies without decimals", "Plan the retention of `events`", "Name an owner of each table"}
	for i, text := range texts {
		v := shadow.ItemVerdict{ItemRef: shadow.ItemRef{Kind: shadow.SubTask, Index: i}, Text: text, Verdict: reading.Found, By: "rules", Line: 3 + i, Criteria: []string{}}
		if i == len(texts)-1 {
			v.Kind, v.Index = shadow.Deliverable, 0
		}
		r.Swarm.Items = append(r.Swarm.Items, v)
	}
	r.Swarm.Read = shadow.Read{Items: len(texts), Read: len(texts)}
	categories := []shadow.Category{shadow.HappyPath, shadow.EdgeCase, shadow.ErrorHandling, shadow.Completeness}
	for i := range failed {
		r.Failures = append(r.Failures, shadow.Failure{
			TestName: fmt.Sprintf("sc-%02d", i+1), Category: categories[i%len(categories)],
			Expected: "The refund of a part of a payment is described with its states",
			Actual:   fmt.Sprintf("line %d says that partial refunds are left out", 10+i),
			Message:  fmt.Sprintf("Partial refunds are left out: sub-task %d", i+1),
		})
	}
	if change != nil {
		change(r)
	}
	return r
}

// read makes of the i-th item of a report what is given.
func read(r *shadow.Report, i int, v reading.Verdict, by string, line int, criteria ...string) {
	it := &r.Swarm.Items[i]
	it.Verdict, it.By, it.Line, it.Criteria = v, by, line, append(it.Criteria, criteria...)
	if v == reading.Unread {
		r.Swarm.Read.Read--
	}
}

// doubt makes a report advisory.
func doubt(r *shadow.Report, reasons ...string) {
	yes := true
	r.Report.Advisory, r.Swarm.AdvisoryReasons = &yes, reasons
	for i, why := range reasons {
		if i > 0 {
			r.Report.AdvisoryReason += "; "
		}
		r.Report.AdvisoryReason += why
	}
}

// fixed gives a report a first cycle with another score.
func fixed(r *shadow.Report, initial int, kept bool) {
	first, second := shadow.Score{Failed: initial, Total: 8}, r.Swarm.Score
	r.Swarm.Cycle, r.Swarm.AcceptedCycle = 1, 1
	if !kept {
		second, r.Swarm.AcceptedCycle, r.Swarm.Hardening.Regressed = shadow.Score{Failed: initial + 1, Total: 8}, 0, true
	}
	r.Swarm.Cycles = []shadow.Cycle{{Score: first, Kept: true}, {Cycle: 1, Score: second, Kept: kept}}
	deadline := moment.Add(10 * time.Minute)
	r.Swarm.Hardening.Deadline = &deadline
	for _, f := range r.Failures {
		r.Swarm.Hardening.Escalate = append(r.Swarm.Hardening.Escalate, f.TestName)
	}
	h := r.Hardening
	h.CyclesCompleted, h.InitialShadowScore = 1, first.Percent()
	h.HardeningVelocity = shadow.Score{Failed: initial - r.Swarm.Score.Failed, Total: 8}.Percent()
}

// reports is one of each kind that a rendering has to tell from the others.
func reports() []*shadow.Report {
	yes := true
	return []*shadow.Report{
		report("perfect", 0, func(r *shadow.Report) {
			read(r, 2, reading.Unread, "rules", 0, "sc-02")
			r.Swarm.Items[0].Criteria = []string{"sc-02"}
			r.Swarm.UnreadCriteria, r.Swarm.NotApplicable = []string{"sc-02"}, []string{"sc-03", "sc-07"}
		}),
		report("unread", 0, func(r *shadow.Report) {
			for i := range 8 {
				r.Swarm.Items = append(r.Swarm.Items, shadow.ItemVerdict{ItemRef: shadow.ItemRef{Kind: shadow.Constraint, Index: i},
					Text: fmt.Sprintf("Keep rule %d", i+1), Verdict: reading.Unread, By: "rules", Criteria: []string{}})
			}
			r.Swarm.Read.Items = 12
			read(r, 1, reading.Unread, "gpt, llama", 0)
			read(r, 3, reading.Missing, "rules", 0)
			r.Swarm.Gate = shadow.Gate{Action: shadow.Warn, Reason: "0 of 8 criteria not passed (0.0 %): perfect; 3 of 12 items read", Enforced: true}
			r.Swarm.UnreadCriteria, r.Swarm.NotApplicable = []string{"sc-01", "sc-02"}, []string{"sc-05"}
			doubt(r, "unread: 3 of 12 items read")
		}),
		report("minor", 1, func(r *shadow.Report) {
			r.OpenTests = &shadow.TestTally{Total: 20, Passed: 19, Failed: 1}
			r.Swarm.OpenTestsBy = "cmd-pay"
			r.Coverage = map[shadow.Category]shadow.Coverage{shadow.HappyPath: {Sealed: 2, Open: 12, Delta: -10},
				shadow.EdgeCase: {Sealed: 2, Open: 0, Delta: 2}, shadow.ErrorHandling: {Sealed: 2, Open: 8, Delta: -6}, shadow.Completeness: {Sealed: 2, Delta: 2}}
		}),
		report("moderate", 2, func(r *shadow.Report) {
			fixed(r, 6, true)
			read(r, 1, reading.Declined, "rules", 12, "sc-01")
			read(r, 2, reading.Missing, "gpt, llama", 31, "sc-01", "sc-02")
		}),
		report("significant", 3, func(r *shadow.Report) {
			fixed(r, 3, false)
			r.Swarm.Hardening.FlatVelocity = []string{"sc-02"}
		}),
		report("critical", 5, func(r *shadow.Report) {
			r.Swarm.Cycle, r.Swarm.Hardening.TimedOut = 1, true
			r.Swarm.Hardening.Escalate = []string{"sc-01", "sc-02", "sc-03", "sc-04", "sc-05"}
		}),
		report("doubtful", 1, func(r *shadow.Report) {
			h := &r.Report
			h.Independence, h.ImplementerFamily, h.ConformanceLevel = "weak", "rules", 1
			h.ImplementerModel, h.SealAuthorModels, h.SpecAmbiguity = "m-small", []string{"m-large", "m-small"}, "0.25"
			h.SpecifierFamily, h.SpecifierModel = "m", "m-large"
			doubt(r, `independence is weak: the seal's author and the implementer are both of family "rules"`,
				"the specification was truncated before it reached the seal's author", "the bundle arrived before the seal")
		}),
		report("undecided", 2, func(r *shadow.Report) {
			r.Swarm.Undecided = []string{"sc-02"}
			r.Failures[1].Message, r.Failures[1].Actual = "could not be judged", "no judge for criteria in natural language is configured"
			doubt(r, "criteria could not be judged: sc-02")
		}),
		report("broken", 8, func(r *shadow.Report) {
			why := "the envelope hashes to sha256:0000 but the commitment is sha256:ffff"
			r.Failures, r.Swarm.Items, r.Swarm.Read = []shadow.Failure{}, []shadow.ItemVerdict{}, shadow.Read{}
			r.Report.SealBroken, r.Report.ConformanceLevel, r.Swarm.SealBroken = &yes, 1, why
			r.Swarm.Gate = shadow.Gate{Action: shadow.Quarantine, Reason: "the seal is broken: no verdict of this run can be trusted", Enforced: true}
			doubt(r, "the seal is broken: "+why)
		}),
		report("observed", 6, func(r *shadow.Report) {
			r.Swarm.Gate = shadow.Gate{Action: shadow.Proceed, Reason: "observe mode; enforced, the gate would say reject (6 of 8 criteria not passed (75.0 %): critical)"}
		}),
		report("awaited", 3, func(r *shadow.Report) {
			r.Swarm.Final, r.Swarm.Hardening.Requested = false, true
			r.Swarm.Gate = shadow.Gate{Action: shadow.Pending, Reason: "3 of 8 criteria not passed (37.5 %): above 15 %, fix 1 is awaited", Enforced: true}
		}),
		report("judged", 3, func(r *shadow.Report) {
			r.Swarm.Judges = append(r.Swarm.Judges, shadow.AuthorRef{Name: "gpt", Model: shadow.Model{Model: "gpt-5-mini", Family: "gpt"}},
				shadow.AuthorRef{Name: "llama", Model: shadow.Model{Family: "llama"}}, shadow.AuthorRef{Name: "strict"})
			quote := "A payment that is repeated with the same key is answered from the first one"
			r.Swarm.Ballots = []shadow.Ballot{
				{TestName: "sc-04", Outcome: shadow.Passed, Configured: 3, Cast: 2, Agreed: 2, Votes: []shadow.Vote{
					{Judge: "gpt", Outcome: shadow.Passed, Quote: quote, Millis: 812, Calls: 1, Tokens: 640},
					{Judge: "llama", Outcome: shadow.Passed, Quote: quote, Cached: true}}},
				{TestName: "sc-01", Outcome: shadow.Undecided, Configured: 3, Cast: 2, Agreed: 1, Votes: []shadow.Vote{
					{Judge: "gpt", Outcome: shadow.Passed, Quote: quote, Millis: 700, Calls: 1, Tokens: 600},
					{Judge: "llama", Outcome: shadow.Failed, Actual: "No key is named", Millis: 900, Calls: 1, Tokens: 500},
					{Judge: "strict", Outcome: shadow.Undecided, Why: "timeout", Millis: 120000, Calls: 1}}},
			}
			read(r, 2, reading.Missing, "gpt, strict", 14)
			r.Swarm.Ballots = append(r.Swarm.Ballots, shadow.Ballot{Item: &shadow.ItemRef{Kind: shadow.SubTask, Index: 2}, Outcome: shadow.Failed, Configured: 3, Cast: 3, Agreed: 2,
				Votes: []shadow.Vote{{Judge: "gpt", Outcome: shadow.Failed, Actual: "Nothing says how long events are kept", Quote: "Events are kept."},
					{Judge: "llama", Outcome: shadow.Passed, Quote: "Events are kept."}, {Judge: "strict", Outcome: shadow.Failed, Actual: "No time is named"}}})
			r.Swarm.Cost = &shadow.Cost{Calls: 4, Tokens: 1740, Cached: 1}
			r.Swarm.Undecided = []string{"sc-01"}
			r.Failures[0].Message, r.Failures[0].Actual = "could not be judged", "no majority of the 3 judges: 1 passed, 1 failed; no vote of strict: timeout"
			doubt(r, "criteria could not be judged: sc-01")
		}),
		report("hostile", 2, func(r *shadow.Report) {
			r.Report.Specification = "Make payments idempotent" + attack
			for i := range r.Failures {
				r.Failures[i].Actual, r.Failures[i].Message, r.Failures[i].Expected = attack+"!", attack, attack
			}
			for i, v := range []reading.Verdict{reading.Missing, reading.Declined, reading.Unread} {
				r.Swarm.Items[i].Text = attack
				read(r, i, v, attack, 7, attack)
			}
			r.Swarm.NotApplicable = []string{attack}
			r.Swarm.Judges = append(r.Swarm.Judges, shadow.AuthorRef{Name: attack, Model: shadow.Model{Model: attack, Family: attack}})
			r.Swarm.Ballots = []shadow.Ballot{{TestName: attack, Outcome: attack, Configured: 1, Votes: []shadow.Vote{
				{Judge: attack, Outcome: shadow.Passed, Quote: attack}, {Judge: attack, Outcome: shadow.Failed, Actual: attack}, {Judge: attack, Outcome: attack, Why: attack}}},
				{Item: &shadow.ItemRef{Kind: shadow.SubTask}, Outcome: shadow.Failed, Configured: 1, Votes: []shadow.Vote{{Judge: attack, Outcome: shadow.Failed, Quote: attack, Actual: attack}}},
				{Item: &shadow.ItemRef{Kind: attack, Index: 5}, Outcome: attack, Configured: 1}}
			doubt(r, attack)
		}),
	}
}

// everything is a document with all of them, and a domain without a bundle.
func everything() *Document {
	d := &Document{Run: &Run{Run: &history.Run{ID: "demo", Decomposition: &shadow.Decomposition{Domains: shadow.Domains{{Domain: "silent"}}}}}}
	for _, r := range reports() {
		d.Subjects = append(d.Subjects, Of(r))
	}
	return d
}

// ended is the sum of a run whose deadline has passed.
func ended() *Document {
	r := report("minor", 1, nil)
	return &Document{
		Run: &Run{Run: &history.Run{ID: "demo", Reports: map[string][]*shadow.Report{"minor": {r}}, Scored: &shadow.RunData{RunID: "demo", Median: "12.5", Level: shadow.Minor,
			Domains: []shadow.DomainSummary{{Domain: "minor"}}, Advisory: true, Incomplete: true, Missing: []string{"silent"},
			Read: shadow.Read{Items: 4, Read: 3}, Suspect: []string{"sc-01", "sc-04"}}}},
		Subjects: []Subject{Of(r)},
	}
}

// suite is the score of a test suite: it has no swarm behind it.
func suite() *Document {
	yes := true
	return &Document{Subjects: []Subject{{
		Name: "results <b>.xml", Passed: []string{"login works"}, Outcomes: []results.Status{results.Failed, results.Failed, results.Errored, results.Skipped},
		Score: &shadow.ScoreReport{SpecVersion: "2.0.0",
			Report:      shadow.ReportHead{ShadowScore: "80.0", Level: shadow.Critical, ConformanceLevel: 1, Advisory: &yes, AdvisoryReason: "1 sealed test was skipped and could not be judged"},
			SealedTests: shadow.TestTally{Total: 5, Passed: 1, Failed: 4},
			OpenTests:   &shadow.TestTally{Total: 1, Passed: 1},
			Coverage:    map[shadow.Category]shadow.Coverage{shadow.HappyPath: {Sealed: 3, Open: 1, Delta: 2}},
			Failures: []shadow.Failure{{TestName: "no basket", Category: shadow.EdgeCase, Message: "::warning::want 400, got 500", Expected: "400", Actual: "500"},
				{TestName: "odd", Category: "unknown", Message: "odd_test.go:3: want", Actual: "odd_test.go:3: want\n\t```\n::error::x\n</code> got\n" + strings.Repeat("more\n", 30)},
				{TestName: "broke off", Category: "unknown", Message: "panic: boom"},
				{TestName: "not run", Category: "unknown", Message: "skipped: no net"}},
		},
	}}}
}
