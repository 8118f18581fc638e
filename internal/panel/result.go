package panel

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// examine takes a judge's votes away if it answered a control question wrongly, with
// evidence or without. No readable answer shows nothing.
func (s *poll) examine(m int) {
	j := &s.judges[m]
	if j.excluded != "" {
		return
	}
	for i := range s.qs {
		c := &s.votes[i][m]
		switch q := &s.qs[i]; {
		case c.state != said:
		case q.Control == shadow.ControlFalse && c.vote.Said == shadow.Passed:
			j.excluded = "it passed an item that the work cannot hold"
		case q.Control == shadow.ControlTrue && c.vote.Said == shadow.Failed:
			j.excluded = "it failed a passage that stands in the content"
		}
	}
	for i := range s.qs {
		if c := &s.votes[i][m]; j.excluded != "" && c.state != unasked && s.qs[i].Control == "" {
			c.vote, c.state = s.excluded(m, c.vote), said
		}
	}
}

// excluded is the vote of a judge that has none on this bundle.
func (s *poll) excluded(m int, v shadow.Vote) shadow.Vote {
	return s.none(m, v, "its answer to a control question was wrong: "+s.judges[m].excluded)
}

// result counts the votes.
func (s *poll) result() shadow.PanelVotes {
	out := shadow.PanelVotes{Judges: make([]shadow.JudgeRef, len(s.judges)), Currency: s.p.Currency}
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

// counted are the votes on question i of the judges in their order, as many as could
// change something: whoever audits the report comes to the same.
func (s *poll) counted(i int) []shadow.Vote {
	votes := []shadow.Vote{}
	for n := 1; n > 0; {
		n = shadow.Needed(votes, len(s.judges))
		for range n {
			m := len(votes)
			c := &s.votes[i][m]
			if c.state == unasked {
				c.vote = s.none(m, c.vote, "it was not asked: no majority was possible")
			}
			votes = append(votes, c.vote)
		}
	}
	return votes
}

// enoughPasses is from how many passes on it is odd that one quote serves half
// of them.
const enoughPasses = 8

// doubt says what is odd about a judge's votes, or nothing.
func (s *poll) doubt(m int) string {
	passes, most := 0, 0
	serves := map[string]int{}
	for i := range s.qs {
		if v := &s.votes[i][m].vote; s.qs[i].Control == "" && v.Outcome == shadow.Passed {
			passes++
			serves[v.Quote]++
			most = max(most, serves[v.Quote])
		}
	}
	if passes < enoughPasses || 2*most < passes {
		return ""
	}
	return fmt.Sprintf("one quote serves %d of its %d passes", most, passes)
}

// log says which judges had no vote, and why, and whose votes are odd. The lines
// have neither their words nor the criterion's.
func (s *poll) log(out *shadow.PanelVotes) {
	if len(s.qs) == 0 {
		return
	}
	log := s.p.Logger.With("run", s.qs[0].RunID, "domain", s.qs[0].Bundle.Domain)
	none := map[[2]string]int{} // by judge and reason
	for i := range out.Ballots {
		for _, v := range out.Ballots[i].Votes {
			switch {
			case v.Outcome != shadow.Undecided:
			case v.Own:
				none[[2]string{v.Judge, v.Why}]++
			default:
				none[[2]string{v.Judge, "in words of its own, which stand in the report"}]++
			}
		}
	}
	for of, n := range none {
		log.Warn("a judge had no vote", "judge", of[0], "questions", n, "reason", of[1])
	}
	for m := range out.Judges {
		s.logSlow(log, m)
		if j := &out.Judges[m]; j.Doubt != "" {
			log.Warn("a judge's votes are odd, and count", "judge", j.Name, "reason", j.Doubt)
		}
	}
}

// slowBundle is from how long on a judge keeps a bundle waiting that people wonder.
const slowBundle = time.Minute

// logSlow says once of a judge that it is slow, and which settings help.
func (s *poll) logSlow(log *slog.Logger, m int) {
	judge := &s.p.members[m]
	var all, slowest time.Duration
	n := 0
	for i := range s.qs {
		if v := &s.votes[i][m].vote; v.Millis > 0 {
			took := time.Duration(v.Millis) * time.Millisecond
			all, slowest, n = all+took, max(slowest, took), n+1
		}
	}
	if all < slowBundle*time.Duration(cap(judge.slots)) && slowest < s.p.Timeout/2 || judge.slow.Swap(true) {
		return
	}
	log.Warn("a judge is slow", "judge", judge.ref.Name, "questions", n, "mean", (all / time.Duration(n)).Round(time.Second/10), "slowest", slowest.Round(time.Second/10),
		"hint", fmt.Sprintf("concurrency of its model in models is how many questions it gets at once (%d), judging.timeout how long it has for each (%s)", cap(judge.slots), s.p.Timeout))
}
