//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

const (
	rounds  = 10
	timed   = 1000 // bundles whose latency is taken, at most
	workers = 32   // of the floor
)

// The streams of the floor.
const bareIn, bareOut = "BENCH_IN", "BENCH_OUT"

// made are the streams that a measurement makes and removes.
var made = []string{layout.StreamIn, layout.StreamOut, "KV_" + layout.BucketEnvelopes, "KV_" + layout.BucketLease, bareIn, bareOut}

// errInUse: the bus has a stream of a name that is needed, of a shadowd or of
// somebody else.
var errInUse = errors.New("the bus is in use: measure on a bus of its own")

type bench struct {
	options
	js       jetstream.JetStream
	store    *layout.Store
	runs     int // that were sealed
	reported chan struct{}
	bare     jetstream.Consumer
}

// run measures on a bus that has none of the streams that it makes there, and
// removes them.
func run(ctx context.Context, nc *nats.Conn, o options) (_ *result, err error) {
	b := &bench{options: o, reported: make(chan struct{}, 1024)}
	if b.js, err = broker.JetStream(nc); err != nil {
		return nil, err
	}
	for _, name := range made {
		if _, err := b.js.Stream(ctx, name); !errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil, errors.Join(fmt.Errorf("the stream %s: %w", name, errInUse), err)
		}
	}
	defer func() {
		for _, name := range made {
			if e := b.js.DeleteStream(context.WithoutCancel(ctx), name); !errors.Is(e, jetstream.ErrStreamNotFound) {
				err = errors.Join(err, e)
			}
		}
	}()
	if b.store, err = layout.Ensure(ctx, layout.Subjects{}, b.js, layout.StorageConfig{Replicas: o.Replicas}); err != nil {
		return nil, err
	}
	for _, name := range []string{bareIn, bareOut} {
		if _, err = b.js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: []string{name + ".>"}, Replicas: o.Replicas}); err != nil {
			return nil, err
		}
	}
	if b.bare, err = b.js.CreateConsumer(ctx, bareIn, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: -1}); err != nil {
		return nil, err
	}
	cfg, err := engineConfig(o)
	if err != nil {
		return nil, err
	}
	reports, err := b.js.OrderedConsumer(ctx, layout.StreamOut, jetstream.OrderedConsumerConfig{HeadersOnly: true, FilterSubjects: []string{b.store.GapReport("*", "*", 0)}})
	if err != nil {
		return nil, err
	}
	watch, err := reports.Consume(func(jetstream.Msg) { b.reported <- struct{}{} })
	if err != nil {
		return nil, err
	}
	engine, ctx := errgroup.WithContext(ctx)
	ctx, cancel := context.WithCancel(ctx)
	engine.Go(func() error { return bus.NewEngine(b.store, cfg).Run(ctx) })
	r, err := b.measure(ctx)
	cancel()
	watch.Stop()
	<-watch.Closed()
	return r, errors.Join(err, engine.Wait())
}

// measure runs the rounds, and then takes the latencies. Nothing collects garbage
// between rounds: each pays for its own.
func (b *bench) measure(ctx context.Context) (*result, error) {
	n := max(b.Bundles/rounds/domains, 1) // runs of a round
	all := float64(n * domains * rounds)
	r := &result{Bundles: int(all), Criteria: b.Criteria, Words: b.Words}
	if _, err := b.sealed(ctx, 1); err != nil { // warms up
		return nil, err
	}
	var judged, floor cost
	for range rounds {
		msgs, err := b.sealed(ctx, n)
		if err == nil {
			err = judged.add(func() error {
				if err := b.publish(ctx, msgs); err != nil {
					return err
				}
				return b.await(ctx, len(msgs))
			})
		}
		if err == nil {
			err = floor.add(func() error { return b.move(ctx, msgs) })
		}
		if err != nil {
			return nil, err
		}
	}
	r.BundlesPerSecond, r.FloorPerSecond = all/judged.took.Seconds(), all/floor.took.Seconds()
	r.Ratio = judged.took.Seconds() / floor.took.Seconds()
	r.CPU.Bundle, r.CPU.Floor = 1000*ms(judged.cpu)/all, 1000*ms(floor.cpu)/all
	r.Allocs.Bundle = memory{float64(judged.allocs) / all, float64(judged.bytes) / all}
	r.Allocs.Floor = memory{float64(floor.allocs) / all, float64(floor.bytes) / all}
	var err error
	if r.Latency.Alone, err = b.latency(ctx, 0); err == nil {
		r.Latency.HalfLoad, err = b.latency(ctx, time.Duration(2*float64(time.Second)/r.BundlesPerSecond))
	}
	return r, err
}

