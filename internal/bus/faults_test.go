package bus

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
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

func TestFaulty(t *testing.T) {
	b := bustest.Server(t)
	_, js := b.Connect(t)
	s, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.*"}})
	if err != nil {
		t.Fatal(err)
	}
	p := newFaulty(js)
	for _, c := range []struct {
		subject string
		loss    loss
		fails   bool
		stored  uint64
	}{
		{"s.a", unharmed, false, 1},
		{"s.b", lost, true, 1},
		{"s.c", unreported, true, 2},
	} {
		p.Plan(func(m *nats.Msg) loss {
			if m.Subject == c.subject {
				return c.loss
			}
			return unharmed
		})
		_, err := p.PublishMsg(context.Background(), nats.NewMsg(c.subject))
		if errors.Is(err, errInjected) != c.fails || bustest.Count(t, s) != c.stored {
			t.Errorf("%s: error %v, %d stored, want %d", c.subject, err, bustest.Count(t, s), c.stored)
		}
	}
	if p.Hits() != 2 {
		t.Errorf("%d publishes failed, want 2", p.Hits())
	}
}
