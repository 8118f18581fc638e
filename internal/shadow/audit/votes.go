package audit

import "github.com/swarmspeed/shadowd/internal/shadow"

// ballots is the panel of a report with the ballots that follow from its votes:
// one on each question that the checks leave open. What a judge said cannot be
// derived; whether it can have said so can.
func (r *Run) ballots(ev shadow.Evidence) shadow.Panel {
	p := ev.Panel
	if len(p.Judges)+len(p.Ballots) == 0 {
		return p
	}
	said := map[string][]shadow.Vote{}
	for i := range p.Ballots {
		said[p.Ballots[i].About()] = p.Ballots[i].Votes
	}
	ev.Panel, p.Ballots = shadow.Panel{}, nil
	qs := r.exam.Questions(&ev)
	for i := range qs {
		q := &qs[i]
		p.Ballots = append(p.Ballots, shadow.NewBallot(q, votes(q, p.Judges, said[q.About()]), len(p.Judges)))
	}
	return p
}

// votes are as many as could change something, of the judges in their order,
// each by the rule of evidence and at no cost if it was cached. One that is
// missing is empty.
func votes(q *shadow.Question, judges []shadow.AuthorRef, said []shadow.Vote) (all []shadow.Vote) {
	for n := 1; n > 0; {
		n = shadow.Needed(all, len(judges))
		for range n {
			v := shadow.Vote{}
			if i := len(all); i < len(said) {
				v = q.Admit(said[i])
			}
			v.Judge = judges[len(all)].Name
			v.Calls, v.Tokens, v.Millis = max(v.Calls, 0), max(v.Tokens, 0), max(v.Millis, 0)
			if v.Cached {
				v.Calls, v.Tokens = 0, 0
			}
			all = append(all, v)
		}
	}
	return all
}
