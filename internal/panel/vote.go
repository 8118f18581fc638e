package panel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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
	if why := m.reach.away(); why != "" { // since the question began to wait
		v := shadow.NoVote(m.ref.Name, "it is out of reach: %s", why)
		v.Unreachable = true
		return v, nil
	}
	spender := spender{q.RunID, q.Bundle.Domain, q.Cycle, m.ref.Name}
	if spent := p.ledger.reserve(spender); spent != "" {
		return shadow.NoVote(m.ref.Name, "budget: its budget for the domain is spent: %s", spent), nil
	}
	start := time.Now()
	v := p.put(ctx, m, q)
	took := time.Since(start)
	v.Judge, v.Millis, v.Cached = m.ref.Name, took.Milliseconds(), false
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

// put puts the question. Why there is no vote is said in words of our own: an error
// may quote what was sent. A panic is the judge's fault and costs its vote only.
func (p *Panel) put(ctx context.Context, m *member, q *shadow.Question) (v shadow.Vote) {
	within, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			// What it panics with may quote the question.
			p.log.Error("a judge panicked", "judge", m.ref.Name, "run", q.RunID, "kind", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			v = shadow.NoVote(m.ref.Name, "it panicked")
		}
	}()
	v, err := m.judge.Vote(within, q)
	if err != nil {
		v.Outcome, v.Said, v.Own, v.Why = shadow.Undecided, "", true, "it failed"
	}
	if err != nil && within.Err() != nil {
		v.Unreachable, v.Why = true, fmt.Sprintf("no answer within %s (judging.timeout)", p.timeout)
	}
	return v
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
// not exceed the budget together. It says what is spent, if anything is.
func (l *ledger) reserve(p spender) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.of(p)
	switch {
	case l.limit.Calls > 0 && s.Calls >= l.limit.Calls:
		return fmt.Sprintf("%d calls", l.limit.Calls)
	case l.limit.Tokens > 0 && s.Tokens >= l.limit.Tokens:
		return fmt.Sprintf("%d tokens", l.limit.Tokens)
	case l.limit.Time > 0 && s.Time >= l.limit.Time:
		return l.limit.Time.String()
	}
	s.Calls++
	return ""
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
