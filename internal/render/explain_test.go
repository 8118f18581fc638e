package render

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// explained is what explain prints of a run with one criterion failed, one passed, and a fix that was worse.
func explained(change func(*history.Submission)) string {
	deadline := time.Date(2026, 3, 14, 9, 36, 53, 0, time.UTC)
	first := shadow.Score{Failed: 1, Total: 2}
	rep := &shadow.Report{Swarm: shadow.Swarm{
		RunID: "r", Domain: "d", BundleID: "b", CommanderID: "c", Cycle: 1, Final: true, Score: first,
		Verdict: "significant",
		Gate:    shadow.Gate{Action: shadow.Reject, Reason: "1 of 2", Enforced: true},
		Criteria: []shadow.CriterionVerdict{{ID: "sc-01", Category: shadow.EdgeCase, Kind: shadow.AskWritten, Outcome: shadow.Failed, By: "shadowd", Line: 2, About: "sums"},
			{ID: "sc-02", Category: shadow.HappyPath, Kind: shadow.AskWritten, Outcome: shadow.Passed, By: "gpt", About: "reading"}},
		Cycles:    []shadow.Cycle{{Score: first, Kept: true}, {Cycle: 1, Score: shadow.Score{Failed: 2, Total: 2}}},
		Hardening: shadow.SwarmHarden{Regressed: true, Escalate: []string{"sc-01"}, Deadline: &deadline},
	}}
	rep.SealedTests.Total = 2
	rep.Failures = []shadow.Failure{{TestName: "sc-01", Category: shadow.EdgeCase, Actual: "line 2: 2 + 2 = 5", Message: "work it out again"}}
	run := history.NewRun("r")
	run.Reports["d"] = []*shadow.Report{rep}
	x := &history.Submission{
		Run: run, Domain: "d", Last: rep,
		Opened: history.Opened{Envelope: &shadow.Envelope{
			Domains: shadow.Domains{{Domain: "d", SubTasks: []string{"Do sums", "Check \x1b[31mthem"}, Constraints: []string{"Be brief"}, TaskBrief: "Sums"}},
			Criteria: []shadow.Criterion{
				{ID: "sc-01", Material: map[string]shadow.Material{"d": {Kind: shadow.AskWritten, Category: shadow.EdgeCase, Assertion: "The sums hold", Expected: "no wrong sum", Check: "text.miscalculations()", Author: "house", Items: []string{"sub-task 1"}}}},
				{ID: "sc-02", Material: map[string]shadow.Material{"d": {Kind: shadow.AskWritten, Category: shadow.HappyPath, Assertion: "It reads well", Expected: "a pleasure", Basis: "Write it well."}}},
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

// TestExplain: what is shown of a submission beside its passages, and that nothing of a
// bundle or a judge reaches the terminal as anything but text.
func TestExplain(t *testing.T) {
	for name, change := range map[string]func(*history.Submission){
		"figures": func(x *history.Submission) {
			x.Last.Failures[0].Actual = "line 2: 2 + 2 = 5; line 99: not there"
			x.Last.Swarm.Criteria[1].Outcome, x.Last.Swarm.Criteria[1].By = shadow.Undecided, ""
		},
		"broken": func(x *history.Submission) { x.Broken = "hashes differ" },
		"worse":  func(x *history.Submission) { x.Cycle = 1 },
		"gone":   func(x *history.Submission) { x.Withheld, x.Bundle = "it is gone", nil },
		"judged": func(x *history.Submission) {
			x.Last.Swarm.Items = []shadow.ItemVerdict{
				{Item: shadow.Item{Name: "sub-task 1", Text: "Do sums"}, State: shadow.ItemFound, By: "gpt", Line: 2, Quote: "2 + 2", Criterion: "sc-02"},
				{Item: shadow.Item{Name: "sub-task 2", Text: "Check \x1b[31mthem"}, State: shadow.ItemMissing, By: "gpt, llama", Line: 3, Why: "no sum is checked", Criterion: "sc-01"},
				{Item: shadow.Item{Name: "constraint 1", Text: "Be brief"}, State: shadow.ItemUnread},
			}
			x.Last.Swarm.Ballots = []shadow.Ballot{
				{About: "sub-task 2", Outcome: shadow.Failed, Configured: 2, Cast: 2, Agreed: 2,
					Votes: []shadow.Vote{{Judge: "gpt", Outcome: shadow.Failed, Actual: "no sum is checked"}, {Judge: "llama", Outcome: shadow.Failed, Actual: "unchecked", Quote: "last"}}},
				{About: "sc-02", Outcome: shadow.Passed, Configured: 5, Cast: 4, Agreed: 3, Votes: []shadow.Vote{
					{Judge: "gpt", Outcome: shadow.Passed, Quote: "2 + 2\x1b[31m = 5"},
					{Judge: "llama\x1b", Outcome: shadow.Failed, Actual: "a \x1b[2Jpain", Quote: "2 + 2"},
					{Judge: "strict", Outcome: shadow.Undecided, Why: "time\x1bout"}}}}
			x.Last.Swarm.Judges = []shadow.JudgeRef{{AuthorRef: shadow.AuthorRef{Name: "gpt"}}, {AuthorRef: shadow.AuthorRef{Name: "strict"}, Excluded: "it found what \x1bis not there"}}
			x.Last.Swarm.Cost = &shadow.Cost{Calls: 2, Tokens: 345}
		},
	} {
		got := explained(change)
		if golden(t, "explain-"+name+".txt", got); strings.Contains(got, "\x1b") {
			t.Errorf("%s: a terminal escape got through", name)
		}
	}
}
