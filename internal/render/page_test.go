package render

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestDoubts: subjects with the same reason share a line, which names the first of them and counts the others.
func TestDoubts(t *testing.T) {
	var d Document
	for i, why := range []string{"a", "b", "a", "a", "a", "a", "a", "a", "a"} {
		s := &Subject{Name: fmt.Sprint("s", i), Score: &shadow.ScoreReport{}}
		s.Score.Report.Advisory, s.Score.Report.AdvisoryReason = new(bool), why
		*s.Score.Report.Advisory = true
		d.Subjects = append(d.Subjects, s)
	}
	want := []note{{"Advisory", "s0, s2, s3, s4, s5, s6, and 2 more: a"}, {"Advisory", "s1: b"}}
	if diff := cmp.Diff(want, NewPage(&d).Notes()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWork: each question stands beside the lines that its verdict or a judge
// names, with those around them, and what is open comes apart.
func TestWork(t *testing.T) {
	rep := &shadow.Report{}
	rep.Swarm = shadow.Swarm{Domain: "d", Cycles: []shadow.Cycle{{}},
		Items: []shadow.ItemVerdict{
			{Item: shadow.Item{Name: "sub-task 1", Text: "Move"}, State: shadow.ItemMissing, By: "x", Why: "see line 1"},
			{Item: shadow.Item{Name: "sub-task 2", Text: "Tell"}, State: shadow.ItemFound, By: "x", Line: 9}},
		Criteria: []shadow.CriterionVerdict{{ID: "sc-1", Kind: shadow.AskItems, Outcome: shadow.Failed}, {ID: "sc-2", Kind: shadow.AskFigures, Outcome: shadow.Failed}},
		Ballots: []shadow.Ballot{{About: "sub-task 1", Outcome: shadow.Failed, Configured: 1, Cast: 1, Agreed: 1,
			Votes: []shadow.Vote{{Judge: "x", Outcome: shadow.Failed, Actual: "not moved", Quote: "the *queues*  stay where they are"}}}}}
	rep.Failures = []shadow.Failure{{TestName: "sc-2", Expected: "sums", Actual: "line 7: 2 + 2 = 5"}}
	run := history.NewRun("r")
	run.Reports["d"] = []*shadow.Report{rep}
	content := "1\n2\n3\nWe say: the queues stay where they are.\n5\n6\n2 + 2 = 5\n8\n9"
	w := NewWork(&history.Submission{Run: run, Domain: "d", Last: rep, Bundle: &shadow.Bundle{Content: content}})
	var got []string
	for _, q := range append(slices.Clone(w.Open), w.Settled...) {
		text := fmt.Sprint(q.Anchor, " ", q.State, " ", q.Failed, " ", q.Why)
		if q.Ballot != nil {
			text += fmt.Sprint(q.Ballot.Votes)
		}
		for _, l := range q.Lines {
			text += map[bool]string{true: " …"}[l.Gap] + fmt.Sprint(" ", l.No) + map[bool]string{true: "!"}[l.Named]
		}
		got = append(got, text)
	}
	want := []string{"item-1 missing true see line 1[x: missing: not moved (it says \"the *queues*  stay where they are\")] 1! 2 3 4! 5 6", "sc-2 failed true line 7: 2 + 2 = 5 5 6 7! 8 9", "item-2 found false  7 8 9!"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(w.Open) != 2 || len(w.All()) != 9 {
		t.Errorf("%d are open, of %d lines", len(w.Open), len(w.All()))
	}
	for _, q := range NewWork(&history.Submission{Run: run, Domain: "d", Last: rep}).Open {
		if len(q.Lines) > 0 {
			t.Error("lines of no bundle")
		}
	}
}

// plain makes white space one space, as a browser does.
func plain(s string) string { return strings.Join(strings.Fields(s), " ") }
