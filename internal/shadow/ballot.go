package shadow

import (
	"fmt"
	"slices"
)

// Vote is what one judge says to one question.
type Vote struct {
	Judge   string  `json:"judge"`
	Outcome Outcome `json:"outcome"` // undecided: no vote
	// Quote is the passage of the bundle that the vote rests on, verbatim. A
	// pass has one.
	Quote string `json:"quote,omitempty"`
	// Actual is what the judge found instead; a fail has it.
	Actual string `json:"actual,omitempty"`
	// Why is the reason for there being no vote, or for the criterion not being
	// applicable.
	Why string `json:"why,omitempty"`
	// Own: Why is in words of shadowd's own, such as an HTTP status. They quote
	// neither the question nor the judge, and may be logged.
	Own    bool  `json:"-"`
	Millis int64 `json:"ms"`
	// Calls and Tokens are what the vote cost, 0 where it was Cached. Of votes
	// that were cast in one request the first one has the call.
	Calls  int   `json:"calls"`
	Tokens int64 `json:"tokens"`
	Cached bool  `json:"cached"`
}

// NoVote is the vote of a judge that has none, for a reason in words of our own.
func NoVote(judge, format string, args ...any) Vote {
	return Vote{Judge: judge, Outcome: Undecided, Why: fmt.Sprintf(format, args...), Own: true}
}

// Ballot is the decision of a panel about one criterion or item.
type Ballot struct {
	// TestName is the criterion's id; empty where the panel was asked about Item.
	TestName string   `json:"test_name,omitempty"`
	Item     *ItemRef `json:"item,omitempty"`
	Outcome  Outcome  `json:"outcome"`
	// Configured is how many judges the panel has. A majority is of these,
	// whether they vote or not.
	Configured int `json:"configured"`
	// Cast is how many votes there are, and Agreed how many of them say what
	// the larger part says.
	Cast   int    `json:"cast"`
	Agreed int    `json:"agreed"`
	Votes  []Vote `json:"votes"`
}

// Split tells whether judges that voted did not agree.
func (b *Ballot) Split() bool { return b.Agreed < b.Cast }

// BallotOn is the ballot of some on a criterion or item, as About names it, or
// nil.
func BallotOn(ballots []Ballot, about string) *Ballot {
	i := slices.IndexFunc(ballots, func(b Ballot) bool { return b.About() == about })
	if i < 0 {
		return nil
	}
	return &ballots[i]
}

// Panel is what the judges said about one bundle.
type Panel struct {
	// Judges are all that are configured.
	Judges  []AuthorRef
	Ballots []Ballot
}

// Panel is what judges said about the submission that a report is about.
func (r *Report) Panel() Panel {
	p := Panel{Ballots: r.Swarm.Ballots}
	if len(r.Swarm.Judges) > 1 {
		p.Judges = r.Swarm.Judges[1:] // behind the checks
	}
	return p
}

// Cost is what the votes of one report took.
type Cost struct {
	Calls  int   `json:"calls"`
	Tokens int64 `json:"tokens"`
	// Cached is how many votes were known from before.
	Cached int `json:"cached"`
}

// votable are the outcomes that a judge may vote for.
var votable = []Outcome{Passed, Failed, NotApplicable}

// Tally counts votes against the configured number of judges: an outcome needs
// a strict majority of them. open is false once the votes that are missing
// can change nothing.
func Tally(votes []Vote, configured int) (o Outcome, open bool) {
	o, n := leading(votes)
	if 2*n > configured {
		return o, false
	}
	missing := configured - len(votes)
	return Undecided, 2*(n+missing) > configured
}

// Needed is how many more judges have to be asked, at once, for an outcome to
// be possible: 0 where their votes could change nothing.
func Needed(votes []Vote, configured int) int {
	if _, open := Tally(votes, configured); !open {
		return 0
	}
	_, n := leading(votes)
	return configured/2 + 1 - n
}

// leading is the outcome that most votes are for, and how many those are.
func leading(votes []Vote) (o Outcome, n int) {
	for _, d := range votable {
		if k := votesFor(votes, d); k > n {
			o, n = d, k
		}
	}
	return o, n
}

func votesFor(votes []Vote, o Outcome) int {
	n := 0
	for i := range votes {
		if votes[i].Outcome == o {
			n++
		}
	}
	return n
}

// NewBallot counts the votes on a question.
func NewBallot(q *Question, votes []Vote, configured int) Ballot {
	b := Ballot{Configured: configured, Votes: votes}
	b.Outcome, _ = Tally(votes, configured)
	for _, o := range votable {
		b.Cast += votesFor(votes, o)
	}
	_, b.Agreed = leading(votes)
	if q.Item != nil {
		b.Item = &q.Item.ItemRef
	} else {
		b.TestName = q.Criterion.ID
	}
	return b
}

func cost(ballots []Ballot) *Cost {
	if len(ballots) == 0 {
		return nil
	}
	c := &Cost{}
	for i := range ballots {
		for j := range ballots[i].Votes {
			v := &ballots[i].Votes[j]
			c.Calls += v.Calls
			c.Tokens += v.Tokens
			if v.Cached {
				c.Cached++
			}
		}
	}
	return c
}
