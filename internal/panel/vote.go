package panel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// vote gets one judge's vote on a question, from the cache or from the judge.
// The error is that of ctx; whatever else goes wrong makes it no vote.
func (p *Panel) vote(ctx context.Context, s *seat, q *shadow.Question) (shadow.Vote, error) {
	// As it is configured: what a service states of itself is not known before
	// it answers, and after a restart its votes have to be found.
	key := Key(q, s.ref)
	if v, ok := p.known(ctx, s, q, key); ok {
		return v, nil
	}
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return shadow.Vote{}, ctx.Err()
	}
	if err := p.ledger.reserve(q.RunID); err != nil {
		return shadow.NoVote(s.ref.Name, "budget: %v", err), nil
	}
	start := time.Now()
	v, err := p.put(ctx, s, q)
	took := time.Since(start)
	v.Judge, v.Millis, v.Cached = s.ref.Name, took.Milliseconds(), false
	bound(&v, err)
	p.ledger.settle(q.RunID, v.Calls, v.Tokens, took)
	if err != nil {
		v.Outcome = shadow.Undecided
		if v.Why == "" {
			v.Why = reason(err)
		}
	}
	v = q.Admit(v)
	if v.Outcome == shadow.Undecided {
		// It may have none because it was interrupted.
		return v, ctx.Err()
	}
	if p.cache != nil {
		// The vote is paid for: keep it even if nobody waits for it any more.
		p.cache.Keep(context.WithoutCancel(ctx), q.RunID, key, v)
	}
	return v, nil
}

// known looks a vote up. It is admitted again: the cache proves nothing.
func (p *Panel) known(ctx context.Context, s *seat, q *shadow.Question, key string) (shadow.Vote, bool) {
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

// Key names a vote in the cache: the same question, put by the same judge with
// the same words about the same bytes.
func Key(q *shadow.Question, by shadow.AuthorRef) string {
	// JSON keeps the parts apart. It cannot fail on strings.
	raw, _ := json.Marshal([]string{q.RunID, by.Name, by.Model.Model, by.Prompt, q.Criterion.Assertion, q.Criterion.Expected, q.BundleDigest})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// put puts the question. A panic is the judge's fault and costs its vote only.
func (p *Panel) put(ctx context.Context, s *seat, q *shadow.Question) (v shadow.Vote, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			// What it panics with may quote the question.
			p.log.Error("a judge panicked", "judge", s.ref.Name, "run", q.RunID, "kind", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			v, err = shadow.Vote{}, errPanic
		}
	}()
	v, err = s.judge.Vote(ctx, q)
	if err != nil && ctx.Err() != nil && !errors.Is(err, shadow.ErrBudget) {
		v.Why, err = "", ctx.Err()
	}
	return v, err
}

var errPanic = errors.New("panic")

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

// bound makes a vote's cost one that can be summed up, whoever states it. Who
// is asked has had a call at least, unless the budget kept it from making one.
func bound(v *shadow.Vote, err error) {
	least := 1
	if errors.Is(err, shadow.ErrBudget) {
		least = 0
	}
	v.Calls = min(max(v.Calls, least), maxCalls)
	v.Tokens = min(max(v.Tokens, 0), maxTokens)
}
