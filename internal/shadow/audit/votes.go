package audit

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// ballots is the panel of a report with the ballots that follow from its votes:
// one on each question that the checks leave open. The votes themselves cannot be
// derived; whether each keeps the rule of evidence can.
func (r *Run) ballots(rep *report, ev shadow.Evidence) shadow.Panel {
	p := ev.Panel
	if len(p.Judges)+len(p.Ballots) == 0 {
		return p
	}
	votes := map[string][]shadow.Vote{}
	for i := range p.Ballots {
		votes[p.Ballots[i].About()] = p.Ballots[i].Votes
	}
	ev.Panel, p.Ballots = shadow.Panel{}, nil
	qs := r.exam.Questions(&ev)
	for i := range qs {
		cast := votes[qs[i].About()]
		r.votes(rep, &qs[i], p.Judges, cast)
		p.Ballots = append(p.Ballots, shadow.NewBallot(&qs[i], cast, len(p.Judges)))
	}
	return p
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
		r.find(rep.Message, VoteWrong, fmt.Sprintf("%s%d votes", about, len(votes)), "votes until more could change nothing, and no more")
	}
}
