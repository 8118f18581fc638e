package panel

import (
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

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
