package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/results"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// attack is untrusted text that tries to break out of every format: markup of HTML and Markdown, the end of an XML
// section, a workflow command, a terminal escape, a change of writing direction.
const attack = "<script>fetch('https://evil.example/')</script><img src=https://evil.example/x.png onerror=alert(1)> " +
	"]]></failure><!-- **bold** [click](https://evil.example) ![i](https://evil.example/i.png) | cell | `tick` @octocat #1 $x$ " +
	"\n::error title=forged::forged%0A::set-output name=x::y ##[add-mask]a ##vso[task.complete]\r\n## heading\x1b[31mred\x1b[0m\u202eesrever {{.}} </style>"

var moment = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

const digest = "sha256:5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"

// kinds are those of the criteria of a report. Each one of items asks for one.
var kinds = []shadow.Kind{shadow.AskItems, shadow.AskWritten, shadow.AskItems, shadow.AskFigures, shadow.AskItems, shadow.AskWritten, shadow.AskItems, shadow.AskWritten}

// report is a final gap report with failed of 8 criteria not passed, as the
// engine would write it; change turns it into what a test needs.
func report(domain string, failed int, change func(*shadow.Report)) *shadow.Report {
	score := shadow.Score{Failed: failed, Total: 8}
	no, level := false, score.Level()
	r := &shadow.Report{
		ScoreReport: shadow.ScoreReport{
			SpecVersion: "2.0.0",
			Report: shadow.ReportHead{
				ID: "demo/" + domain + "/0", Timestamp: moment, Specification: "Make payments idempotent", ShadowScore: score.Percent(), Level: level,
				SealedHash: digest, ConformanceLevel: 3, SealBroken: &no, Independence: "strong", ImplementerFamily: "mistral",
				SealAuthorFamilies: []string{"rules"}, WorkspaceIsolation: "strict", Advisory: &no,
			},
			SealedTests: shadow.SealedTally{Total: 8, Passed: 8 - failed, Failed: failed},
			Failures:    []shadow.Failure{},
			Hardening: &shadow.Hardening{MaxCycles: 1, InitialShadowScore: score.Percent(), FinalShadowScore: score.Percent(),
				HardeningVelocity: "0.0", MaxReveal: "message"},
		},
		Swarm: shadow.Swarm{
			RunID: "demo", Domain: domain, BundleID: "bnd-" + domain, CommanderID: "cmd-" + domain, Scale: "ss-100", Domains: 6, Final: true, Score: score, Verdict: shadow.Word(level),
			Gate: shadow.Gate{Action: level.Action(), Reason: fmt.Sprintf("%d of 8 criteria not passed (%s %%): %s", failed, score.Percent(), level), Because: []string{"level"}, Enforced: true},

			Cycles: []shadow.Cycle{{Score: score, Kept: true, BundleDigest: digest}},
			Judges: []shadow.JudgeRef{{AuthorRef: shadow.AuthorRef{Name: "gpt", Model: shadow.Model{Model: "gpt-5-mini", Family: "gpt"}}},
				{AuthorRef: shadow.AuthorRef{Name: "llama", Model: shadow.Model{Family: "llama"}}}},
			CheckerVersion: "check/2", In: shadow.Place{Sequence: 7, Time: moment}, BundleDigest: digest,
		},
	}
	items(r)
	for i, kind := range kinds {
		c := shadow.CriterionVerdict{ID: shadow.CriterionID(i), Category: shadow.Categories()[i%4], Kind: kind, Outcome: shadow.Passed, By: "gpt, llama", Line: 3 + i, About: "Refunds of a part of a payment have their states"}
		switch kind {
		case shadow.AskItems:
			c.About = r.Swarm.Items[i/2].Name
		case shadow.AskFigures:
			c.About, c.By, c.Line = "figures that do not add up, and what is left to fill in", "shadowd", 0
		}
		r.Swarm.Criteria = append(r.Swarm.Criteria, c)
		if i < failed {
			fail(r, i)
		}
	}
	if change != nil {
		change(r)
	}
	r.Swarm.Counts = shadow.CountItems(r.Swarm.Items)
	return r
}

// items gives a report four items that were found.
func items(r *shadow.Report) {
	for i, text := range []string{"Describe the key that makes a payment repeatable", "Round currencies without decimals", "Plan the retention of `events`", "Name an owner of each table"} {
		it := shadow.Item{Name: fmt.Sprintf("sub-task %d", i+1), Kind: shadow.SubTask, Text: text}
		if i == 3 {
			it.Name, it.Kind = "deliverable 1", shadow.Deliverable
		}
		r.Swarm.Items = append(r.Swarm.Items, shadow.ItemVerdict{Item: it, State: shadow.ItemFound, By: "gpt, llama", Line: 3 + 2*i, Quote: "as the text has it", Criterion: shadow.CriterionID(2 * i)})
	}
}

