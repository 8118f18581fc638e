package shadow

import (
	"context"
	"errors"

	"github.com/swarmspeed/shadowd/internal/shadow/passage"
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
	// Content is the bundle's content, read once for all questions about it; nil:
	// it is read for each vote.
	Content *passage.Text
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

// ErrBudget: what a run may spend on a judge is spent.
var ErrBudget = errors.New("its budget for the run is spent")
