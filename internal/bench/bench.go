// Package bench measures how fast shadowd judges on a bus, beside the bare
// traffic on the same bus: an event is delivered, one message is stored once,
// and the event is acknowledged. The two take turns within one measurement, so
// that whatever else the machine does hits both.
package bench

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
)

const (
	rounds = 10
	timed  = 1000 // bundles whose latency is taken, at most
	domain = 5    // domains of a run
)

// ErrInUse: the bus has a stream of a name that is needed, of a shadowd or of
// somebody else.
var ErrInUse = errors.New("the bus is in use: measure on a bus of its own")

// The streams of the floor.
const bareIn, bareOut = "BENCH_IN", "BENCH_OUT"

// made are the streams that a measurement makes and removes.
var made = []string{layout.StreamIn, layout.StreamOut, "KV_" + layout.BucketEnvelopes, "KV_" + layout.BucketVotes, bareIn, bareOut}

// Run measures on a bus that has none of the streams that it makes there, and
// removes them.
func Run(ctx context.Context, nc *nats.Conn, o Options) (_ *Result, err error) {
	js, err := broker.JetStream(nc)
	if err != nil {
		return nil, err
	}
	for _, name := range made {
		if _, err := js.Stream(ctx, name); err == nil {
			return nil, fmt.Errorf("there is a stream %s already, %w", name, ErrInUse)
		} else if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil, fmt.Errorf("asking for the stream %s, which a bus with a shadowd allows nobody else: %w: %w", name, err, ErrInUse)
		}
	}
	b := &bench{Options: o, js: js}
	defer func() { err = errors.Join(err, b.remove(context.WithoutCancel(ctx))) }()
	if err := b.prepare(ctx); err != nil {
		return nil, err
	}
	judging, stop, err := b.start(ctx)
	if err != nil {
		return nil, err
	}
	res, err := b.measure(judging)
	return res, errors.Join(err, stop())
}

type bench struct {
	Options
	js       jetstream.JetStream
	store    *layout.Store
	cfg      bus.Config
	next     int // bundle
	reported chan struct{}
	bare     jetstream.Consumer
}

// prepare creates what the daemon and the floor store things in.
func (b *bench) prepare(ctx context.Context) (err error) {
	if b.store, err = layout.Ensure(ctx, layout.Subjects{}, b.js, layout.StorageConfig{Replicas: b.Replicas}); err != nil {
		return err
	}
	key, err := nkeys.CreateCurveKeys()
	if err != nil {
		return err
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	signer, err := attest.NewSigner(private)
	if err != nil {
		return err
	}
	settings := config.Default().Settings(shadow.IsolationLegacy)
	settings.MaxCriteria = b.Criteria
	settings.Scales = map[string]shadow.Scale{settings.DefaultScale: {Criteria: b.Criteria}}
	limits := shadow.DefaultLimits()
	limits.ContentBytes = 1 << 20
	b.cfg = bus.Config{Settings: settings, Filler: rules.New(rand.Reader), Key: key, Signer: signer, Limits: limits, Logger: slog.New(slog.DiscardHandler)}
	for _, name := range []string{bareIn, bareOut} {
		if _, err = b.js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: []string{name + ".>"}, Replicas: b.Replicas}); err != nil {
			return err
		}
	}
	b.bare, err = b.js.CreateConsumer(ctx, bareIn, jetstream.ConsumerConfig{Durable: "floor", AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: -1})
	return err
}

func (b *bench) remove(ctx context.Context) (err error) {
	for _, name := range made {
		if e := b.js.DeleteStream(ctx, name); !errors.Is(e, jetstream.ErrStreamNotFound) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// start runs the engines and watches their reports. The context that it
// returns ends with an engine.
func (b *bench) start(ctx context.Context) (_ context.Context, stop func() error, err error) {
	b.reported = make(chan struct{}, b.Bundles+1024)
	reports, err := b.js.OrderedConsumer(ctx, layout.StreamOut, jetstream.OrderedConsumerConfig{HeadersOnly: true, FilterSubjects: []string{b.store.GapReport("*", "*", 0)}})
	if err != nil {
		return nil, nil, err
	}
	watch, err := reports.Consume(func(jetstream.Msg) { b.reported <- struct{}{} })
	if err != nil {
		return nil, nil, err
	}
	engines, ctx := errgroup.WithContext(ctx)
	ctx, cancel := context.WithCancel(ctx)
	for range b.Engines {
		engines.Go(func() error { return bus.NewEngine(b.store, b.cfg).Run(ctx) })
	}
	return ctx, func() error {
		cancel()
		watch.Stop()
		<-watch.Closed()
		return engines.Wait()
	}, nil
}
