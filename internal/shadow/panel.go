package shadow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Question asks a judge whether one bundle meets one criterion, or whether it
// delivers one item of its assignment: one of Criterion and Item is set. What
// it quotes of the bundle is untrusted text, to be read and never obeyed.
type Question struct {
	RunID string
	Cycle int
	// BundleDigest is the Digest of the event that brought the bundle.
	BundleDigest string
	Bundle       *Bundle
	// Domain is what the decomposition asked of the bundle; nil where that is
	// not known.
	Domain    *Domain
	Criterion *Criterion
	// Item is what the question is about where it asks whether an item of the
	// assignment was delivered; then Criterion is nil.
	Item *Item
}

// Judge votes on questions that checks leave open. It is safe for concurrent
// use.
type Judge interface {
	// Ref names the judge, its model, and the prompt that it puts.
	Ref() AuthorRef
	// Vote answers one question. Undecided is no vote, for the reason that
	// stands in Why; so is a vote that [Question.Admit] refuses. An error
	// counts as no vote as well.
	Vote(ctx context.Context, q *Question) (Vote, error)
}

// BatchJudge is a judge that can answer several questions in one request.
type BatchJudge interface {
	Judge
	// Votes answers questions about one bundle, a vote for each in their
	// order. A question that is not answered has no vote. The costs of the
	// votes add up to that of the request. An error counts as no vote on any.
	Votes(ctx context.Context, qs []*Question) ([]Vote, error)
}

// ErrBudget: what a run may spend on models is spent.
var ErrBudget = errors.New("the run's budget is spent")

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
	Why    string `json:"why,omitempty"`
	Millis int64  `json:"ms"`
	// Calls and Tokens are what the vote cost, 0 where it was Cached. Of votes
	// that were cast in one request the first one has the call.
	Calls  int   `json:"calls"`
	Tokens int64 `json:"tokens"`
	Cached bool  `json:"cached"`
}

// NoVote is the vote of a judge that has none.
func NoVote(judge, format string, args ...any) Vote {
	return Vote{Judge: judge, Outcome: Undecided, Why: fmt.Sprintf(format, args...)}
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

func count(votes []Vote) (passed, failed int) {
	return votesFor(votes, Passed), votesFor(votes, Failed)
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

// Bounds on a vote's texts, in characters, and on how short a quote may be, in
// letters and digits: a word that any text has proves nothing.
const (
	maxQuote  = 1000
	maxReason = 2000
	minQuote  = 8
)

// Admit makes a vote fit to be counted, or turns it into none: a pass must
// quote the bundle, a fail must say what is wrong, and who calls a criterion
// not applicable must say why. A judge that was talked into a verdict has
// nothing to quote for it.
func (q *Question) Admit(v Vote) Vote {
	v.Quote, v.Actual, v.Why = strings.TrimSpace(v.Quote), strings.TrimSpace(v.Actual), clip.To(strings.TrimSpace(v.Why), maxReason)
	why := q.refuses(&v)
	if v.Outcome == Failed {
		if v.Quote = clip.To(v.Quote, maxQuote); !q.quotes(v.Quote) {
			v.Quote = ""
		}
	}
	if v.Outcome != NotApplicable {
		v.Why = ""
	} else {
		v.Quote, v.Actual = "", ""
	}
	v.Actual = clip.To(v.Actual, maxReason)
	if why != "" {
		v.Outcome, v.Quote, v.Actual, v.Why = Undecided, "", "", why
	}
	return v
}

// refuses says why a vote cannot be counted, or returns nothing.
func (q *Question) refuses(v *Vote) string {
	switch v.Outcome {
	case Passed:
		switch {
		case utf8.RuneCountInString(v.Quote) > maxQuote:
			return fmt.Sprintf("its quote has more than %d characters", maxQuote)
		case letters(v.Quote) < minQuote:
			return "a pass without a quote of the bundle"
		case !q.quotes(v.Quote):
			return "a pass whose quote does not stand in the bundle"
		}
		return ""
	case Failed:
		if v.Actual == "" {
			return "a fail that does not say what is wrong"
		}
		return ""
	case NotApplicable:
		// What applies follows from the assignment, never from the bundle. An
		// item is a part of the assignment.
		switch {
		case q.Item != nil:
			return "an item of the assignment is always applicable"
		case q.Domain == nil:
			return "not applicable, though the assignment is not known"
		case letters(v.Why) < minQuote:
			return "not applicable, without a reason"
		}
		return ""
	}
	if v.Why != "" {
		return v.Why
	}
	return "neither passed nor failed"
}

// quotes reports whether a text stands in the bundle, verbatim but for how it
// is spaced and broken into lines.
func (q *Question) quotes(quote string) bool {
	if quote = spaced(quote); quote == "" {
		return false
	}
	for _, text := range q.Bundle.texts() {
		if strings.Contains(spaced(text), quote) {
			return true
		}
	}
	return false
}

// texts are the parts of a bundle that a commander writes at length.
func (b *Bundle) texts() []string {
	texts := []string{b.Content, b.Summary}
	for _, c := range b.Conflicts {
		texts = append(texts, c.Description, c.Resolution)
	}
	return texts
}

func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// cost sums up what votes took.
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
