package llm

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/passage"
	"github.com/swarmspeed/shadowd/internal/shadow/tamper"
)

// Judge has a model vote. It is safe for concurrent use.
type Judge struct {
	name   string
	client *Client
	digest string
}

var _ shadow.BatchJudge = (*Judge)(nil)

// NewJudge returns the judge called name, which asks the model of c.
func NewJudge(name string, c *Client) *Judge {
	return &Judge{name: name, client: c, digest: judgeDigest()}
}

// Ref names the judge, its model, and the prompt.
func (j *Judge) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: j.name, Model: j.client.Model(), Prompt: j.digest}
}

// Vote asks the model one question. Whatever goes wrong is a vote of none with
// its reason and cost; only a ctx that is done is an error as well.
func (j *Judge) Vote(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
	votes, err := j.Votes(ctx, []*shadow.Question{q})
	return votes[0], err
}

// Votes asks the model several questions about one bundle in one request.
// What goes wrong with the request takes all votes, and what goes wrong with
// one answer takes one.
func (j *Judge) Votes(ctx context.Context, qs []*shadow.Question) ([]shadow.Vote, error) {
	began := time.Now()
	b := qs[0].Bundle
	if n := len(strings.Join(b.Texts(), "")); n > maxPrompt {
		return j.none(qs, tooLong(n)), ctx.Err()
	}
	w, p := ask(qs)
	text, cost, err := j.client.complete(ctx, p)
	votes := make([]shadow.Vote, len(qs))
	if err != nil {
		votes = j.none(qs, err)
	} else {
		for i, a := range answersIn(text, len(qs)) {
			votes[i] = qs[i].Admit(j.vote(b, w, a))
		}
	}
	share(votes, cost, time.Since(began))
	for i := range votes {
		votes[i].Judge = j.name
	}
	return votes, ctx.Err()
}

// none is no vote on any question, for one reason.
func (j *Judge) none(qs []*shadow.Question, why error) []shadow.Vote {
	votes := make([]shadow.Vote, len(qs))
	for i := range votes {
		votes[i] = shadow.NoVote(j.name, "%v", why)
	}
	return votes
}

// share puts what a request took on its votes: the calls on the first one, the
// rest in equal parts.
func share(votes []shadow.Vote, cost shadow.Cost, took time.Duration) {
	n := int64(len(votes))
	for i := range votes {
		votes[i].Tokens, votes[i].Millis = cost.Tokens/n, took.Milliseconds()/n
	}
	votes[0].Calls = cost.Calls
	votes[0].Tokens += cost.Tokens % n
}

// vote makes a vote of an answer. Where the model may have followed words that
// are meant for it, there is none: a pass whose quote stands beside such words,
// and a bundle with such words that makes a criterion not applicable.
func (j *Judge) vote(b *shadow.Bundle, w *wrapping, a answer) shadow.Vote {
	if a.err != nil {
		return shadow.NoVote(j.name, "%v", a.err)
	}
	passage, clean := j.passage(b, w.unmarked(a.evidence))
	switch a.verdict.verdict {
	case "failed":
		return shadow.Vote{Judge: j.name, Outcome: shadow.Failed, Quote: passage, Actual: a.defect}
	case "not_applicable":
		if len(tamper.Find(strings.Join(b.Texts(), "\n\n"))) > 0 {
			return shadow.NoVote(j.name, "not applicable, for work with words that are meant for the judge")
		}
		return shadow.Vote{Judge: j.name, Outcome: shadow.NotApplicable, Why: a.reasoning}
	}
	switch {
	case a.evidence != "" && passage == "":
		return shadow.NoVote(j.name, "a pass whose quote does not stand in the bundle")
	case passage != "" && !clean:
		return shadow.NoVote(j.name, "a pass whose quote stands beside words that are meant for the judge")
	}
	return shadow.Vote{Judge: j.name, Outcome: shadow.Passed, Quote: passage}
}

// passage finds what a model quotes as the bundle has it. It is clean if the
// block of lines that it stands in does not speak to a judge. Of several places
// the first clean one counts.
func (j *Judge) passage(b *shadow.Bundle, quote string) (passages string, clean bool) {
	for _, text := range b.Texts() {
		p, ok := passage.New(text).Find(quote)
		if !ok {
			continue
		}
		found := text[p.From:p.To]
		if !p.Masked && len(tamper.Find(block(text, p))) == 0 {
			return found, true
		}
		passages = cmp.Or(passages, found)
	}
	return passages, false
}

// block is what stands around a place, between blank lines.
func block(text string, p passage.Place) string {
	from, to := strings.LastIndex(text[:p.From], "\n\n"), strings.Index(text[p.To:], "\n\n")
	if to < 0 {
		to = len(text) - p.To
	}
	return text[max(from, 0) : p.To+to]
}
