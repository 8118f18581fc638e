package bus

import (
	"slices"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// onBallot changes the ballot on the word alpha, which is the one that fails,
// in the report of the domain that fails it.
func onBallot(change func(*shadow.Ballot)) func(*forged) {
	return func(f *forged) {
		rewrite(f, f.report("asked", "one", 0), func(r *shadow.Report) {
			i := slices.IndexFunc(r.Swarm.Ballots, func(b shadow.Ballot) bool { return b.Outcome == shadow.Failed })
			change(&r.Swarm.Ballots[i])
		})
	}
}

func onAsked(change func(*shadow.Swarm)) func(*forged) {
	return func(f *forged) {
		rewrite(f, f.report("asked", "one", 0), func(r *shadow.Report) { change(&r.Swarm) })
	}
}

// forgedBallots falsify what judges said.
var forgedBallots = []forgery{
	{"a vote is turned", audit.VoteWrong, onBallot(func(b *shadow.Ballot) {
		b.Votes[0] = shadow.Vote{Judge: b.Votes[0].Judge, Outcome: shadow.Passed, Quote: "What there is to say on bravo is said here in full.", Calls: 1, Tokens: 50}
	})},
	{"a ballot is turned with its votes", audit.VerdictWrong, onBallot(func(b *shadow.Ballot) {
		b.Outcome = shadow.Passed
		for _, i := range []int{0, 2} {
			b.Votes[i] = shadow.Vote{Judge: b.Votes[i].Judge, Outcome: shadow.Passed, Quote: "What there is to say on bravo is said here in full.", Calls: 1, Tokens: 50}
		}
	})},
	{"a pass whose quote is made up", audit.VoteWrong, onBallot(func(b *shadow.Ballot) {
		b.Votes[0].Outcome, b.Votes[0].Actual, b.Votes[0].Quote = shadow.Passed, "", "all about alpha and its ways"
	})},
	{"a fail without a reason", audit.VoteWrong, onBallot(func(b *shadow.Ballot) { b.Votes[0].Actual = "" })},
	{"another outcome than there is", audit.BadOutput, onBallot(func(b *shadow.Ballot) { b.Votes[0].Outcome = "PASS" })},
	{"a vote of nobody", audit.VoteWrong, onBallot(func(b *shadow.Ballot) { b.Votes[0].Judge = "somebody" })},
	{"a judge votes twice", audit.VoteWrong, onBallot(func(b *shadow.Ballot) { b.Votes[1] = b.Votes[0] })},
	{"a cached vote that cost", audit.VoteWrong, onBallot(func(b *shadow.Ballot) { b.Votes[0].Cached = true })},
	{"a vote is removed", audit.VoteWrong, onBallot(func(b *shadow.Ballot) { b.Votes = b.Votes[:2] })},
	{"more were asked than could matter", audit.VoteWrong, onBallot(func(b *shadow.Ballot) {
		name := b.Votes[1].Judge
		b.Votes[1], b.Cast, b.Agreed = b.Votes[0], 3, 3
		b.Votes[1].Judge, b.Votes[1].Tokens = name, 0
	})},
	{"a panel of one more judge", audit.VoteWrong, onAsked(func(s *shadow.Swarm) {
		s.Judges = append(s.Judges, shadow.JudgeRef{AuthorRef: shadow.AuthorRef{Name: "judge-4"}})
	})},
	{"the majority is miscounted", audit.VoteWrong, onBallot(func(b *shadow.Ballot) { b.Agreed, b.Cast = 3, 3 })},
	{"a smaller panel", audit.VoteWrong, onBallot(func(b *shadow.Ballot) { b.Configured = 2 })},
	{"a judge is left out", audit.VoteWrong, onAsked(func(s *shadow.Swarm) { s.Judges = s.Judges[:2] })},
	{"a ballot is left out", audit.VoteWrong, onAsked(func(s *shadow.Swarm) { s.Ballots = s.Ballots[1:] })},
	{"all ballots are left out", audit.VoteWrong, onAsked(func(s *shadow.Swarm) { s.Ballots, s.Cost = nil, nil })},
	{"a ballot on what a program decided", audit.VoteWrong, func(f *forged) {
		id := ""
		for _, c := range f.Envelopes["asked"].Envelope.Criteria {
			if c.Material["one"].Kind == shadow.AskFigures {
				id = c.ID
			}
		}
		onAsked(func(s *shadow.Swarm) {
			b := s.Ballots[0]
			b.About = id
			s.Ballots = append(s.Ballots, b)
		})(f)
	}},
	{"a panel where nobody was asked", audit.VoteWrong, func(f *forged) {
		rewrite(f, f.report("good", "one", 0), func(r *shadow.Report) {
			r.Swarm.Ballots = []shadow.Ballot{{About: "sc-01", Outcome: shadow.Passed, Votes: []shadow.Vote{}}}
		})
	}},
	{"what it cost is belittled", audit.VoteWrong, onAsked(func(s *shadow.Swarm) { s.Cost.Tokens-- })},
	{"what it cost is left out", audit.VoteWrong, onAsked(func(s *shadow.Swarm) { s.Cost = nil })},
}

// The forgeries need a report of whose seven ballots one fails.
func TestAskedRun(t *testing.T) {
	t.Parallel()
	log := richLogOnce(t)
	var rep shadow.Report
	if err := audit.Decode(forge(t, log).report("asked", "one", 0), &rep); err != nil {
		t.Fatal(err)
	}
	if s := rep.Swarm; len(s.Ballots) != 7 || s.Score.Failed != 1 || len(s.Ballots[0].Votes) != 3 {
		t.Errorf("%+v", rep.Swarm)
	}
}
