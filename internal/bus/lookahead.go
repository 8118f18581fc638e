package bus

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// lookahead handles bundles and fixes before their durable delivers them. The
// durable delivers in the order of the log, so that all authors would wait behind a
// flood of one. A few events of each author are handled ahead at a time. When the
// durable delivers such an event, its outcome is already stored.
type lookahead struct {
	loop // has no durable, so nothing is acknowledged
	// delivered is the last sequence of IN that the durable has delivered.
	delivered atomic.Uint64
	// authors have events here. Only the follower of IN uses it. It has removed the
	// authors whose events the durable had delivered when it was at cleanedAt.
	authors   map[string]*authorProgress
	cleanedAt uint64
}

// authorProgress counts the events of an author that were handled ahead, up to the
// newest, since the durable has delivered those before.
type authorProgress struct {
	events int
	newest uint64
}

const (
	// lookaheadDistance is how far in front of the durable an event has to stand.
	lookaheadDistance = 4096
	// lookaheadPerAuthor is how many events of an author are handled ahead, and
	// lookaheadAuthors of how many authors.
	lookaheadPerAuthor, lookaheadAuthors = 16, 1024
	lookaheadWorkers                     = 8
)

func newLookahead(e *Engine) *lookahead {
	h := &lookahead{authors: map[string]*authorProgress{}}
	h.loop = loop{name: "ahead", log: e.log, views: e.views, leases: newLeases()}
	h.signal = make(chan struct{}, 1)
	h.handle = func(ctx context.Context, m *message) error {
		if m.Data == nil {
			stored, err := streams.At(ctx, e.store.JS, layout.StreamIn, m.Seq)
			if err != nil || stored == nil {
				return err
			}
			m.Header, m.Data = stored.Header, stored.Data
		}
		return e.event(ctx, m)
	}
	return h
}

func (h *lookahead) run(ctx context.Context) {
	queue := make(chan *nats.Msg) // nothing is sent on it
	context.AfterFunc(ctx, func() { close(queue) })
	var wg sync.WaitGroup
	for range lookaheadWorkers {
		wg.Go(func() { h.work(ctx, ctx, queue) })
	}
	wg.Wait()
}

// noteDelivery notes that the durable has delivered an event.
func (h *lookahead) noteDelivery(seq uint64) {
	for old := h.delivered.Load(); old < seq && !h.delivered.CompareAndSwap(old, seq); old = h.delivered.Load() {
	}
}

// followed takes in an event of IN that was followed, and has it handled if the
// durable is far from it and few events of its author are handled ahead.
func (h *lookahead) followed(m *message, a shadow.Address) {
	delivered := h.delivered.Load()
	if m.Seq < delivered+lookaheadDistance || a.Name != shadow.BundleComplete && a.Name != shadow.FixSubmitted {
		return
	}
	if delivered >= h.cleanedAt+lookaheadDistance {
		maps.DeleteFunc(h.authors, func(_ string, l *authorProgress) bool { return l.newest <= delivered })
		h.cleanedAt = delivered
	}
	l := h.authors[a.Author]
	if l == nil {
		if len(h.authors) == lookaheadAuthors {
			return
		}
		l = &authorProgress{}
		h.authors[a.Author] = l
	}
	if l.newest <= delivered {
		l.events = 0
	}
	if l.events < lookaheadPerAuthor {
		l.events, l.newest = l.events+1, m.Seq
		h.views.serve(&message{Message: streams.Message{Subject: m.Subject, Seq: m.Seq, Time: m.Time}, loop: &h.loop})
	}
}
