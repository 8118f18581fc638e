package review

import (
	"testing"

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
