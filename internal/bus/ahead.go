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

// ahead handles bundles and fixes before their durable comes to them. That one
// delivers in the order of the log, so everybody would wait behind a flood of
// one author. Each author has a few events handled ahead at a time. When the
// durable comes to such an event it finds the outcome stored.
type ahead struct {
	loop // has no durable, so nothing is acknowledged
	// newest is the last sequence of IN that the durable has delivered.
	newest atomic.Uint64
	// authors have events here. It belongs to the follower of IN, which swept it
	// of those that the durable has come to when that one was at swept.
	authors map[string]*lead
	swept   uint64
}

// lead is what an author has had handled since the durable came to its events.
type lead struct {
	events int
	newest uint64
}

const (
	// aheadOf is how far in front of the durable an event has to stand.
	aheadOf = 4096
	// aheadPerAuthor is how many events of an author are handled ahead, and
	// aheadAuthors of how many authors.
	aheadPerAuthor, aheadAuthors = 16, 1024
	aheadWorkers                 = 8
)

func newAhead(e *Engine) *ahead {
	h := &ahead{authors: map[string]*lead{}}
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

func (h *ahead) run(ctx context.Context) {
	queue := make(chan *nats.Msg) // nothing comes by it
	context.AfterFunc(ctx, func() { close(queue) })
	var wg sync.WaitGroup
	for range aheadWorkers {
		wg.Go(func() { h.work(ctx, ctx, queue) })
	}
	wg.Wait()
}

// delivered notes that the durable has come to an event.
func (h *ahead) delivered(seq uint64) {
	for old := h.newest.Load(); old < seq && !h.newest.CompareAndSwap(old, seq); old = h.newest.Load() {
	}
}

// followed takes in an event of IN that was followed, and has it handled if the
// durable is far from it and its author has not too many.
func (h *ahead) followed(m *message, a shadow.Address) {
	came := h.newest.Load()
	if m.Seq < came+aheadOf || a.Name != shadow.BundleComplete && a.Name != shadow.FixSubmitted {
		return
	}
	if came >= h.swept+aheadOf {
		maps.DeleteFunc(h.authors, func(_ string, l *lead) bool { return l.newest <= came })
		h.swept = came
	}
	l := h.authors[a.Author]
	if l == nil {
		if len(h.authors) == aheadAuthors {
			return
		}
		l = &lead{}
		h.authors[a.Author] = l
	}
	if l.newest <= came {
		l.events = 0
	}
	if l.events < aheadPerAuthor {
		l.events, l.newest = l.events+1, m.Seq
		h.views.serve(&message{Message: streams.Message{Subject: m.Subject, Seq: m.Seq, Time: m.Time}, loop: &h.loop})
	}
}
