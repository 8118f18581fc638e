package bus

import (
	"context"
	"errors"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// loss is what happens to a publish.
type loss int

const (
	// unharmed lets the publish through.
	unharmed loss = iota
	// lost reports a failure, and nothing is stored.
	lost
	// unreported reports a failure although the message is stored: what a
	// publisher sees when the acknowledgement is lost on its way.
	unreported
)

// faultyPublisher is a publisher whose publishes fail on demand. It may be used
// by any number of goroutines.
type faultyPublisher struct {
	next Publisher
	mu   sync.Mutex
	plan func(*nats.Msg) loss
	hits int
}

// newFaulty wraps a JetStream. Nothing fails until [faultyPublisher.Plan] says so.
func newFaulty(next Publisher) *faultyPublisher {
	return &faultyPublisher{next: next, plan: func(*nats.Msg) loss { return unharmed }}
}

var errInjected = errors.New("injected")

// Plan asks f before each publish from now on. One call at a time is made to
// it.
func (p *faultyPublisher) Plan(f func(*nats.Msg) loss) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plan = f
}

// Hits counts the publishes that failed so far, so that a test can tell that
// its plan did something.
func (p *faultyPublisher) Hits() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hits
}

// PublishMsg publishes as the plan allows.
func (p *faultyPublisher) PublishMsg(ctx context.Context, msg *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	l := p.decide(msg)
	if l == lost {
		return nil, errInjected
	}
	ack, err := p.next.PublishMsg(ctx, msg, opts...)
	if l == unreported && err == nil {
		return nil, errInjected
	}
	return ack, err
}

func (p *faultyPublisher) decide(msg *nats.Msg) loss {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.plan(msg)
	if l != unharmed {
		p.hits++
	}
	return l
}
