//go:build unix

// Command bench measures how fast shadowd judges on a bus, beside the bare
// traffic on the same bus: an event is delivered, one message is stored once,
// and the event is acknowledged. The two take turns within one measurement, so
// that whatever else the machine does hits both. docs/performance.md has figures.
package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

const (
	rounds  = 10
	timed   = 1000 // bundles whose latency is taken, at most
	domains = 5    // of a run
)

// options say what is measured.
type options struct{ Bundles, Criteria, Words, Replicas int }

func main() {
	var o options
	server := flag.String("server", "", "measure on the server at this `URL`, which must have JetStream and no shadowd (default a server in this process)")
	flag.IntVar(&o.Bundles, "bundles", 2000, "how many bundles are judged")
	flag.IntVar(&o.Criteria, "criteria", 10, "how many criteria judge each bundle")
	flag.IntVar(&o.Words, "words", 800, "how many words a bundle has")
	flag.IntVar(&o.Replicas, "replicas", 1, "on how many servers of a cluster everything is stored: 1, 3 or 5")
	sync := flag.Duration("sync", 0, "how often the server in this process syncs; 0 is with each message")
	format := flag.String("format", "text", "text or json")
	flag.Parse()
	if o.Bundles < domains || min(o.Criteria, o.Words, o.Replicas) < 1 || flag.NArg() > 0 || *format != "text" && *format != "json" {
		flag.Usage()
		os.Exit(2)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200) // as shadowd does
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	nc, end, err := connect(ctx, *server, *sync)
	if err == nil {
		var r *result
		if r, err = run(ctx, nc, o); err == nil {
			err = r.write(os.Stdout, *format)
		}
		err = errors.Join(err, end())
	}
	if err != nil {
		log.Fatal(err)
	}
}

// connect connects to the server, or to one of its own in a new directory.
func connect(ctx context.Context, url string, sync time.Duration) (nc *nats.Conn, end func() error, err error) {
	quiet := slog.New(slog.DiscardHandler)
	if url != "" {
		nc, err = broker.Connect(ctx, broker.ConnOptions{URL: url, Name: "bench", Logger: quiet})
		return nc, func() error { nc.Close(); return nil }, err
	}
	dir, err := os.MkdirTemp("", "shadowd-bench")
	if err != nil {
		return nil, nil, err
	}
	s, err := broker.Start(broker.Options{DataDir: dir, MaxPayload: daemon.MaxEnvelope, Sync: sync, Logger: quiet})
	if err == nil {
		nc, err = s.Conn(nats.Name("bench"))
	}
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return nc, func() error {
		nc.Close()
		s.Shutdown()
		return os.RemoveAll(dir)
	}, nil
}

// result is what was measured.
type result struct {
	Bundles          int     `json:"bundles"`
	Criteria         int     `json:"criteria"`
	Words            int     `json:"words"`
	BundlesPerSecond float64 `json:"bundles_per_second"`
	FloorPerSecond   float64 `json:"floor_per_second"`
	Ratio            float64 `json:"ratio"` // how many times as long judging takes as the floor
	// Latency is the time from the start of a publish until the report is stored
	// and seen, in milliseconds.
	Latency struct {
		Alone    percentiles `json:"alone"`
		HalfLoad percentiles `json:"half_load"`
	} `json:"latency_ms"`
	CPU    cpu `json:"cpu_us"`
	Allocs struct {
		Bundle memory `json:"bundle"`
		Floor  memory `json:"floor"`
	} `json:"allocations"`
	Heap float64 `json:"heap_mib"` // that is reachable behind the last round
}

// percentiles of N latencies.
type percentiles struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

// cpu is the time of all processors that a bundle takes in this process, and its
// parts alone, in microseconds. With a server in this process its work is counted
// too.
type cpu struct {
	Bundle float64 `json:"bundle"`
	Floor  float64 `json:"floor"`
	// Reading decodes the event and holds it against its schema, Judging decides
	// the report, and Signing attests to it. They are parts of Bundle.
	Reading float64 `json:"reading"`
	Judging float64 `json:"judging"`
	Signing float64 `json:"signing"`
	// Sealing is a bundle's share in the envelope of its run. It is done before,
	// and is no part of Bundle.
	Sealing float64 `json:"sealing"`
}

