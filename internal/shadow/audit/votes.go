package audit

import (
	"fmt"
	"slices"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// ballots checks what a report says of a panel: who was asked what, and what
// follows from the votes. The votes themselves cannot be derived; whether each
// keeps the rule of evidence can.
func (r *Run) ballots(rep *report, ev shadow.Evidence) {
	p := rep.Panel()
	ev.Panel = shadow.Panel{}
	var cost shadow.Cost
	if len(p.Judges)+len(p.Ballots) > 0 {
		qs := r.exam.Questions(&ev)
		var asked, voted []string
		for i := range qs {
			asked = append(asked, qs[i].About())
		}
		for i := range p.Ballots {
			voted = append(voted, p.Ballots[i].About())
		}
		if !slices.Equal(asked, voted) {
			r.find(rep.Message, BallotUndue, "ballots on "+some(voted), "on what the checks leave open: "+some(asked))
			return
		}
		for i := range qs {
			r.ballot(rep, &qs[i], &p, &p.Ballots[i], &cost)
		}
	}
	if have := rep.Swarm.Cost; have == nil && len(p.Ballots) > 0 || have != nil && (*have != cost || len(p.Ballots) == 0) {
		r.find(rep.Message, BallotWrong, "cost "+string(encode(have)), string(encode(cost)))
	}
}

// ballot checks one ballot and adds its cost up.
func (r *Run) ballot(rep *report, q *shadow.Question, p *shadow.Panel, b *shadow.Ballot, cost *shadow.Cost) {
	for i := range b.Votes {
		v := &b.Votes[i]
		if i >= len(p.Judges) || v.Judge != p.Judges[i].Name {
			r.find(rep.Message, VoteWrong, fmt.Sprintf("%s: vote %d is of %.80q", b.About(), i+1, v.Judge), "votes of the report's judges, in their order")
			return
		}
		// The votes themselves are not repeated: they quote the bundle.
		if q.Admit(*v) != *v {
			r.find(rep.Message, VoteWrong, fmt.Sprintf("%s: a vote of %s that is %s against the rule of evidence", b.About(), v.Judge, v.Outcome), "a pass that quotes the bundle, a fail that says what is wrong, or no vote and why")
		}
		if v.Calls < 0 || v.Tokens < 0 || v.Millis < 0 || v.Cached && (v.Calls != 0 || v.Tokens != 0) {
			r.find(rep.Message, VoteWrong, fmt.Sprintf("%s: a vote of %s, cached %v, of %d calls and %d tokens", b.About(), v.Judge, v.Cached, v.Calls, v.Tokens), "no cost below 0, and none of a cached vote")
		}
		cost.Calls += v.Calls
		cost.Tokens += v.Tokens
		if v.Cached {
			cost.Cached++
		}
	}
	want := shadow.NewBallot(q, b.Votes, len(p.Judges))
	if b.Outcome != want.Outcome || b.Configured != want.Configured || b.Cast != want.Cast || b.Agreed != want.Agreed {
		r.find(rep.Message, BallotWrong, fmt.Sprintf("%s: %s, %d of %d agreed, %d configured", b.About(), b.Outcome, b.Agreed, b.Cast, b.Configured),
			fmt.Sprintf("%s, %d of %d agreed, %d configured", want.Outcome, want.Agreed, want.Cast, want.Configured))
	}
	asked := 0
	for asked < len(b.Votes) {
		n := shadow.Needed(b.Votes[:asked], len(p.Judges))
		if n == 0 {
			break
		}
		asked += n
	}
	if asked != len(b.Votes) || shadow.Needed(b.Votes, len(p.Judges)) > 0 {
		r.find(rep.Message, BallotWrong, fmt.Sprintf("%s: %d votes", b.About(), len(b.Votes)), "votes until more could change nothing, and no more")
	}
}