// cost is what some work takes.
type cost struct {
	took, cpu     time.Duration
	allocs, bytes uint64
}

// add does work and adds what it takes.
func (c *cost) add(work func() error) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began, used := time.Now(), cpuTime()
	err := work()
	c.took, c.cpu = c.took+time.Since(began), c.cpu+cpuTime()-used
	runtime.ReadMemStats(&after)
	c.allocs, c.bytes = c.allocs+after.Mallocs-before.Mallocs, c.bytes+after.TotalAlloc-before.TotalAlloc
	return err
}

// cpuTime is the time of all processors that this process has taken so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (b *bench) publish(ctx context.Context, msgs []*nats.Msg) error {
	acks := make([]jetstream.PubAckFuture, len(msgs))
	for i, m := range msgs {
		var err error
		if acks[i], err = b.js.PublishMsgAsync(m, jetstream.WithStallWait(time.Minute)); err != nil {
			return err
		}
	}
	for _, ack := range acks {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			return fmt.Errorf("publishing to the bus: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// await waits for n reports.
func (b *bench) await(ctx context.Context, n int) error {
	for range n {
		select {
		case <-b.reported:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// move moves the messages as bundles are moved, without judging.
func (b *bench) move(ctx context.Context, msgs []*nats.Msg) error {
	var bare []*nats.Msg
	for _, m := range msgs {
		bare = append(bare, &nats.Msg{Subject: bareIn + "." + m.Subject, Data: m.Data})
	}
	if err := b.publish(ctx, bare); err != nil {
		return err
	}
	moving, ctx := errgroup.WithContext(ctx)
	queue := make(chan jetstream.Msg, len(msgs))
	for range workers {
		moving.Go(func() error {
			for m := range queue {
				subject := bareOut + "." + m.Subject()
				_, err := b.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: m.Data()}, jetstream.WithExpectLastSequenceForSubject(0, subject))
				if err = errors.Join(err, m.Ack()); err != nil {
					return err
				}
			}
			return nil
		})
	}
	left := len(msgs)
	consume, err := b.bare.Consume(func(m jetstream.Msg) {
		queue <- m
		if left--; left == 0 {
			close(queue)
		}
	})
	if err != nil {
		return err
	}
	defer func() { consume.Stop(); <-consume.Closed() }()
	return moving.Wait()
}

// latency publishes bundles one at a time and waits for each report, or, with
// a pause, so many that each begins after the pause.
func (b *bench) latency(ctx context.Context, pause time.Duration) (percentiles, error) {
	msgs, err := b.sealed(ctx, max(min(b.Bundles, timed)/domains, 1))
	if err != nil {
		return percentiles{}, err
	}
	took, begun := make([]time.Duration, 0, len(msgs)), make(chan time.Time, len(msgs))
	publishing, ctx := errgroup.WithContext(ctx)
	publishing.Go(func() error {
		for _, m := range msgs {
			begun <- time.Now()
			if err := b.js.Conn().PublishMsg(m); err != nil {
				return err
			}
			if pause > 0 {
				time.Sleep(pause)
			} else if err := b.time(ctx, begun, &took); err != nil {
				return err
			}
		}
		return nil
	})
	for pause > 0 && len(took) < len(msgs) && err == nil {
		err = b.time(ctx, begun, &took)
	}
	if err = errors.Join(err, publishing.Wait()); err != nil {
		return percentiles{}, err
	}
	slices.Sort(took)
	return percentiles{len(took), ms(took[len(took)/2]), ms(took[len(took)*99/100])}, nil
}

// time waits for a report and notes how long it took. Reports come in nearly the same
// order as bundles.
func (b *bench) time(ctx context.Context, begun <-chan time.Time, took *[]time.Duration) error {
	err := b.await(ctx, 1)
	*took = append(*took, time.Since(<-begun))
	return err
}
