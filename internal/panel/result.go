package panel

import "github.com/swarmspeed/shadowd/internal/shadow"

// result counts the votes.
func (s *poll) result() shadow.Panel {
	out := shadow.Panel{Judges: make([]shadow.JudgeRef, len(s.judges))}
	for m := range s.judges {
		member := &s.p.members[m]
		out.Judges[m] = shadow.JudgeRef{AuthorRef: member.ref, Excluded: s.judges[m].excluded, Doubt: s.doubt(m), Recorded: member.recorded}
	}
	for i := range s.qs {
		votes := []shadow.Vote{}
		if s.qs[i].Control == "" {
			votes = s.counted(i)
			out.Ballots = append(out.Ballots, shadow.NewBallot(&s.qs[i], votes, len(s.judges)))
		}
		for m := len(votes); m < len(s.judges); m++ {
			out.Controls.Add(&s.votes[i][m].vote)
		}
	}
	s.log(&out)
	return out
}

// counted are the votes on question i of the judges in their order, as many as
// could change something: whoever audits the report comes to the same. A judge
// that was out of reach and is back may have made a later one's vote needless.
func (s *poll) counted(i int) []shadow.Vote {
	votes := []shadow.Vote{}
	for n := 1; n > 0; {
		n = shadow.Needed(votes, len(s.judges))
		for range n {
			votes = append(votes, s.votes[i][len(votes)].vote)
		}
	}
	return votes
}

// log says which judges had no vote, and why, and whose votes are odd. The lines
// have neither their words nor the criterion's.
func (s *poll) log(out *shadow.Panel) {
	if len(s.qs) == 0 {
		return
	}
	log := s.p.log.With("run", s.qs[0].RunID, "domain", s.qs[0].Bundle.Domain)
	type silence struct{ judge, why string }
	silent := map[silence]int{}
	for i := range out.Ballots {
		for k := range out.Ballots[i].Votes {
			v := &out.Ballots[i].Votes[k]
			if v.Outcome != shadow.Undecided {
				continue
			}
			why := "in words of its own, which stand in the report"
			if v.Own {
				why = v.Why
			}
			silent[silence{v.Judge, why}]++
		}
	}
	for s, n := range silent {
		log.Warn("a judge had no vote", "judge", s.judge, "questions", n, "reason", s.why)
	}
	for i := range out.Judges {
		if j := &out.Judges[i]; j.Doubt != "" {
			log.Warn("a judge's votes are odd, and count", "judge", j.Name, "reason", j.Doubt)
		}
	}
}
