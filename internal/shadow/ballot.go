package shadow

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/swarmspeed/shadowd/internal/shadow/passage"
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
	Content      *passage.Text // nil: it is read for each vote
	// Seed is secret, and the same for all questions about one bundle.
	Seed [32]byte
	// Brief and Listed are what the bundle was asked for, as the judge is shown
	// it. For a question on an item they hold the false item too.
	Brief     string
	Listed    []Item
	Criterion *Asked
	Item      *Item
	Claim     string  // the passage that the commander points to for the item
	Control   Control // set where the answer is known
}

// Control is what a control question shows of a judge.
type Control string

// The control questions: on an item that no bundle can hold, and on a passage
// that stands in the content.
const (
	ControlFalse Control = "false"
	ControlTrue  Control = "true"
)

// About names what the question is about: a criterion's id, or an item.
func (q *Question) About() string {
	if q.Item != nil {
		return q.Item.Name
	}
	return q.Criterion.ID
}

// Text is what is asked, in words.
func (q *Question) Text() string {
	if q.Item != nil {
		return q.Item.Text
	}
	return q.Criterion.Assertion
}

// Judge votes on questions. It is safe for concurrent use.
type Judge interface {
	// Ref names the judge, its model, and the prompt that it puts.
	Ref() AuthorRef
	// Vote answers one question. Undecided is no vote, for the reason that
	// stands in Why; so is a vote that [Question.Admit] refuses. An error
	// counts as no vote as well.
	Vote(ctx context.Context, q *Question) (Vote, error)
}

// Outcome is a verdict's word.
type Outcome string

// The outcomes. Undecided counts as not passed. Unread is what nobody was asked
// about: it fails nothing, and is never shown as a pass. Judges vote passed or
// failed; a vote that is undecided is none.
const (
	Passed    Outcome = "passed"
	Failed    Outcome = "failed"
	Undecided Outcome = "undecided"
	Unread    Outcome = "unread"
)

// Rule lists the words, for the decoder.
func (Outcome) Rule() string { return wordRule(Passed, Failed, Undecided) }

// Vote is what one judge says to one question.
type Vote struct {
	Judge   string  `json:"judge" is:"min=1"`
	Outcome Outcome `json:"outcome"`          // undecided: no vote
	Quote   string  `json:"quote,omitempty"`  // of the bundle, verbatim; a pass has one
	Actual  string  `json:"actual,omitempty"` // what the judge found instead; a fail has it
	Why     string  `json:"why,omitempty"`    // there is no vote
	// Said is the verdict that the judge gave, also where it is no vote for want
	// of evidence.
	Said        Outcome `json:"-"`
	Unreachable bool    `json:"-"` // it may answer later
	// Own: Why is in shadowd's own words. They quote neither the question nor the
	// judge, and may be logged.
	Own     bool  `json:"-"`
	Millis  int64 `json:"ms"`
	Calls   int   `json:"calls"`
	Tokens  int64 `json:"tokens"`
	Written int64 `json:"written,omitempty"` // those of Tokens that the model wrote, where that is known
	Micros  int64 `json:"micros,omitempty"`  // the price in millionths of a currency, where it is known
}

// NoVote is the vote of a judge that has none, for a reason in words of our own.
func NoVote(judge, format string, args ...any) Vote {
	return Vote{Judge: judge, Outcome: Undecided, Why: fmt.Sprintf(format, args...), Own: true}
}

// Bounds on a vote's texts, in characters.
const (
	maxQuote  = 1000
	maxReason = 2000
)

// Admit makes a vote fit to be counted, or turns it into none: a pass must
// quote the content, and a fail must say what is wrong. A judge that was talked
// into a verdict has nothing to quote for it. A vote that was refused stays so.
func (q *Question) Admit(v Vote) Vote {
	if v.Outcome == Passed || v.Outcome == Failed {
		v.Said = v.Outcome
	}
	v.Quote, v.Actual, v.Why = strings.TrimSpace(v.Quote), clip.To(strings.TrimSpace(v.Actual), maxReason), clip.To(strings.TrimSpace(v.Why), maxReason)
	at, found := q.content().Find(v.Quote)
	why := ""
	switch v.Outcome {
	case Passed:
		v.Actual = ""
		why = q.refuses(&v)
	case Failed:
		if v.Actual == "" {
			why = "a fail that does not say what is wrong"
		}
	default:
		if why = v.Why; why == "" {
			why = "neither passed nor failed"
		}
	}
	if found {
		v.Quote = clip.To(q.Bundle.Content[at.From:at.To], maxQuote)
	} else {
		v.Quote = ""
	}
	if why != "" {
		v.Own = v.Own || why != v.Why
		v.Outcome, v.Quote, v.Actual = Undecided, "", ""
	}
	v.Why = why
	return v
}

// content is the content of the bundle, as a judge is shown it.
func (q *Question) content() *passage.Text {
	if q.Content != nil {
		return q.Content
	}
	return passage.New(q.Bundle.Content)
}

// refuses says why a pass is no vote, or returns nothing.
func (q *Question) refuses(v *Vote) string {
	if utf8.RuneCountInString(v.Quote) > maxQuote {
		return fmt.Sprintf("a pass whose quote has more than %d characters", maxQuote)
	}
	var texts []string
	var kind ItemKind
	switch {
	case q.Control == ControlTrue: // it asks for words of the content
	case q.Item != nil:
		texts, kind = []string{q.Item.Text}, q.Item.Kind
	default:
		texts = []string{q.Criterion.Assertion, q.Criterion.Expected}
	}
	_, why := noProof(v.Quote, q.content(), kind, texts...)
	if why != "" {
		why = "a pass whose quote proves nothing: " + why
	}
	return why
}

