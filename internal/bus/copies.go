package bus

import (
	"sync"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// awaitJudgement decides about a copy of an event that is being judged: it
// waits for the report, if not too many do. The one that takes the slot is
// never refused, since a refused event takes none.
func (e *Engine) awaitJudgement(sl *slot, in, holder *input) error {
	if _, ok := e.waiting.enter(in); !ok && in.seq != holder.seq {
		return refuse(shadow.TooManyWaiting, "%d events of commander %q in run %q wait already", e.waiting.most, in.addr.Commander, in.submission.RunID)
	}
	e.waiting.behind(in, sl.key())
	return errWait
}

// underWay knows which judgements this process makes.
type underWay struct {
	mu    sync.Mutex
	slots map[string]bool
}

// begin takes a slot, or reports that its judgement is under way.
func (u *underWay) begin(slot string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.slots[slot] {
		return false
	}
	if u.slots == nil {
		u.slots = map[string]bool{}
	}
	u.slots[slot] = true
	return true
}

func (u *underWay) has(slot string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.slots[slot]
}

func (u *underWay) end(slot string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.slots, slot)
}
