//go:build unix

package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// measure runs the rounds, and then takes the latencies. Nothing collects garbage
// between rounds: each pays for its own.
func (b *bench) measure(ctx context.Context) (*result, error) {
	r := &result{Bundles: b.Bundles, Criteria: b.Criteria, Words: b.Words}
	n := max(b.Bundles/rounds, 1)
	var judged, floor cost
	if _, err := b.sealed(ctx, domains); err != nil { // warms up
		return nil, err
	}
	for range rounds {
		msgs, err := b.sealed(ctx, n)
		if err != nil {
			return nil, err
		}
		if err := judged.add(func() error { return b.judge(ctx, msgs) }); err != nil {
			return nil, err
		}
		if err := floor.add(func() error { return b.move(ctx, msgs) }); err != nil {
			return nil, err
		}
	}
	all := float64(n * rounds)
	r.BundlesPerSecond, r.FloorPerSecond = all/judged.took.Seconds(), all/floor.took.Seconds()
	r.Ratio = judged.took.Seconds() / floor.took.Seconds()
	r.CPU = cpu{Bundle: us(judged.cpu) / all, Floor: us(floor.cpu) / all}
	r.Allocs.Bundle, r.Allocs.Floor = judged.memory(all), floor.memory(all)
	r.Heap = heap()
	if err := b.parts(ctx, &r.CPU); err != nil {
		return nil, err
	}
	var err error
	if r.Latency.Alone, err = b.latency(ctx, 0); err != nil {
		return nil, err
	}
	r.Latency.HalfLoad, err = b.latency(ctx, time.Duration(2*float64(time.Second)/r.BundlesPerSecond))
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

// memory is what one of n bundles allocated.
func (c *cost) memory(n float64) memory { return memory{float64(c.allocs) / n, float64(c.bytes) / n} }

// judge publishes bundles and waits for their reports.
func (b *bench) judge(ctx context.Context, msgs []*nats.Msg) error {
	if err := b.publish(ctx, msgs); err != nil {
		return err
	}
	return b.await(ctx, len(msgs))
}

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

// latency publishes bundles one at a time and waits for each report, or, with
// a pause, so many that each begins after the pause.
func (b *bench) latency(ctx context.Context, pause time.Duration) (percentiles, error) {
	n := min(b.Bundles, timed)
	msgs, err := b.sealed(ctx, n)
	if err != nil {
		return percentiles{}, err
	}
	took, begun := make([]time.Duration, 0, n), make(chan time.Time, n)
	failed := make(chan error, 1)
	if pause > 0 {
		go func() {
			for _, m := range msgs {
				begun <- time.Now()
				if err := b.js.Conn().PublishMsg(m); err != nil {
					failed <- err
					return
				}
				time.Sleep(pause)
			}
		}()
	}
	for _, m := range msgs {
		if pause == 0 {
			begun <- time.Now()
			if err := b.js.Conn().PublishMsg(m); err != nil {
				return percentiles{}, err
			}
		}
		if err := b.await(ctx, 1); err != nil {
			return percentiles{}, err
		}
		took = append(took, time.Since(<-begun)) // reports come in nearly the same order
	}
	select {
	case err := <-failed:
		return percentiles{}, err
	default:
	}
	slices.Sort(took)
	return percentiles{len(took), us(took[len(took)/2]) / 1000, us(took[len(took)*99/100]) / 1000}, nil
}

// heap is what is reachable on the heap, in MiB. It collects garbage, so it comes
// behind all rounds.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// cpuTime is the time of all processors that this process has taken so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// parts measures what the parts of a bundle's work take, each alone.
func (b *bench) parts(ctx context.Context, c *cpu) error {
	m, err := event("", shadow.BundleComplete, 0, bundle("bench", 0, b.Words))
	if err != nil {
		return err
	}
	var ev shadow.Evidence
	if c.Reading, err = each(func() error {
		ev, err = read(m.Data)
		return err
	}); err != nil {
		return err
	}
	var e *shadow.Envelope
	checks := shadow.NewChecks() // a daemon compiles a check once for all runs
	if c.Sealing, err = each(func() error {
		e, err = shadow.Seal(ctx, decomposition("bench"), shadow.SealInput{Settings: &b.cfg.Settings, Now: time.Now(), Rand: rand.Reader, Checks: checks})
		return err
	}); err != nil {
		return err
	}
	c.Sealing /= domains
	exam, err := e.Exam(nil)
	if err != nil {
		return err
	}
	var r *shadow.Report
	if c.Judging, err = each(func() error {
		r = exam.Decide(ev, nil, time.Time{})
		return nil
	}); err != nil {
		return err
	}
	c.Signing, err = each(func() error {
		report, err := shadow.Encode(r)
		if err != nil {
			return err
		}
		statement, err := shadow.Encode(attest.Of(r, report))
		if err != nil {
			return err
		}
		b.cfg.Signer.Sign(statement)
		return nil
	})
	return err
}

// read reads the event of a bundle as the engine does.
func read(data []byte) (ev shadow.Evidence, err error) {
	e, err := cloudevent.Decode(nil, data)
	if err != nil {
		return ev, err
	}
	decoded, _, err := shadow.Decode(shadow.BundleComplete, e.Data())
	if err != nil {
		return ev, err
	}
	submission, ok := decoded.(*shadow.Submission)
	if !ok {
		return ev, fmt.Errorf("a bundle is read as %T", decoded)
	}
	return shadow.Evidence{Submission: submission, Raw: e.Data(), Digest: shadow.Digest(e.Data())}, nil
}

// each is what some work takes, in microseconds of all processors.
func each(work func() error) (float64, error) {
	const times = 200
	if err := work(); err != nil { // warms up
		return 0, err
	}
	used := cpuTime()
	for range times {
		if err := work(); err != nil {
			return 0, err
		}
	}
	return us(cpuTime()-used) / times, nil
}
