package render

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// explained is what explain prints of a run with one criterion failed, one
// passed, and a fix that was worse.
func explained(change func(*history.Submission)) string {
	deadline := time.Date(2026, 3, 14, 9, 36, 53, 0, time.UTC)
	first := shadow.Score{Failed: 1, Total: 2}
	rep := &shadow.Report{Swarm: shadow.Swarm{
		RunID: "r", Domain: "d", BundleID: "b", CommanderID: "c", Cycle: 1, Final: true, Score: first,
		Gate:      shadow.Gate{Action: shadow.Reject, Reason: "1 of 2", Enforced: true},
		Cycles:    []shadow.Cycle{{Score: first, Kept: true}, {Cycle: 1, Score: shadow.Score{Failed: 2, Total: 2}}},
		Hardening: shadow.SwarmHarden{Regressed: true, Escalate: []string{"sc-01"}, Deadline: &deadline},
	}}
	rep.SealedTests.Total = 2
	rep.Failures = []shadow.Failure{{TestName: "sc-01", Category: shadow.EdgeCase, Actual: "line 2: 2 + 2 = 5", Message: "work it out again"}}
	run := history.NewRun("r")
	run.Reports["d"] = []*shadow.Report{rep}
	x := &history.Submission{
		Run: run, Domain: "d", Last: rep,
		Opened: history.Opened{Envelope: &shadow.Envelope{Criteria: []shadow.Criterion{
			{ID: "sc-01", Category: shadow.EdgeCase, Assertion: "The sums hold", Expected: "no wrong sum", Check: "text.miscalculations()",
				Material: map[string]shadow.Material{"d": {Data: map[string]any{"items": []any{"one", "two"}, "limit": 3.0}}}},
			{ID: "sc-02", Category: shadow.HappyPath, Assertion: "It reads well", Expected: "a pleasure"},
		}}},
		Bundle: &shadow.Bundle{Content: "# Sums\n2 + 2 = 5\x1b[31m\nlast"},
	}
	change(x)
	var b bytes.Buffer
	if err := Explain(NewTerminal(&b, true), x); err != nil {
		panic(err)
	}
	return b.String()
}

func wantLines(t *testing.T, got string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("%q is not in\n%s", line, got)
		}
	}
}

func TestExplainPassages(t *testing.T) {
	got := explained(func(x *history.Submission) {
		x.Judgement = &shadow.Judgement{Verdicts: []shadow.Verdict{
			{Criterion: &x.Envelope.Criteria[0], Outcome: shadow.Failed, Actual: "line 2: 2 + 2 = 5; line 99: not there", Message: "work it out again"},
			{Criterion: &x.Envelope.Criteria[1], Outcome: shadow.Undecided, Actual: "no judge"},
		}}
	})
	wantLines(t, got,
		"  cycle 0   1 of 2 not passed (50.0 %), stands",
		"  cycle 1   2 of 2 not passed (100.0 %), worse, not kept",
		"  gate      reject: leave the bundle out of the synthesis. 1 of 2",
		"  fixes     a fix was worse: the bundle of cycle 0 stands; for a human to look at: sc-01",
		"  ✗ sc-01  failed  edge_case",
		"      asked     The sums hold",
		"      items     one, two",
		"      limit     3",
		"      check     text.miscalculations()",
		"      found     line 99: not there",
		"                1 │ # Sums",
		"           >    2 │ 2 + 2 = 5 [31m",
		"                3 │ last",
		"      message   work it out again",
		"  ? sc-02  undecided  happy_path",
		"      check     none: it is for judges that read",
		"The commander received nothing",
	)
	if strings.Contains(got, "\x1b") {
		t.Error("a terminal escape of the bundle got through")
	}
}

// Where the submission cannot be judged by the same checker, the report has
// the word.
func TestExplainWithoutJudgement(t *testing.T) {
	got := explained(func(x *history.Submission) { x.Withheld = "it was judged by check/1" })
	wantLines(t, got, "  Not judged again: it was judged by check/1. What follows is what the report says.",
		"  ✗ sc-01  failed  edge_case", "      found     line 2: 2 + 2 = 5", "  ✓ sc-02  passed  happy_path")
	got = explained(func(x *history.Submission) { x.Withheld, x.Cycle = "it was judged by check/1", 1 })
	wantLines(t, got, "  Not judged again: it was judged by check/1. The report tells of the submission that stands only.")
	got = explained(func(x *history.Submission) { x.Withheld, x.Broken = "the seal is broken", "hashes differ" })
	wantLines(t, got, "  SEAL BROKEN hashes differ", "  Not judged again: the seal is broken.")
	if strings.Contains(got, "The sums hold") {
		t.Error("a criterion of an envelope that cannot be believed is shown")
	}
}

