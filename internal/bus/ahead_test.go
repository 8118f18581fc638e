package bus

import (
	"context"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// stuck stores no rejection of the first events of IN until it is released.
type stuck struct {
	Publisher
	released chan struct{}
}

func (p *stuck) PublishMsg(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if a, err := (layout.Subjects{}).Parse(m.Subject); err == nil && a.Name == shadow.EventRejected && a.Sequence < lookaheadDistance {
		select {
		case <-p.released:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return p.Publisher.PublishMsg(ctx, m, opts...)
}

// TestNobodyWaitsBehindAFlood: the durable is stuck at the front of a flood,
// and a run behind it is sealed, judged and scored. The flood gets its outcomes
// all the same.
func TestNobodyWaitsBehindAFlood(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := &stuck{r.js, make(chan struct{})}
	r.start(func(c *Config) { c.Publisher = p })
	// Each worker takes one before it is stuck.
	r.flood(lookaheadDistance+newJudgeLoop(r.store, nil, true).workers+100, func(int) *nats.Msg {
		return &nats.Msg{Subject: layout.Subjects{}.Bundle("flood", "cmd-bad"), Data: []byte("{}")}
	})
	r.goesOn("run-1")
	r.bundle("run-1", "two", content(0))
	r.report("run-1", "two", 0)
	data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
	r.absent(layout.Subjects{}.Rejected("cmd-bad", 1))
	close(p.released)
	r.settle()
	r.await(r.store.Out, layout.Subjects{}.Rejected("cmd-bad", 1))
	checkLog(t, r.store, r.cfg.Key)
}

// follows notes how far IN was followed when the first output was stored.
type follows struct {
	Publisher
	engine *Engine
	first  sync.Once
	in     chan uint64
}

func (p *follows) PublishMsg(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	p.first.Do(func() { p.engine.views.locked(func() { p.in <- p.engine.views.in }) })
	return p.Publisher.PublishMsg(ctx, m, opts...)
}

// TestStartBehindAFlood: an engine that starts behind a flood follows IN to its end
// first. Work on the flood would only delay the runs behind it.
func TestStartBehindAFlood(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const n = 3 * lookaheadDistance
	r.flood(n, func(int) *nats.Msg {
		return &nats.Msg{Subject: layout.Subjects{}.Bundle("flood", "cmd-bad"), Data: []byte("{}")}
	})
	r.decompose(twoDomains("run-1"))
	p := &follows{Publisher: r.js, in: make(chan uint64, 1)}
	cfg := r.cfg
	cfg.Publisher = p
	p.engine = NewEngine(r.store, cfg)
	p.engine.lookahead.handle = func(context.Context, *message) error { return nil } // it works on what is followed
	r.serve(p.engine)
	if in := <-p.in; in <= n {
		t.Errorf("IN was followed up to %d of %d", in, n+1)
	}
	r.await(r.store.In, layout.Subjects{}.Commitment("run-1"))
}
