package bus

import (
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// leases keep the messages of a loop, from their delivery until they are
// settled, from being delivered again: judges and authors may take minutes,
// and a copy in the hands of another worker would be paid for twice. A daemon
// that dies stops saying so, and its messages come again.
type leases struct {
	mu   sync.Mutex
	msgs map[*nats.Msg]struct{}
	stop chan struct{}
	done chan struct{}
}

// newLeases tells the server of the messages three times in the wait for an
// acknowledgement that the consumer has.
func newLeases(c jetstream.Consumer) *leases {
	h := &leases{msgs: map[*nats.Msg]struct{}{}, stop: make(chan struct{}), done: make(chan struct{})}
	tick := time.NewTicker(c.CachedInfo().Config.AckWait / 3)
	go func() {
		defer close(h.done)
		defer tick.Stop()
		for {
			select {
			case <-h.stop:
				return
			case <-tick.C:
				h.say()
			}
		}
	}()
	return h
}

// say says that the messages are in progress. Whether that arrives shows: if
// not, they come again.
func (h *leases) say() {
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

// end stops telling, and waits for it.
func (h *leases) end() {
	close(h.stop)
	<-h.done
}
