package panel

import (
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Budget is what one run may spend on each judge in one daemon; 0 is no bound. If
// the judges shared one, a judge that is slow, or claims high costs, could use it
// up alone. A vote that has begun is not cut off: what is in hand when the budget
// runs out may go beyond it in tokens and time. A daemon that is started again
// begins again; votes that the cache has kept cost nothing.
type Budget struct {
	Calls  int
	Tokens int64
	// Time is what the votes took, added up.
	Time time.Duration
}

// purse is a run and one of its judges.
type purse struct{ run, judge string }

// pursesKept is of how many a ledger knows what was spent. One that was idle for
// that many others begins again.
const pursesKept = 16384

// ledger knows what runs have spent on each judge.
type ledger struct {
	most  Budget
	mu    sync.Mutex
	spent *lru.Cache[purse, *Budget]
}

func newLedger(most Budget) *ledger {
	spent, err := lru.New[purse, *Budget](pursesKept)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &ledger{most: most, spent: spent}
}

// of is what was spent out of a purse. The caller holds the lock.
func (l *ledger) of(p purse) *Budget {
	s, ok := l.spent.Get(p)
	if !ok {
		s = &Budget{}
		l.spent.Add(p, s)
	}
	return s
}

// reserve takes a call out of a purse before it is made, so that those
// in hand at once don't go beyond it together. Its error wraps
// [shadow.ErrBudget] and says what is spent.
func (l *ledger) reserve(p purse) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.of(p)
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
func (l *ledger) settle(p purse, calls int, tokens int64, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.of(p)
	s.Calls += calls - 1
	s.Tokens += tokens
	s.Time += took
}
