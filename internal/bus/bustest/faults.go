package bustest

import (
	"context"
	"errors"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Fault is what happens to a publish.
type Fault int

const (
	// None lets the publish through.
	None Fault = iota
	// Lost reports a failure, and nothing is stored.
	Lost
	// Unreported reports a failure although the message is stored: what a
	// publisher sees when the acknowledgement is lost on its way.
	Unreported
)

// ErrInjected is the error of a publish that a [Fault] struck.
var ErrInjected = errors.New("injected failure")

// publisher is the part of a JetStream that is wrapped.
type publisher interface {
	PublishMsg(ctx context.Context, msg *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error)
}

// Faulty is a publisher whose publishes fail on demand. It may be used by any
// number of goroutines.
type Faulty struct {
	next publisher
	mu   sync.Mutex
	plan func(*nats.Msg) Fault
	hits int
}

// NewFaulty wraps a JetStream. Nothing fails until [Faulty.Plan] says so.
func NewFaulty(next publisher) *Faulty {
	return &Faulty{next: next, plan: func(*nats.Msg) Fault { return None }}
}

// Plan asks f before each publish from now on. One call at a time is made to
// it.
func (p *Faulty) Plan(f func(*nats.Msg) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plan = f
}

// Hits counts the publishes that failed so far, so that a test can tell that
// its plan did something.
func (p *Faulty) Hits() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hits
}

// PublishMsg publishes as the plan allows.
func (p *Faulty) PublishMsg(ctx context.Context, msg *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	fault := p.decide(msg)
	if fault == Lost {
		return nil, ErrInjected
	}
	ack, err := p.next.PublishMsg(ctx, msg, opts...)
	if fault == Unreported && err == nil {
		return nil, ErrInjected
	}
	return ack, err
}

func (p *Faulty) decide(msg *nats.Msg) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	fault := p.plan(msg)
	if fault != None {
		p.hits++
	}
	return fault
}