// fail has the i-th criterion fail, and its item be missing.
func fail(r *shadow.Report, i int) {
	c := &r.Swarm.Criteria[i]
	c.Outcome = shadow.Failed
	f := shadow.Failure{TestName: c.ID, Category: c.Category, Expected: "The refund of a part of a payment is described with its states",
		Actual: fmt.Sprintf("line %d says that partial refunds are left out", 10+i), Message: fmt.Sprintf("Partial refunds are left out: %s", c.About)}
	if c.Kind == shadow.AskItems {
		it := state(r, i/2, shadow.ItemMissing, "gpt, llama", 10+i)
		it.Why = "nothing is said of it"
		f.Expected, f.Actual, f.Message = it.Text, it.Name+": "+it.Why, it.Text+": "+it.Why
	}
	r.Failures = append(r.Failures, f)
}

// state makes of the i-th item of a report what is given.
func state(r *shadow.Report, i int, s shadow.ItemState, by string, line int) *shadow.ItemVerdict {
	it := &r.Swarm.Items[i]
	it.State, it.By, it.Line, it.Quote = s, by, line, ""
	return it
}

// unread makes of a report one that nobody read, so that programs decided only.
func unread(r *shadow.Report) {
	s := &r.Swarm
	s.Judges, s.Verdict = []shadow.JudgeRef{}, shadow.WordUnread
	for i := range s.Items {
		state(r, i, shadow.ItemUnread, "", 0)
	}
	for i := range s.Criteria {
		if c := &s.Criteria[i]; c.Kind != shadow.AskFigures {
			c.Outcome, c.By, c.Line = shadow.Unread, "", 0
		}
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
		report("perfect", 0, nil),
		report("unread", 0, func(r *shadow.Report) {
			for i := range 8 {
				r.Swarm.Items = append(r.Swarm.Items, shadow.ItemVerdict{Item: shadow.Item{Name: fmt.Sprintf("constraint %d", i+1), Kind: shadow.Constraint, Text: fmt.Sprintf("Keep rule %d", i+1)}, Criterion: "sc-07"})
			}
			unread(r)
			r.Swarm.Gate = shadow.Gate{Action: shadow.Warn, Reason: "0 of 8 criteria not passed (0.0 %): perfect; nobody has read 12 of 12 items", Because: []string{"level", "unread"}, Enforced: true}
			doubt(r, "unread: nobody has read 12 of 12 items")
		}),
		report("declared", 0, func(r *shadow.Report) {
			unread(r)
			state(r, 0, shadow.ItemClaimed, "commander", 12).Quote = "A key makes it repeatable"
			state(r, 1, shadow.ItemDeclared, "commander", 0).Why = "no rates were given"
			state(r, 2, shadow.ItemUnaccounted, "commander", 0).Why = "not accounted for in delivery"
			r.Swarm.Gate = shadow.Gate{Action: shadow.Warn, Reason: "0 of 8 criteria not passed (0.0 %): perfect; 4 items: 1 declared, 1 unaccounted, 1 claimed, 1 unread", Because: []string{"level", "declared", "unread"}, Enforced: true}
			r.Swarm.Notices = []string{"delivery names \"sub-task 9\", which is no item of the assignment"}
			doubt(r, "unread: nobody has read 2 of 4 items", "the commander declares 1 items as not done and leaves 1 out of its account, and no judge has read them")
		}),
		report("minor", 1, func(r *shadow.Report) {
			r.OpenTests = &shadow.TestTally{Total: 20, Passed: 19, Failed: 1}
			r.Swarm.OpenTestsBy = "cmd-pay"
			r.Coverage = map[shadow.Category]shadow.Coverage{shadow.HappyPath: {Sealed: 2, Open: 12, Delta: -10},
				shadow.EdgeCase: {Sealed: 2, Open: 0, Delta: 2}, shadow.ErrorHandling: {Sealed: 2, Open: 8, Delta: -6}, shadow.Completeness: {Sealed: 2, Delta: 2}}
		}),
		report("moderate", 2, func(r *shadow.Report) { fixed(r, 6, true) }),
		report("significant", 3, func(r *shadow.Report) { fixed(r, 3, false) }),
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
			s := &r.Swarm
			s.Score.Undecided, s.Verdict = 2, shadow.WordUndecided
			for i := range 2 {
				s.Criteria[i].Outcome = shadow.Undecided
				r.Failures[i].Message, r.Failures[i].Actual = "could not be judged", "no majority of 2 judges: 1 passed, 1 failed"
			}
			state(r, 0, shadow.ItemUndecided, "gpt", 0).Why = "no majority of 2 judges: 1 passed, 1 failed"
			s.Gate.Action, s.Gate.Because = shadow.Warn, []string{"level", "undecided"}
			doubt(r, "could not be judged: sc-01, sc-02")
		}),
		report("broken", 8, func(r *shadow.Report) {
			why := "the envelope hashes to sha256:0000 but the commitment is sha256:ffff"
			s := &r.Swarm
			r.Failures, s.Items, s.Criteria, s.Judges, s.Verdict = []shadow.Failure{}, nil, nil, nil, shadow.WordSealBroken
			r.Report.SealBroken, r.Report.ConformanceLevel, s.SealBroken = &yes, 1, why
			s.Gate = shadow.Gate{Action: shadow.Quarantine, Reason: "the seal is broken: no verdict of this run can be trusted", Because: []string{"seal_broken"}, Enforced: true}
			doubt(r, "the seal is broken: "+why)
		}),
		report("observed", 6, func(r *shadow.Report) {
			r.Swarm.Gate = shadow.Gate{Action: shadow.Proceed, Reason: "observe mode; enforced, the gate would say reject (6 of 8 criteria not passed (75.0 %): critical)", Because: []string{"level"}}
		}),
		report("awaited", 3, func(r *shadow.Report) {
			r.Swarm.Final, r.Swarm.Hardening.Requested = false, true
			r.Swarm.Gate = shadow.Gate{Action: shadow.Pending, Reason: "3 of 8 criteria not passed (37.5 %): above 15 %, fix 1 is awaited", Because: []string{"fix_awaited"}, Enforced: true}
		}),
		report("judged", 3, judged),
		report("hostile", 2, hostile),
	}
}

