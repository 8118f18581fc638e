package bus

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// leases keep the messages of a loop, from their delivery until they are
// settled, from being delivered again: judges and authors may take minutes,
// and a copy in the hands of another worker would be paid for twice. A daemon
// that dies stops saying so, and its messages come again.
type leases struct {
	mu   sync.Mutex
	msgs map[*nats.Msg]struct{}
}

func newLeases() *leases { return &leases{msgs: map[*nats.Msg]struct{}{}} }

// extendAll extends the leases at an interval, until ctx ends.
func (h *leases) extendAll(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			h.extend()
		}
	}
}

// extend tells the server that the messages are in progress. Where that is lost,
// they are delivered again.
func (h *leases) extend() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for m := range h.msgs {
		_ = m.InProgress()
	}
}

func (h *leases) add(m *nats.Msg) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.msgs[m] = struct{}{}
}

// drop forgets a message that is settled.
func (h *leases) drop(m *nats.Msg) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.msgs, m)
}
