package panel

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// votes gets one judge's votes on questions, from the cache or from the judge:
// in one request where there are several and it can take them, else one by one
// at the same time. The error is that of ctx; whatever else goes wrong makes it
// no vote.
func (p *Panel) votes(ctx context.Context, s *member, qs []*shadow.Question) ([]shadow.Vote, error) {
	out := make([]shadow.Vote, len(qs))
	var left []*shadow.Question
	var into []*shadow.Vote // where their votes belong
	for i, q := range qs {
		v, ok := p.known(ctx, s, q, Key(q, s.ref))
		if out[i] = v; !ok {
			left, into = append(left, q), append(into, &out[i])
		}
	}
	if batch, ok := s.judge.(shadow.BatchJudge); ok && len(left) > 1 {
		return out, p.request(ctx, s, left, into, batch.Votes)
	}
	asking, ctx := errgroup.WithContext(ctx)
	for i := range left {
		asking.Go(func() error { return p.request(ctx, s, left[i:i+1], into[i:i+1], s.single) })
	}
	return out, asking.Wait()
}

// voter is a judge's method that answers questions.
type voter func(context.Context, []*shadow.Question) ([]shadow.Vote, error)

// single is the voter of one question.
func (s *member) single(ctx context.Context, qs []*shadow.Question) ([]shadow.Vote, error) {
	v, err := s.judge.Vote(ctx, qs[0])
	return []shadow.Vote{v}, err
}

// request puts questions to a judge in one request, and its votes into their
// places.
func (p *Panel) request(ctx context.Context, s *member, qs []*shadow.Question, into []*shadow.Vote, vote voter) error {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	run := qs[0].RunID
	spender := spender{run, s.ref.Name}
	if err := p.ledger.reserve(spender); err != nil {
		for _, v := range into {
			*v = shadow.NoVote(s.ref.Name, "budget: %v", err)
		}
		return nil
	}
	start := time.Now()
	votes, err := p.put(ctx, s, qs, vote)
	took := time.Since(start)
	calls, tokens := bound(votes, err)
	p.ledger.settle(spender, calls, tokens, took)
	undecided := false
	for i, v := range votes {
		v.Judge, v.Millis, v.Cached = s.ref.Name, took.Milliseconds()/int64(len(qs)), false
		if err != nil {
			v.Outcome = shadow.Undecided
			if v.Why == "" {
				v.Why, v.Own = reason(err), true
			}
		}
		v = qs[i].Admit(v)
		*into[i] = v
		if v.Outcome == shadow.Undecided {
			undecided = true
		} else if p.cache != nil {
			// The vote is paid for: keep it even if nobody waits for it any more.
			p.cache.Keep(context.WithoutCancel(ctx), run, Key(qs[i], s.ref), v)
		}
	}
	if undecided {
		return ctx.Err() // there may be none because it was interrupted
	}
	return nil
}

// known looks a vote up. It is admitted again: the cache proves nothing.
func (p *Panel) known(ctx context.Context, s *member, q *shadow.Question, key string) (shadow.Vote, bool) {
	if p.cache == nil {
		return shadow.Vote{}, false
	}
	v, ok := p.cache.Vote(ctx, q.RunID, key)
	if !ok {
		return v, false
	}
	v.Judge, v.Millis, v.Calls, v.Tokens, v.Cached = s.ref.Name, 0, 0, 0, true
	v = q.Admit(v)
	return v, v.Outcome != shadow.Undecided
}

// put puts the questions. It returns a vote for each, whatever the judge
// does. A panic is the judge's fault and costs its votes only.
func (p *Panel) put(ctx context.Context, s *member, qs []*shadow.Question, vote voter) (votes []shadow.Vote, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	none := make([]shadow.Vote, len(qs))
	defer func() {
		if r := recover(); r != nil {
			// What it panics with may quote the question.
			p.log.Error("a judge panicked", "judge", s.ref.Name, "run", qs[0].RunID, "kind", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			votes, err = none, errPanic
		}
	}()
	votes, err = vote(ctx, qs)
	if len(votes) != len(qs) {
		if votes = none; err == nil {
			err = errCount
		}
	}
	if err != nil && ctx.Err() != nil && !errors.Is(err, shadow.ErrBudget) {
		for i := range votes {
			votes[i].Why = ""
		}
		err = ctx.Err()
	}
	return votes, err
}

var (
	errPanic = errors.New("panic")
	errCount = errors.New("another number of votes than questions")
)

// reason says why there is no vote in words of our own: an error may quote
// what was sent, a key among it. A judge that can say more says it in Why.
func reason(err error) string {
	switch {
	case errors.Is(err, shadow.ErrBudget):
		return "budget: " + shadow.ErrBudget.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, shadow.ErrUnavailable):
		return "it cannot be reached"
	case errors.Is(err, errPanic):
		return "it panicked"
	}
	return "it failed"
}

// The most that one vote may claim to have cost.
const (
	maxCalls  = 1_000
	maxTokens = 100_000_000
)

// bound makes the costs of a request's votes ones that can be summed up,
// whoever states them, and returns the sums. Who is asked has had a call at
// least, unless the budget kept it from making one.
func bound(votes []shadow.Vote, err error) (calls int, tokens int64) {
	for i := range votes {
		v := &votes[i]
		v.Calls, v.Tokens = min(max(v.Calls, 0), maxCalls), min(max(v.Tokens, 0), maxTokens)
		calls += v.Calls
		tokens += v.Tokens
	}
	if calls == 0 && !errors.Is(err, shadow.ErrBudget) {
		votes[0].Calls, calls = 1, 1
	}
	return calls, tokens
}
