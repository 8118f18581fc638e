package bus

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// lateAcks acknowledges what is stored only when it is released, as a server does
// whose disk is slow.
type lateAcks struct {
	Publisher
	released chan struct{}
	waiting  atomic.Int64
}

func (p *lateAcks) PublishMsg(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	ack, err := p.Publisher.PublishMsg(ctx, m, opts...)
	p.waiting.Add(1)
	defer p.waiting.Add(-1)
	select {
	case <-p.released:
		return ack, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestSlowDisk: acknowledgements come so late that others see what is stored first,
// or the engine ends before they come. Nothing is stored twice, and nothing is lost.
func TestSlowDisk(t *testing.T) {
	for name, ends := range map[string]bool{"they come": false, "the engine ends first": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const runs = 5
			r := newRig(t)
			p := &lateAcks{Publisher: r.js, released: make(chan struct{})}
			stop := r.start(func(c *Config) { c.Publisher = p })
			for i := range runs {
				r.decompose(twoDomains(fmt.Sprint("run-", i)))
			}
			for i := range runs {
				run := fmt.Sprint("run-", i)
				r.await(r.store.In, layout.Subjects{}.Commitment(run))
				r.bundle(run, "one", content(0))
				r.bundle(run, "two", content(5))
				r.bundle(run, "two", content(5)) // a copy
			}
			for i := range runs {
				r.report(fmt.Sprint("run-", i), "one", 0)
				r.report(fmt.Sprint("run-", i), "two", 0)
			}
			bustest.WaitFor(t, "all to wait", func() bool { return p.waiting.Load() >= 3*runs })
			r.start() // one that is not slow takes over what comes again
			if ends {
				stop()
			}
			close(p.released)
			for i := range runs {
				run := fmt.Sprint("run-", i)
				r.await(r.store.Out, layout.Subjects{}.HardeningRequest("cmd-2", run, "two", 1))
				r.fix(run, "two", 1, content(0))
				r.await(r.store.Out, layout.Subjects{}.RunScored(run))
			}
			if n := r.checked(); n[shadow.GapReport] != 3*runs || n[shadow.HardeningRequest] != runs || n[shadow.RunScored] != runs || n[shadow.EventRejected] != 0 {
				t.Errorf("%v", n)
			}
		})
	}
}