// memory is what a bundle allocates in this process, as cpu counts it.
type memory struct {
	Count float64 `json:"count"`
	Bytes float64 `json:"bytes"`
}

func (r *result) write(w io.Writer, format string) error {
	if format == "json" {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	l, c := r.Latency, r.CPU
	_, err := fmt.Fprintf(w, `%d bundles of %d words, %d criteria
judged           %8.0f bundles/s
floor            %8.0f bundles/s: delivered, stored once, acknowledged
ratio            %8.1f
latency alone    p50 %.2f ms, p99 %.2f ms (n %d)
latency at half load  p50 %.2f ms, p99 %.2f ms (n %d)
CPU per bundle   %8.0f us: reading %.0f, judging %.0f, signing %.0f, the rest is the bus, of which the floor takes %.0f
CPU before       %8.0f us: a bundle's share in the seal of its run
allocations      %8.0f a bundle, %.0f KiB; the floor %.0f, %.0f KiB
heap             %8.0f MiB
`, r.Bundles, r.Words, r.Criteria, r.BundlesPerSecond, r.FloorPerSecond, r.Ratio, l.Alone.P50, l.Alone.P99, l.Alone.N, l.HalfLoad.P50, l.HalfLoad.P99, l.HalfLoad.N,
		c.Bundle, c.Reading, c.Judging, c.Signing, c.Floor, c.Sealing,
		r.Allocs.Bundle.Count, r.Allocs.Bundle.Bytes/1024, r.Allocs.Floor.Count, r.Allocs.Floor.Bytes/1024, r.Heap)
	return err
}

// errInUse: the bus has a stream of a name that is needed, of a shadowd or of
// somebody else.
var errInUse = errors.New("the bus is in use: measure on a bus of its own")

// The streams of the floor.
const bareIn, bareOut = "BENCH_IN", "BENCH_OUT"

// made are the streams that a measurement makes and removes.
var made = []string{layout.StreamIn, layout.StreamOut, "KV_" + layout.BucketEnvelopes, "KV_" + layout.BucketVotes, "KV_" + layout.BucketLease, bareIn, bareOut}

// run measures on a bus that has none of the streams that it makes there, and
// removes them.
func run(ctx context.Context, nc *nats.Conn, o options) (_ *result, err error) {
	js, err := broker.JetStream(nc)
	if err != nil {
		return nil, err
	}
	for _, name := range made {
		if _, err := js.Stream(ctx, name); err == nil {
			return nil, fmt.Errorf("there is a stream %s already, %w", name, errInUse)
		} else if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil, fmt.Errorf("asking for the stream %s, which a bus with a shadowd allows nobody else: %w: %w", name, err, errInUse)
		}
	}
	b := &bench{options: o, js: js}
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
	options
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
	signer := attest.NewSigner(private)
	def := config.Default()
	settings, limits := def.Settings(shadow.IsolationLegacy), def.Limits
	settings.MaxCriteria = b.Criteria
	settings.Scales = map[string]shadow.Scale{settings.DefaultScale: {Criteria: b.Criteria}}
	limits.ContentBytes = 1 << 20
	b.cfg = bus.Config{Settings: settings, Key: key, Signer: signer, Limits: limits, Logger: slog.New(slog.DiscardHandler)}
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

// start runs the engine and watches its reports. The context that it returns ends
// with the engine.
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
	engine, ctx := errgroup.WithContext(ctx)
	ctx, cancel := context.WithCancel(ctx)
	engine.Go(func() error { return bus.NewEngine(b.store, b.cfg).Run(ctx) })
	return ctx, func() error {
		cancel()
		watch.Stop()
		<-watch.Closed()
		return engine.Wait()
	}, nil
}
