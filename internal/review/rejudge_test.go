package review

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// What a report says of an item is what its ballot says, or that it is unread.
func TestBefore(t *testing.T) {
	item := func(i int) *shadow.Question {
		return &shadow.Question{Item: &shadow.Item{ItemRef: shadow.ItemRef{Kind: shadow.SubTask, Index: i}, Text: "x"}}
	}
	criterion := func(id string) *shadow.Question { return &shadow.Question{Criterion: &shadow.Criterion{ID: id}} }
	rep := &shadow.Report{}
	rep.Failures = []shadow.Failure{{TestName: "sc-02"}, {TestName: "sc-03"}}
	rep.Swarm.Undecided = []string{"sc-03"}
	rep.Swarm.Ballots = []shadow.Ballot{
		{TestName: "sc-04", Outcome: shadow.NotApplicable},
		{Item: &shadow.ItemRef{Kind: shadow.SubTask, Index: 1}, Outcome: shadow.Failed},
		{Item: &shadow.ItemRef{Kind: shadow.SubTask, Index: 2}, Outcome: shadow.Undecided},
	}
	for _, tt := range []struct {
		q    *shadow.Question
		want shadow.Outcome
	}{
		{criterion("sc-01"), shadow.Passed}, {criterion("sc-02"), shadow.Failed}, {criterion("sc-03"), shadow.Undecided}, {criterion("sc-04"), shadow.NotApplicable},
		{item(0), shadow.Undecided}, {item(1), shadow.Failed}, {item(2), shadow.Undecided},
	} {
		if got := before(rep, tt.q); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.q, got, tt.want)
		}
	}
	c := &Comparison{}
	now := shadow.NewBallot(item(1), []shadow.Vote{{Outcome: shadow.Passed, Calls: 1, Tokens: 5}}, 1)
	if k := c.compared(rep, item(1), &now); !k.Changed || k.Was == nil || k.Item.Index != 1 || k.TestName != "" || c.Cost.Tokens != 5 {
		t.Errorf("%+v", k)
	}
}

// writer writes criteria of which the first one fails.
type writer struct{}

func (writer) Ref() shadow.AuthorRef { return shadow.AuthorRef{Name: "writer"} }

func (writer) Write(_ context.Context, _ *shadow.Decomposition, quota map[shadow.Category]int) (cs []shadow.Criterion, err error) {
	for c, n := range quota {
		for range n {
			cs = append(cs, shadow.Criterion{Category: c, Assertion: fmt.Sprintf("Matter %d is dealt with.", len(cs)), Expected: "It", Check: fmt.Sprint(len(cs) > 0), Material: map[string]shadow.Material{"a": {Message: "Work on it"}}})
		}
	}
	return cs, nil
}

// The gate that would follow after the time for a fix is that of a final report:
// of one that is unread, too.
func TestDecideUnread(t *testing.T) {
	settings := config.Default().Settings(shadow.IsolationLegacy)
	settings.Threshold = 5
	d := &shadow.Decomposition{RunID: "r", Task: "t", Domains: []shadow.Domain{{Domain: "a", CommanderID: "c", SubTasks: []string{"Implement the limiter in Redis"}}}}
	e, err := shadow.Seal(t.Context(), d, shadow.SealInput{Settings: &settings, Filler: writer{}, Now: time.Now(), Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	exam, err := e.Exam(nil)
	if err != nil {
		t.Fatal(err)
	}
	ev := &shadow.Evidence{Submission: &shadow.Submission{RunID: "r", Bundle: shadow.Bundle{Domain: "a", Status: "success", Content: "Other matters."}}}
	for final, want := range map[bool]shadow.Action{true: shadow.Warn, false: shadow.Pending} {
		s := &Submission{Run: history.NewRun("r"), Domain: "a", Last: &shadow.Report{Swarm: shadow.Swarm{Final: final}}}
		if o := s.decide(exam, ev); o.Score.Failed != 1 || o.Gate != want {
			t.Errorf("final %v: %+v", final, o)
		}
	}
}

// TestChooseForged: a report whose cycles are not in order, as shadowd writes none,
// is refused.
func TestChooseForged(t *testing.T) {
	rep := &shadow.Report{}
	rep.Swarm.AcceptedCycle, rep.Swarm.Cycles = 5, []shadow.Cycle{{Cycle: 5}}
	r := &history.Run{ID: "r", Reports: map[string][]*shadow.Report{"d": {rep}}}
	zero, below := 0, -1
	for _, cycle := range []*int{nil, &zero, &below} {
		if s, err := Choose(r, "d", cycle); err == nil {
			t.Errorf("chosen is cycle %d", s.Cycle)
		}
	}
	rep.Swarm.Cycles[0].Cycle = 0
	if _, err := Choose(r, "d", &zero); err != nil {
		t.Error(err)
	}
}
