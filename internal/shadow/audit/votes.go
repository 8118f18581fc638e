package audit

import (
	"fmt"
	"slices"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// ballots checks what a report says of a panel: who was asked what. The votes
// themselves cannot be derived; whether each keeps the rule of evidence can. It
// returns the panel with the ballots that follow from the votes.
func (r *Run) ballots(rep *report, ev shadow.Evidence) shadow.Panel {
	p := ev.Panel
	var asked, voted []string
	var qs []shadow.Question
	if len(p.Judges)+len(p.Ballots) > 0 {
		ev.Panel = shadow.Panel{}
		qs = r.exam.Questions(&ev)
	}
	for i := range qs {
		asked = append(asked, qs[i].About())
	}
	for i := range p.Ballots {
		voted = append(voted, p.Ballots[i].About())
	}
	if !slices.Equal(asked, voted) {
		r.find(rep.Message, BallotUndue, "ballots on "+some(voted), "on what the checks leave open: "+some(asked))
		return p
	}
	derived := slices.Clone(p.Ballots)
	for i := range qs {
		r.votes(rep, &qs[i], p.Judges, p.Ballots[i].Votes)
		derived[i] = shadow.NewBallot(&qs[i], p.Ballots[i].Votes, len(p.Judges))
	}
	return shadow.Panel{Judges: p.Judges, Ballots: derived}
}

// votes checks the votes on one question. They are not repeated: they quote the
// bundle.
func (r *Run) votes(rep *report, q *shadow.Question, judges []shadow.AuthorRef, votes []shadow.Vote) {
	about := q.About() + ": "
	for i := range votes {
		v := &votes[i]
		if i >= len(judges) || v.Judge != judges[i].Name {
			r.find(rep.Message, VoteWrong, fmt.Sprintf("%svote %d is of %.80q", about, i+1, v.Judge), "votes of the report's judges, in their order")
			return
		}
		if q.Admit(*v) != *v {
			r.find(rep.Message, VoteWrong, fmt.Sprintf("%sa vote of %s that is %s against the rule of evidence", about, v.Judge, v.Outcome), "a pass that quotes the bundle, a fail that says what is wrong, or no vote and why")
		}
		if v.Calls < 0 || v.Tokens < 0 || v.Millis < 0 || v.Cached && (v.Calls != 0 || v.Tokens != 0) {
			r.find(rep.Message, VoteWrong, fmt.Sprintf("%sa vote of %s, cached %v, of %d calls and %d tokens", about, v.Judge, v.Cached, v.Calls, v.Tokens), "no cost below 0, and none of a cached vote")
		}
	}
	asked := 0
	for n := 1; n > 0 && asked <= len(votes); asked += n {
		n = shadow.Needed(votes[:asked], len(judges))
	}
	if asked != len(votes) {
		r.find(rep.Message, BallotWrong, fmt.Sprintf("%s%d votes", about, len(votes)), "votes until more could change nothing, and no more")
	}
}

// tallies are the ballots of a report without the votes, and what they cost.
func tallies(rep *shadow.Report) any {
	var all []string
	for i := range rep.Swarm.Ballots {
		b := &rep.Swarm.Ballots[i]
		all = append(all, fmt.Sprintf("%s: %s, %d of %d agreed, %d configured", b.About(), b.Outcome, b.Agreed, b.Cast, b.Configured))
	}
	return some(all) + "; cost " + string(encode(rep.Swarm.Cost))
}
