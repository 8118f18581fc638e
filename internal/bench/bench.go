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
	"runtime"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/progress"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
)

// Options say what is measured.
type Options struct {
	// Bundles are judged in all; each has so many words and is judged by so
	// many criteria.
	Bundles, Criteria, Words int
	// Engines share the work. They are those of as many daemons, within this
	// process.
	Engines int
	// Replicas of each stream: 1, or 3 or 5 on a cluster of as many servers.
	Replicas int
}

// Result is what was measured.
type Result struct {
	Bundles          int     `json:"bundles"`
	Criteria         int     `json:"criteria"`
	Words            int     `json:"words"`
	Engines          int     `json:"engines"`
	BundlesPerSecond float64 `json:"bundles_per_second"`
	FloorPerSecond   float64 `json:"floor_per_second"`
	// Ratio is how many times as long judging takes as the floor.
	Ratio   float64 `json:"ratio"`
	Latency Latency `json:"latency_ms"`
	// CPU is the time of all processors that one bundle takes in this process,
	// in microseconds: 0 where the system does not tell.
	CPU CPU `json:"cpu_us"`
	// Memory is that of this process after each tenth.
	Memory []Memory `json:"memory"`
}

// Memory is what is in use after a garbage collection. With a server in this
// process that of the server is counted too.
type Memory struct {
	// Bundles are those judged so far.
	Bundles int `json:"bundles"`
	// Heap is in MiB.
	Heap float64 `json:"heap_mib"`
}

// Latency is the time from the start of a publish until the report is stored
// and seen, in milliseconds.
type Latency struct {
	Alone    Percentiles `json:"alone"`
	HalfLoad Percentiles `json:"half_load"`
}

// Percentiles of N latencies.
type Percentiles struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

// CPU is what the parts take of a bundle. With a server in this process its
// work is counted too.
type CPU struct {
	Bundle float64 `json:"bundle"`
	Floor  float64 `json:"floor"`
	// Judging is the part of Bundle that decides the report.
	Judging float64 `json:"judging"`
}

const (
	rounds = 10
	alone  = 200
	domain = 5 // domains of a run
)

// ErrInUse: the bus has streams of a shadowd.
var ErrInUse = errors.New("the bus has the streams of a shadowd: measure on a bus of its own")

// Run measures on a bus that has no shadowd. What it stores there it removes.
func Run(ctx context.Context, nc *nats.Conn, o Options) (_ *Result, err error) {
	js, err := broker.JetStream(nc)
	if err != nil {
		return nil, err
	}
	if _, err := js.Stream(ctx, layout.StreamIn); !errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, errors.Join(ErrInUse, err)
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
	// A word has some eight bytes, and beside its bundle each has a fifth of a
	// decomposition and of a commitment.
	size := int64(b.Bundles+1000) * int64(16*b.Words+4096)
	if b.store, err = layout.Ensure(ctx, layout.Subjects{}, b.js, layout.StorageConfig{InMaxBytes: max(size, 1<<30), Replicas: b.Replicas}); err != nil {
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
	b.cfg = bus.Config{
		Settings: shadow.Settings{
			Policy:      shadow.Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: shadow.IsolationLegacy, Threshold: 15, EnforceGates: true},
			MaxCriteria: b.Criteria, FixTimeout: time.Hour, RunTimeout: 24 * time.Hour, DefaultScale: "ss-100",
			Categories: []shadow.Category{shadow.HappyPath, shadow.EdgeCase, shadow.ErrorHandling, shadow.Completeness},
			Scales:     map[string]shadow.Scale{"ss-100": {Criteria: b.Criteria}},
		},
		Filler: rules.New(rand.Reader), Key: key, Signer: signer, Limits: shadow.Limits{ContentBytes: 1 << 20, WaitingPerRun: 1000, SealWait: time.Hour},
		Logger: slog.New(slog.DiscardHandler),
	}
	for _, name := range []string{bareIn, bareOut} {
		if _, err = b.js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: []string{name + ".>"}, Replicas: b.Replicas}); err != nil {
			return err
		}
	}
	b.bare, err = b.js.CreateConsumer(ctx, bareIn, jetstream.ConsumerConfig{Durable: "floor", AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: -1})
	return err
}