// What judges said stands under the criterion, judge by judge, whether the
// bundle was judged once more or not, and none of it reaches the terminal as
// anything but text.
func TestExplainVotes(t *testing.T) {
	votes := func(x *history.Submission) {
		x.Last.Swarm.Ballots = []shadow.Ballot{{TestName: "sc-02", Outcome: shadow.Passed, Configured: 5, Cast: 4, Agreed: 3, Votes: []shadow.Vote{
			{Judge: "gpt", Outcome: shadow.Passed, Quote: "2 + 2\x1b[31m = 5", Cached: true},
			{Judge: "llama\x1b", Outcome: shadow.Failed, Actual: "a \x1b[2Jpain", Quote: "2 + 2"},
			{Judge: "strict", Outcome: shadow.Undecided, Why: "time\x1bout"},
		}}}
		x.Last.Swarm.Cost = &shadow.Cost{Calls: 2, Tokens: 345, Cached: 1}
	}
	want := []string{
		"  judges    2 calls and 345 tokens, with 1 vote known from before",
		"      judges    passed, 3 of 5 judges agree, 4 cast a vote",
		"                gpt: passed, for it says \"2 + 2 [31m = 5\" (known from before)",
		"                llama : failed: a  [2Jpain (it says \"2 + 2\")",
		"                strict: no vote: time out",
	}
	again := explained(func(x *history.Submission) {
		votes(x)
		x.Judgement = &shadow.Judgement{Verdicts: []shadow.Verdict{
			{Criterion: &x.Envelope.Criteria[1], Outcome: shadow.Passed},
		}}
	})
	wantLines(t, again, want...)
	reported := explained(func(x *history.Submission) {
		votes(x)
		x.Withheld = "it was judged by check/1"
	})
	wantLines(t, reported, want...)
	if strings.Contains(again+reported, "\x1b") {
		t.Error("a terminal escape of a judge got through")
	}
}

// Items stand above the criteria, each with its line, who says so and what
// judges voted; a criterion that does not apply is shown as that.
func TestExplainItems(t *testing.T) {
	ref := shadow.ItemRef{Kind: shadow.SubTask, Index: 1}
	items := []shadow.ItemVerdict{
		{ItemRef: shadow.ItemRef{Kind: shadow.SubTask}, Text: "Do sums", Verdict: reading.Found, By: "rules", Line: 2, Criteria: []string{"sc-01"}},
		{ItemRef: ref, Text: "Check\x1b[31m them", Verdict: reading.Missing, By: "gpt, llama", Line: 3, Criteria: []string{"sc-01"}},
		{ItemRef: shadow.ItemRef{Kind: shadow.Constraint}, Text: "Be brief", Verdict: reading.Unread, By: "rules"},
	}
	votes := func(x *history.Submission) {
		x.Last.Swarm.NotApplicable = []string{"sc-01"}
		x.Last.Swarm.Ballots = []shadow.Ballot{{Item: &ref, Outcome: shadow.Failed, Configured: 2, Cast: 2, Agreed: 2,
			Votes: []shadow.Vote{{Judge: "gpt", Outcome: shadow.Failed, Actual: "no sum is checked"}, {Judge: "llama", Outcome: shadow.Failed, Actual: "unchecked", Quote: "last"}}}}
	}
	want := []string{
		"Assignment: 2 of 3 items read",
		"  ✓ found       sub-task 1: Do sums (line 2, by rules)",
		"  ✗ missing     sub-task 2: Check [31m them (line 3, by gpt, llama, asked by sc-01)",
		"      judges    missing, 2 of 2 judges agree, 2 cast a vote",
		"                gpt: missing: no sum is checked",
		"                llama: missing: unchecked (it says \"last\")",
		"           >    3 │ last",
		"  ? unread      constraint 1: Be brief",
		"  – sc-01  not applicable  edge_case",
	}
	again := explained(func(x *history.Submission) {
		votes(x)
		x.Judgement = &shadow.Judgement{Items: items, Verdicts: []shadow.Verdict{{Criterion: &x.Envelope.Criteria[0], Outcome: shadow.NotApplicable}}}
	})
	wantLines(t, again, want...)
	reported := explained(func(x *history.Submission) {
		votes(x)
		x.Withheld, x.Last.Swarm.Items = "it was judged by check/1", items
	})
	wantLines(t, reported, want...)
	if strings.Contains(again+reported, "\x1b") {
		t.Error("a terminal escape of an item got through")
	}
	unread := explained(func(x *history.Submission) {
		c := &x.Envelope.Criteria[0]
		c.Delivery, c.Material = true, map[string]shadow.Material{"d": {Items: []shadow.ItemRef{items[0].ItemRef, items[2].ItemRef}}}
		x.Judgement = &shadow.Judgement{Items: items, Verdicts: []shadow.Verdict{{Criterion: c, Outcome: shadow.Passed}}}
	})
	wantLines(t, unread, "  ? sc-01  passed, 1 of 2 items unread  edge_case")
	if later := explained(func(x *history.Submission) {
		votes(x)
		x.Withheld, x.Cycle, x.Last.Swarm.Items = "it is gone", 1, items
	}); strings.Contains(later, "Assignment") {
		t.Error("the items of the submission that stands are shown for another")
	}
}