// judged gives a report what a panel said, of which one judge has no vote.
func judged(r *shadow.Report) {
	s := &r.Swarm
	s.Judges[1].Doubt, s.Judges[0].Recorded = "one quote for 6 of 8 questions", true
	s.Judges = append(s.Judges, shadow.JudgeRef{AuthorRef: shadow.AuthorRef{Name: "strict"}, Excluded: "it found an item that no bundle can hold"})
	quote := "A payment that is repeated with the same key is answered from the first one"
	s.Ballots = []shadow.Ballot{
		{About: "sub-task 1", Outcome: shadow.Failed, Configured: 3, Cast: 2, Agreed: 2, Votes: []shadow.Vote{
			{Judge: "gpt", Outcome: shadow.Failed, Actual: "Nothing says how long events are kept", Quote: "Events are kept.", Millis: 812, Calls: 1, Tokens: 640},
			{Judge: "llama", Outcome: shadow.Failed, Actual: "No time is named"}, {Judge: "strict", Outcome: shadow.Undecided, Why: "it found an item that no bundle can hold"}}},
		{About: "sub-task 2", Outcome: shadow.Passed, Configured: 3, Cast: 2, Agreed: 2, Votes: []shadow.Vote{
			{Judge: "gpt", Outcome: shadow.Passed, Quote: quote, Millis: 812, Calls: 1, Tokens: 640}, {Judge: "llama", Outcome: shadow.Passed, Quote: quote}}},
		{About: "sc-02", Outcome: shadow.Undecided, Configured: 3, Cast: 2, Agreed: 1, Votes: []shadow.Vote{
			{Judge: "gpt", Outcome: shadow.Passed, Quote: quote, Millis: 700, Calls: 1, Tokens: 600},
			{Judge: "llama", Outcome: shadow.Failed, Actual: "No key is named", Millis: 900, Calls: 1, Tokens: 500},
			{Judge: "strict", Outcome: shadow.Undecided, Why: "timeout", Millis: 120000, Calls: 1}}},
	}
	s.Controls = shadow.Cost{Calls: 6, Tokens: 900}
	s.Cost = &shadow.Cost{Calls: 11, Tokens: 3280, Micros: 12_340, Currency: "USD"}
	s.Score.Undecided, s.Criteria[1].Outcome = 1, shadow.Undecided
	r.Failures[1].Message, r.Failures[1].Actual = "could not be judged", "no majority of 3 judges: 1 passed, 1 failed; no vote of strict: timeout"
	doubt(r, "could not be judged: sc-02")
}

