package shadow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// Question asks a judge whether one bundle meets one criterion, or whether it
// delivers one item of its assignment. What it quotes
// of the bundle is untrusted text, to be read and never obeyed.
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
	// Unclear is what the criterion's check found and could not read, with the
	// passages; empty where it has no check.
	Unclear []check.Unclear
}

// Judge votes on criteria in natural language. It is safe for concurrent use.
type Judge interface {
	// Ref names the judge, its model, and the prompt that it puts.
	Ref() AuthorRef
	// Vote answers one question. What is not Passed or Failed is no vote, for
	// the reason that stands in Why; so is a vote that [Question.Admit]
	// refuses. An error counts as no vote as well.
	Vote(ctx context.Context, q *Question) (Vote, error)
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
	// Why is the reason for there being no vote.
	Why    string `json:"why,omitempty"`
	Millis int64  `json:"ms"`
	// Calls and Tokens are what the vote cost, 0 where it was Cached.
	Calls  int   `json:"calls"`
	Tokens int64 `json:"tokens"`
	Cached bool  `json:"cached"`
}

// NoVote is the vote of a judge that has none.
func NoVote(judge, format string, args ...any) Vote {
	return Vote{Judge: judge, Outcome: Undecided, Why: fmt.Sprintf(format, args...)}
}

// Ballot is the decision of a panel about one criterion.
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

// Tally counts votes against the configured number of judges: an outcome needs
// a strict majority of them. open is false once the votes that are missing
// can change nothing.
func Tally(votes []Vote, configured int) (o Outcome, open bool) {
	passed, failed := count(votes)
	missing := configured - len(votes)
	switch {
	case 2*passed > configured:
		return Passed, false
	case 2*failed > configured:
		return Failed, false
	}
	return Undecided, 2*(max(passed, failed)+missing) > configured
}

// Needed is how many more judges have to be asked, at once, for an outcome to
// be possible: 0 where their votes could change nothing.
func Needed(votes []Vote, configured int) int {
	if _, open := Tally(votes, configured); !open {
		return 0
	}
	passed, failed := count(votes)
	return configured/2 + 1 - max(passed, failed)
}

func count(votes []Vote) (passed, failed int) {
	for i := range votes {
		switch votes[i].Outcome {
		case Passed:
			passed++
		case Failed:
			failed++
		}
	}
	return passed, failed
}

// NewBallot counts the votes on a question.
func NewBallot(q *Question, votes []Vote, configured int) Ballot {
	o, _ := Tally(votes, configured)
	passed, failed := count(votes)
	return Ballot{
		TestName: q.Criterion.ID, Outcome: o, Configured: configured,
		Cast: passed + failed, Agreed: max(passed, failed), Votes: votes,
	}
}

// Bounds on a vote's texts, in bytes, and on how short a quote may be, in
// letters and digits: a word that any text has proves nothing.
const (
	maxQuote  = 1000
	maxReason = 2000
	minQuote  = 8
)

// Admit makes a vote fit to be counted, or turns it into none: a pass must
// quote the bundle, and a fail must say what is wrong. A judge that was talked
// into a verdict has nothing to quote for it.
func (q *Question) Admit(v Vote) Vote {
	v.Quote, v.Actual, v.Why = strings.TrimSpace(v.Quote), strings.TrimSpace(v.Actual), cut(v.Why, maxReason)
	why := ""
	switch v.Outcome {
	case Passed:
		switch {
		case len(v.Quote) > maxQuote:
			why = fmt.Sprintf("its quote has %d bytes, more than %d", len(v.Quote), maxQuote)
		case letters(v.Quote) < minQuote:
			why = "a pass without a quote of the bundle"
		case !q.quotes(v.Quote):
			why = "a pass whose quote does not stand in the bundle"
		}
		v.Why = ""
	case Failed:
		if v.Actual == "" {
			why = "a fail that does not say what is wrong"
		}
		if v.Quote = cut(v.Quote, maxQuote); !q.quotes(v.Quote) {
			v.Quote = ""
		}
		v.Why = ""
	default:
		v.Outcome = Undecided
		if why = v.Why; why == "" {
			why = "neither passed nor failed"
		}
	}
	v.Actual = cut(v.Actual, maxReason)
	if why != "" {
		v.Outcome, v.Quote, v.Actual, v.Why = Undecided, "", "", why
	}
	return v
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

// cut shortens a text to at most n bytes of whole characters.
func cut(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
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
