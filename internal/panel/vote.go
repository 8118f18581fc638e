package panel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

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

// Budget is what one cycle of a domain may spend on each judge in one daemon; 0
// is no bound. If the judges shared one, a judge that is slow, or claims high
// costs, could use it up alone; if domains did, a commander could use up its
// colleagues'. A vote that has begun is not cut off: votes that have begun
// when the budget runs out may go beyond it in tokens and time. A daemon that
// is started again begins again; votes that the cache has kept cost nothing.
type Budget struct {
	Calls  int
	Tokens int64
	// Time is what the votes took, added up.
	Time time.Duration
}

// spender is a cycle of a domain, and one of its judges.
type spender struct {
	run, domain string
	cycle       int
	judge       string
}

// maxSpenders bounds the entries of a ledger. The entry that was not used for
// the longest time is removed, and starts at zero when it is used again.
const maxSpenders = 16384

// ledger knows what has been spent on each judge.
type ledger struct {
	limit Budget
	mu    sync.Mutex
	spent *lru.Cache[spender, *Budget]
}

func newLedger(limit Budget) *ledger {
	spent, err := lru.New[spender, *Budget](maxSpenders)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &ledger{limit: limit, spent: spent}
}

// of is what a spender has spent. The caller holds the lock.
func (l *ledger) of(p spender) *Budget {
	s, ok := l.spent.Get(p)
	if !ok {
		s = &Budget{}
		l.spent.Add(p, s)
	}
	return s
}

// reserve counts a call before it is made, so that calls at the same time do
// not exceed the budget together. Its error wraps [shadow.ErrBudget] and says
// what is spent.
func (l *ledger) reserve(p spender) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.of(p)
	switch {
	case l.limit.Calls > 0 && s.Calls >= l.limit.Calls:
		return fmt.Errorf("%w: %d calls", shadow.ErrBudget, l.limit.Calls)
	case l.limit.Tokens > 0 && s.Tokens >= l.limit.Tokens:
		return fmt.Errorf("%w: %d tokens", shadow.ErrBudget, l.limit.Tokens)
	case l.limit.Time > 0 && s.Time >= l.limit.Time:
		return fmt.Errorf("%w: %s", shadow.ErrBudget, l.limit.Time)
	}
	s.Calls++
	return nil
}

// charge puts what a vote really took in the place of the reserved call.
func (l *ledger) charge(p spender, calls int, tokens int64, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.of(p)
	s.Calls += calls - 1
	s.Tokens += tokens
	s.Time += took
}
