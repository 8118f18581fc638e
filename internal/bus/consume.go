package bus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// loop serves one durable consumer with a number of workers.
type loop struct {
	name     string
	js       jetstream.JetStream
	consumer jetstream.Consumer
	// handle processes one message. nil: its outcome is stored. *shadow.Refusal:
	// its rejection is stored. Anything else: it must come again.
	handle func(context.Context, *message) error
	// giveUp stores the rejection of a message that handle fails on for good;
	// nil where there is nobody to tell.
	giveUp  func(context.Context, *message, error) error
	workers int
	// window is how many messages are fetched ahead. It bounds memory, not
	// what may wait: messages that wait are given back.
	window int
	leases *leases
	views  *views
	// onDelivery is called with the sequence of every delivery; it may be nil.
	onDelivery func(uint64)
	// ready are messages that have waited and may go on, guarded by the lock of
	// views. While there are any, signal has something in it.
	ready  []*message
	signal chan struct{}
	// alive: the server is there for the consumer.
	alive    atomic.Bool
	notifier *notifier
	log      *slog.Logger
}

// run serves until ctx ends. Then it stops taking, hands back what no worker
// has begun, and waits for what one has.
func (l *loop) run(ctx context.Context) error {
	queue := make(chan *nats.Msg, l.window)
	l.leases = newLeases()
	l.signal = make(chan struct{}, 1)
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	var kept sync.WaitGroup
	// Three times in the wait for an acknowledgement.
	kept.Go(func() { l.leases.extendAll(keeping, l.consumer.CachedInfo().Config.AckWait/3) })
	defer kept.Wait()
	defer stop()
	// A worker may finish what it has begun after ctx has ended.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	var wg sync.WaitGroup
	for range l.workers {
		wg.Go(func() { l.work(ctx, work, queue) })
	}
	err := streams.Pull(ctx, l.js, l.consumer, l.window, &l.alive, func(m *nats.Msg) {
		l.leases.add(m)
		queue <- m
	})
	switch {
	case errors.Is(err, jetstream.ErrConsumerDeleted):
		err = fmt.Errorf("consumer %s is gone: restart shadowd to create it again: %w", l.name, err)
	case err != nil:
		err = fmt.Errorf("consuming %s: %w", l.name, err)
	}
	close(queue)
	wg.Wait()
	for _, m := range l.views.empty(l) {
		l.leases.drop(m.raw)
		l.settled(m.raw.Nak())
	}
	return err
}

// work serves messages until the queue is closed: those that have waited first.
func (l *loop) work(ctx, work context.Context, queue <-chan *nats.Msg) {
	for {
		if m := l.views.next(l); m != nil {
			l.serve(ctx, work, m)
			continue
		}
		select {
		case <-l.signal:
		case m, ok := <-queue:
			if !ok {
				return
			}
			if msg := l.take(m); msg != nil {
				l.serve(ctx, work, msg)
			}
		}
	}
}

// take makes a message of a delivery, or nil of one that has no metadata.
func (l *loop) take(m *nats.Msg) *message {
	meta, err := m.Metadata()
	if err != nil {
		l.leases.drop(m)
		l.log.Error("a message without metadata", "subject", shadow.Printable(m.Subject), "error", err)
		return nil
	}
	if l.onDelivery != nil {
		l.onDelivery(meta.Sequence.Stream)
	}
	return &message{
		Message: streams.Message{Subject: m.Subject, Header: m.Header, Data: m.Data, Seq: meta.Sequence.Stream, Time: meta.Timestamp.UTC()},
		loop:    l, raw: m, delivered: meta.NumDelivered,
	}
}

// serve handles one message and acknowledges it accordingly, last of all. When
// ctx has ended it hands the message back instead; work bounds the handling.
func (l *loop) serve(ctx, work context.Context, msg *message) {
	m := msg.raw
	if ctx.Err() != nil && m != nil {
		l.leases.drop(m)
		l.settled(m.Nak())
		return
	}
	err := l.guarded(work, msg)
	if errors.Is(err, errWaiting) {
		return // another worker may have it already
	}
	if m == nil { // handled ahead: nobody waits for an acknowledgement
		l.views.settled(msg)
		return
	}
	if errors.Is(err, errPermanent) && msg.delivered >= maxDeliveries && l.giveUp != nil {
		err = l.giveUp(work, msg, err)
	}
	l.views.settled(msg)
	refused := asRefusal(err)
	// Before it is settled: in progress would put off a delay that is asked for.
	l.leases.drop(m)
	switch {
	case err == nil:
		l.settled(m.Ack())
		l.notifier.settled(l.name, msg, nil)
	case refused != nil:
		l.settled(m.Respond([]byte("+TERM " + shadow.Printable(refused.Error()))))
		l.notifier.settled(l.name, msg, refused)
	case ctx.Err() != nil:
		l.settled(m.Nak())
	case errors.Is(err, errNotYet):
		l.settled(m.NakWithDelay(backoff(msg.delivered, longestWait)))
	default:
		l.notifier.settled(l.name, msg, err)
		delay := backoff(msg.delivered, longestRetry)
		l.log.Warn("not processed, will be tried again", "sequence", msg.Seq, "delivery", msg.delivered, "in", delay.String(), "error", err)
		l.settled(m.NakWithDelay(delay))
	}
}

// errNotYet: the event cannot be decided yet. It is given back to the server, which
// delivers it again.
var errNotYet = errors.New("not yet")

// errWaiting: the event waits here; see [waitQueue].
var errWaiting = errors.New("it waits")

// guarded keeps one message's fault from taking the daemon, and so every
// other run, down.
func (l *loop) guarded(ctx context.Context, m *message) (err error) {
	defer func() {
		if p := recover(); p != nil {
			l.log.Error("panic while processing", "sequence", m.Seq, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: panic: %v", errPermanent, p)
		}
	}()
	return l.handle(ctx, m)
}

// errPermanent: another try will most likely fail too. Such a message is given up
// at delivery maxDeliveries: one that stays for ever holds up its run, and many
// of them hold up all runs.
var errPermanent = errors.New("shadowd fails on this message")

const maxDeliveries = 5

// settled looks at the outcome of an acknowledgement. One that is lost costs a
// redelivery, which finds the stored outcome.
func (l *loop) settled(err error) {
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		l.log.Warn("acknowledging", "error", err)
	}
}

// grace is how long a message that is being handled may take after ctx has ended: a part
// of what a daemon has for its stop, since acknowledgements have to leave after it.
const grace = 5 * time.Second

const (
	shortestDelay = 20 * time.Millisecond
	longestWait   = 5 * time.Second  // for events whose time has not come
	longestRetry  = 30 * time.Second // for what failed
)

// backoff is the delay before the next delivery: doubled each time up to a
// bound, with a fifth of jitter, so that those that wait together don't return
// together.
func backoff(delivered uint64, longest time.Duration) time.Duration {
	d := longest
	if delivered < 16 {
		d = min(longest, shortestDelay<<(max(delivered, 1)-1))
	}
	return d - time.Duration(rand.Int64N(int64(d)/5+1))
}