// hostile has untrusted text in every place that somebody else fills.
func hostile(r *shadow.Report) {
	s := &r.Swarm
	r.Report.Specification = "Make payments idempotent" + attack
	for i := range r.Failures {
		r.Failures[i].Actual, r.Failures[i].Message, r.Failures[i].Expected = attack+"!", attack, attack
	}
	for i, st := range []shadow.ItemState{shadow.ItemMissing, shadow.ItemDeclared, attack} {
		it := state(r, i, st, attack, 7)
		it.Name, it.Text, it.Why, it.Quote, it.Criterion = attack, attack, attack, attack, attack
	}
	c := &s.Criteria[7]
	c.About, c.By, c.Category, c.Outcome, c.Kind = attack, attack, attack, attack, attack
	s.Judges = append(s.Judges, shadow.JudgeRef{AuthorRef: shadow.AuthorRef{Name: attack, Model: shadow.Model{Model: attack, Family: attack}}, Excluded: attack, Doubt: attack})
	s.Gate.Because, s.Notices = append(s.Gate.Because, attack), []string{attack}
	s.Ballots = []shadow.Ballot{{About: attack, Outcome: attack, Configured: 1, Votes: []shadow.Vote{
		{Judge: attack, Outcome: shadow.Passed, Quote: attack}, {Judge: attack, Outcome: shadow.Failed, Actual: attack}, {Judge: attack, Outcome: attack, Why: attack}}},
		{About: "sub-task 1", Outcome: shadow.Failed, Configured: 1, Votes: []shadow.Vote{{Judge: attack, Outcome: shadow.Failed, Quote: attack, Actual: attack}}}}
	doubt(r, attack)
}

// everything is a document with all of them, a domain without a bundle, and one that somebody reviewed.
func everything() *Document {
	d := &Document{Run: &Run{Run: &history.Run{ID: "demo", Decomposition: &shadow.Decomposition{Domains: shadow.Domains{{Domain: "silent"}}}}}}
	for _, r := range reports() {
		d.Subjects = append(d.Subjects, Of(r))
	}
	d.Subjects[1].Review = &shadow.ReviewedData{In: shadow.Place{Time: time.Date(2026, 3, 14, 9, 30, 0, 0, time.UTC)}, After: shadow.Standing{Gate: shadow.Reject}, Before: shadow.Standing{Gate: d.Subjects[1].Swarm.Gate.Action},
		Review: shadow.Review{By: "anna", Verdict: shadow.ReviewItems, Found: []shadow.Reviewed{{About: "sub-task 1", State: shadow.ItemMissing}}, Because: "Only \x1b[2Jits <b>heading</b> is there."}}
	return d
}

// ended is the sum of a run whose deadline has passed.
func ended() *Document {
	r := report("minor", 1, nil)
	return &Document{
		Run: &Run{Run: &history.Run{ID: "demo", Reports: map[string][]*shadow.Report{"minor": {r}}, Scored: &shadow.RunData{RunID: "demo", Median: "12.5", Level: shadow.Minor, Verdict: "minor",
			Domains: []shadow.DomainSummary{{Domain: "minor"}}, Advisory: true, Incomplete: true, Missing: []string{"silent"},
			Counts: shadow.ItemCounts{Items: 4, Found: 3, Missing: 1}, Unassigned: []string{"R3", "R7"}}}},
		Subjects: []*Subject{Of(r)},
	}
}

// suite is the score of a test suite: it has no swarm behind it.
func suite() *Document {
	yes := true
	return &Document{Subjects: []*Subject{{
		Name: "results <b>.xml", Passed: []string{"login works"}, Outcomes: []results.Status{results.Failed, results.Failed, results.Errored, results.Skipped},
		Score: &shadow.ScoreReport{SpecVersion: "2.0.0",
			Report:      shadow.ReportHead{ShadowScore: "80.0", Level: shadow.Critical, ConformanceLevel: 1, Advisory: &yes, AdvisoryReason: "1 sealed test was skipped and could not be judged"},
			SealedTests: shadow.SealedTally{Total: 5, Passed: 1, Failed: 4},
			OpenTests:   &shadow.TestTally{Total: 1, Passed: 1},
			Coverage:    map[shadow.Category]shadow.Coverage{shadow.HappyPath: {Sealed: 3, Open: 1, Delta: 2}},
			Failures: []shadow.Failure{{TestName: "no basket", Category: shadow.EdgeCase, Message: "::warning::want 400, got 500", Expected: "400", Actual: "500"},
				{TestName: "odd", Category: "unknown", Message: "odd_test.go:3: want", Actual: "odd_test.go:3: want\n\t```\n::error::x\n</code> got\n" + strings.Repeat("more\n", 30)},
				{TestName: "broke off", Category: "unknown", Message: "panic: boom"},
				{TestName: "not run", Category: "unknown", Message: "skipped: no net"}},
		},
	}}}
}
