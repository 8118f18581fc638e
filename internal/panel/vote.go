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

// vote gets a judge's vote on a question. The error is that of ctx; whatever
// else goes wrong makes it no vote.
func (p *Panel) vote(ctx context.Context, m *member, q *shadow.Question) (shadow.Vote, error) {
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
	case <-ctx.Done():
		return shadow.Vote{}, ctx.Err()
	}
	if down, why := m.reach.state(); down { // since the question began to wait
		v := shadow.NoVote(m.ref.Name, "it is out of reach: %s", why)
		v.Unreachable = true
		return v, nil
	}
	spender := spender{q.RunID, q.Bundle.Domain, q.Cycle, m.ref.Name}
	if err := p.ledger.reserve(spender); err != nil {
		return shadow.NoVote(m.ref.Name, "budget: %v", err), nil
	}
	start := time.Now()
	v, err := p.put(ctx, m, q)
	took := time.Since(start)
	bound(&v, m.recorded || errors.Is(err, shadow.ErrBudget))
	v.Judge, v.Millis, v.Cached = m.ref.Name, took.Milliseconds(), false
	if err != nil {
		v.Outcome, v.Said = shadow.Undecided, ""
		if v.Why == "" {
			v.Why, v.Own = p.reason(err), true
		}
	}
	v.Unreachable = v.Unreachable && v.Outcome != shadow.Passed && v.Outcome != shadow.Failed
	if v.Unreachable {
		// An outage spends nobody's budget, but for what the model worked.
		p.ledger.charge(spender, 0, v.Tokens, 0)
	} else {
		p.ledger.charge(spender, v.Calls, v.Tokens, took)
	}
	v = q.Admit(v)
	if v.Outcome == shadow.Undecided && (q.Control == "" || v.Said == "") {
		return v, ctx.Err() // there may be none because it was interrupted
	}
	if p.cache != nil {
		// The vote is paid for: keep it even if nobody waits for it any more.
		kept := v
		if q.Control != "" { // of which the verdict counts without evidence too
			kept = shadow.Vote{Outcome: v.Said}
		}
		p.cache.Keep(context.WithoutCancel(ctx), q.RunID, Key(q, m.ref), kept)
	}
	return v, nil
}

// Key names a vote in the cache: the same question, put by the same judge with
// the same words about the same bytes.
func Key(q *shadow.Question, by shadow.AuthorRef) string {
	// JSON keeps the parts apart. It cannot fail on strings.
	raw, _ := json.Marshal([]string{q.RunID, by.Name, by.Model.Model, by.Prompt, q.BundleDigest, q.About(), q.Text(), string(q.Control)})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// known looks a vote up. It is admitted again: the cache proves nothing.
func (p *Panel) known(ctx context.Context, m *member, q *shadow.Question) (shadow.Vote, bool) {
	if p.cache == nil {
		return shadow.Vote{}, false
	}
	v, ok := p.cache.Vote(ctx, q.RunID, Key(q, m.ref))
	if !ok {
		return v, false
	}
	v.Judge, v.Millis, v.Calls, v.Tokens, v.Written, v.Micros, v.Cached, v.Unreachable = m.ref.Name, 0, 0, 0, 0, 0, true, false
	v = q.Admit(v)
	return v, v.Outcome != shadow.Undecided || q.Control != "" && v.Said != ""
}

// put puts the question. A panic is the judge's fault and costs its vote only.
func (p *Panel) put(ctx context.Context, m *member, q *shadow.Question) (v shadow.Vote, err error) {
	within, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			// What it panics with may quote the question.
			p.log.Error("a judge panicked", "judge", m.ref.Name, "run", q.RunID, "kind", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			v, err = shadow.Vote{}, errPanic
		}
	}()
	v, err = m.judge.Vote(within, q)
	if err != nil && within.Err() != nil && !errors.Is(err, shadow.ErrBudget) {
		v.Why, v.Unreachable, err = "", true, within.Err()
	}
	return v, err
}

var errPanic = errors.New("it panicked")

// reason says why there is no vote in words of our own: an error may quote
// what was sent, a key among it. A judge that can say more says it in Why.
func (p *Panel) reason(err error) string {
	switch {
	case errors.Is(err, shadow.ErrBudget):
		return "budget: " + shadow.ErrBudget.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("no answer within %s (judging.timeout)", p.timeout)
	case errors.Is(err, errPanic):
		return errPanic.Error()
	}
	return "it failed"
}

// The most that one vote may claim to have cost.
const (
	maxCalls  = 1_000
	maxTokens = 100_000_000
	maxMicros = 1_000_000_000_000
)

// bound makes the cost of a vote one that can be summed up, whoever states it.
// Who is asked has had a call at least, unless it is free: it answers from a
// file, or a budget of its own kept it from making one.
func bound(v *shadow.Vote, free bool) {
	v.Calls, v.Tokens = min(max(v.Calls, 0), maxCalls), min(max(v.Tokens, 0), maxTokens)
	v.Written, v.Micros = min(max(v.Written, 0), v.Tokens), min(max(v.Micros, 0), maxMicros)
	if v.Calls == 0 && !free {
		v.Calls = 1
	}
}
