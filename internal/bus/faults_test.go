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
	unharmed   loss = iota
	lost            // nothing is stored
	unreported      // it is stored, and the acknowledgement is lost on its way
)

// faultyPublisher is a publisher whose publishes fail as its plan says.
type faultyPublisher struct {
	next Publisher
	mu   sync.Mutex
	plan func(*nats.Msg) loss // nil: nothing fails
	hits int
}

func newFaulty(next Publisher, plan func(*nats.Msg) loss) *faultyPublisher {
	return &faultyPublisher{next: next, plan: plan}
}

var errInjected = errors.New("injected")

// Plan changes the plan from now on.
func (p *faultyPublisher) Plan(f func(*nats.Msg) loss) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plan = f
}

// Hits counts the publishes that failed so far.
func (p *faultyPublisher) Hits() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hits
}

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

func (p *faultyPublisher) decide(msg *nats.Msg) (l loss) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.plan != nil {
		l = p.plan(msg)
	}
	if l != unharmed {
		p.hits++
	}
	return l
}