// The streams of the floor.
const bareIn, bareOut = "BENCH_IN", "BENCH_OUT"

func (b *bench) remove(ctx context.Context) (err error) {
	for _, name := range []string{layout.StreamIn, layout.StreamOut, "KV_" + layout.BucketEnvelopes, "KV_" + layout.BucketVotes, bareIn, bareOut} {
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

// measure runs the rounds, and then takes the latencies.
func (b *bench) measure(ctx context.Context) (*Result, error) {
	r := &Result{Bundles: b.Bundles, Criteria: b.Criteria, Words: b.Words, Engines: b.Engines}
	n := max(b.Bundles/rounds, 1)
	var judged, floor, judgedCPU, floorCPU time.Duration
	if _, err := b.sealed(ctx, domain); err != nil { // warms up
		return nil, err
	}
	measured := progress.Count(ctx, "parts measured", rounds+2)
	for range rounds {
		msgs, err := b.sealed(ctx, n)
		if err != nil {
			return nil, err
		}
		began, used := time.Now(), cpuTime()
		if err := b.judge(ctx, msgs); err != nil {
			return nil, err
		}
		judged, judgedCPU = judged+time.Since(began), judgedCPU+cpuTime()-used
		began, used = time.Now(), cpuTime()
		if err := b.move(ctx, msgs); err != nil {
			return nil, err
		}
		floor, floorCPU = floor+time.Since(began), floorCPU+cpuTime()-used
		r.Memory = append(r.Memory, Memory{Bundles: (len(r.Memory) + 1) * n, Heap: heap()})
		measured()
	}
	all := float64(n * rounds)
	r.BundlesPerSecond, r.FloorPerSecond = all/judged.Seconds(), all/floor.Seconds()
	r.Ratio = judged.Seconds() / floor.Seconds()
	r.CPU = CPU{Bundle: us(judgedCPU) / all, Floor: us(floorCPU) / all}
	var err error
	if r.CPU.Judging, err = b.judging(); err != nil {
		return nil, err
	}
	if r.Latency.Alone, err = b.latency(ctx, 0); err != nil {
		return nil, err
	}
	measured()
	r.Latency.HalfLoad, err = b.latency(ctx, time.Duration(2*float64(time.Second)/r.BundlesPerSecond))
	return r, err
}

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
func (b *bench) latency(ctx context.Context, pause time.Duration) (Percentiles, error) {
	msgs, err := b.sealed(ctx, alone)
	if err != nil {
		return Percentiles{}, err
	}
	took, begun := make([]time.Duration, 0, alone), make(chan time.Time, alone)
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
				return Percentiles{}, err
			}
		}
		if err := b.await(ctx, 1); err != nil {
			return Percentiles{}, err
		}
		took = append(took, time.Since(<-begun)) // reports come in nearly the same order
	}
	select {
	case err := <-failed:
		return Percentiles{}, err
	default:
	}
	slices.Sort(took)
	return Percentiles{len(took), us(took[len(took)/2]) / 1000, us(took[len(took)*99/100]) / 1000}, nil
}

// heap is what is reachable on the heap, in MiB.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// String is the result for people.
func (r *Result) String() string {
	return fmt.Sprintf(`%d bundles of %d words, %d criteria
judged           %8.0f bundles/s
floor            %8.0f bundles/s: delivered, stored once, acknowledged
ratio            %8.1f
latency alone    p50 %.2f ms, p99 %.2f ms (n %d)
latency at half load  p50 %.2f ms, p99 %.2f ms (n %d)
CPU per bundle   %8.0f us, of which judging %.0f; the floor takes %.0f
heap             %8.0f MiB after the first tenth, %.0f after the last
`, r.Bundles, r.Words, r.Criteria, r.BundlesPerSecond, r.FloorPerSecond, r.Ratio,
		r.Latency.Alone.P50, r.Latency.Alone.P99, r.Latency.Alone.N, r.Latency.HalfLoad.P50, r.Latency.HalfLoad.P99, r.Latency.HalfLoad.N,
		r.CPU.Bundle, r.CPU.Judging, r.CPU.Floor,
		r.Memory[0].Heap, r.Memory[len(r.Memory)-1].Heap)
}