// Ballot is the decision of a panel about one criterion or item.
type Ballot struct {
	// About is a criterion's id, or an item's name.
	About   string  `json:"about" is:"min=1"`
	Outcome Outcome `json:"outcome"`
	// Configured is how many judges the panel has. A majority is of these,
	// whether they vote or not.
	Configured int `json:"configured" is:"min=1"`
	// Cast is how many votes there are, Agreed how many say what most of them say.
	Cast   int    `json:"cast"`
	Agreed int    `json:"agreed"`
	Votes  []Vote `json:"votes"`
}

// BallotOn is the ballot of some on a criterion's id or an item's name, or nil.
func BallotOn(ballots []Ballot, about string) *Ballot {
	return find(ballots, func(b *Ballot) bool { return b.About == about })
}

// JudgeRef is a judge of a panel, with what its answers to one bundle showed.
type JudgeRef struct {
	AuthorRef
	// Excluded is why the judge has no vote on this bundle: a control question
	// that it answered wrongly.
	Excluded string `json:"excluded,omitempty"`
	Doubt    string `json:"doubt,omitempty"`    // what is odd about its votes, though they count
	Recorded bool   `json:"recorded,omitempty"` // its answers are read from a file
}

// PanelVotes is what the judges of a panel said about one bundle.
type PanelVotes struct {
	Judges   []JudgeRef // all that are configured
	Ballots  []Ballot
	Controls Cost   // of control questions, and of votes that were not needed
	Currency string // of prices; empty where none is known
}

// PanelVotes are those of a report.
func (s *Swarm) PanelVotes() PanelVotes {
	p := PanelVotes{Judges: s.Judges, Ballots: s.Ballots, Controls: s.Controls}
	if s.Cost != nil {
		p.Currency = s.Cost.Currency
	}
	return p
}

// Cost is what the votes of one report took.
type Cost struct {
	Calls    int    `json:"calls"`
	Tokens   int64  `json:"tokens"`
	Written  int64  `json:"written,omitempty"` // those of Tokens that models wrote, as far as it is known
	Micros   int64  `json:"micros,omitempty"`  // the price in millionths of Currency, as far as it is known
	Currency string `json:"currency,omitempty" is:"currency"`
}

// Add adds a vote.
func (c *Cost) Add(v *Vote) {
	c.Sum(&Cost{Calls: v.Calls, Tokens: v.Tokens, Written: v.Written, Micros: v.Micros})
}

// Sum adds up what several reports took, which are of one currency.
func (c *Cost) Sum(o *Cost) {
	c.Calls, c.Tokens, c.Written, c.Micros = c.Calls+o.Calls, c.Tokens+o.Tokens, c.Written+o.Written, c.Micros+o.Micros
	c.Currency = cmp.Or(c.Currency, o.Currency)
}

// Money is the price in words, such as "0.0123 USD"; empty where none is known.
func (c *Cost) Money() string {
	const unit = 1_000_000
	switch {
	case c.Currency == "":
		return ""
	case c.Micros < unit:
		return fmt.Sprintf("%.4f %s", float64(c.Micros)/unit, c.Currency)
	}
	return fmt.Sprintf("%.2f %s", float64(c.Micros)/unit, c.Currency)
}

// cost is what a panel took, or nil where nobody was asked.
func (p *PanelVotes) cost() *Cost {
	if len(p.Ballots) == 0 {
		return nil
	}
	c := p.Controls
	c.Currency = p.Currency
	for i := range p.Ballots {
		for j := range p.Ballots[i].Votes {
			c.Add(&p.Ballots[i].Votes[j])
		}
	}
	return &c
}

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
	for _, d := range []Outcome{Passed, Failed} {
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
	b := Ballot{About: q.About(), Configured: configured, Votes: votes}
	b.Outcome, _ = Tally(votes, configured)
	b.Cast = votesFor(votes, Passed) + votesFor(votes, Failed)
	_, b.Agreed = leading(votes)
	return b
}

// decision is what a panel decided about a criterion or an item: the outcome, the
// judges who say so, the first quote of theirs, and why it is no pass.
func (p *PanelVotes) decision(about string) (o Outcome, judges, quote, why string) {
	b := BallotOn(p.Ballots, about)
	if b == nil {
		return Undecided, "", "", "no judge was asked"
	}
	var names, found, silent []string
	for i := range b.Votes {
		switch v := &b.Votes[i]; v.Outcome {
		case Undecided:
			silent = append(silent, v.Judge+": "+v.Why)
		case b.Outcome:
			names, quote = append(names, v.Judge), cmp.Or(quote, v.Quote)
			found = append(found, v.Actual)
		}
	}
	switch {
	case b.Outcome == Failed:
		why = list(found, maxActual)
	case b.Outcome == Undecided && b.Cast == 0:
		why = "no judge had a vote: " + list(silent, maxActual)
	case b.Outcome == Undecided:
		why = fmt.Sprintf("no majority of %s: %d passed, %d failed", Count(b.Configured, "judge"), votesFor(b.Votes, Passed), votesFor(b.Votes, Failed))
		if len(silent) > 0 {
			why += "; no vote of " + list(silent, maxActual)
		}
	}
	return b.Outcome, strings.Join(names, ", "), quote, why
}

// WithPatience has a panel wait for judges that are out of reach until over is
// there, rather than for a time of its own.
func WithPatience(ctx context.Context, over <-chan time.Time) context.Context {
	return context.WithValue(ctx, patienceKey{}, over)
}

type patienceKey struct{}

// Patience is what WithPatience was given, or nil.
func Patience(ctx context.Context) <-chan time.Time {
	over, _ := ctx.Value(patienceKey{}).(<-chan time.Time)
	return over
}
