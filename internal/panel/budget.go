package panel

import (
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Budget is what one run may spend on judges in one daemon; 0 is no bound. A
// vote that has begun is not cut off: what is in hand when the budget runs out
// may go beyond it in tokens and time. A daemon that is started again begins
// again, with the votes that the cache has kept for nothing.
type Budget struct {
	Calls  int
	Tokens int64
	// Time is what the votes took, added up.
	Time time.Duration
}

// runsKept is of how many runs a ledger knows what was spent. A run that was
// idle for that many others begins again.
const runsKept = 4096

// ledger knows what runs have spent.
type ledger struct {
	most  Budget
	mu    sync.Mutex
	spent *lru.Cache[string, *Budget]
}

func newLedger(most Budget) *ledger {
	spent, err := lru.New[string, *Budget](runsKept)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &ledger{most: most, spent: spent}
}

// of is what a run has spent. The caller holds the lock.
func (l *ledger) of(run string) *Budget {
	s, ok := l.spent.Get(run)
	if !ok {
		s = &Budget{}
		l.spent.Add(run, s)
	}
	return s
}

// reserve takes a call out of a run's budget before it is made, so that those
// in hand at once don't go beyond it together. Its error wraps
// [shadow.ErrBudget] and says what is spent.
func (l *ledger) reserve(run string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.of(run)
	switch {
	case l.most.Calls > 0 && s.Calls >= l.most.Calls:
		return fmt.Errorf("%w: %d calls", shadow.ErrBudget, l.most.Calls)
	case l.most.Tokens > 0 && s.Tokens >= l.most.Tokens:
		return fmt.Errorf("%w: %d tokens", shadow.ErrBudget, l.most.Tokens)
	case l.most.Time > 0 && s.Time >= l.most.Time:
		return fmt.Errorf("%w: %s", shadow.ErrBudget, l.most.Time)
	}
	s.Calls++
	return nil
}

// settle puts what a vote really took in the place of the reserved call.
func (l *ledger) settle(run string, calls int, tokens int64, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.of(run)
	s.Calls += calls - 1
	s.Tokens += tokens
	s.Time += took
}
