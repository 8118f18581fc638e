//go:build unix

// Command bench measures how fast shadowd judges on a bus, beside the bare
// traffic on the same bus: an event is delivered, one message is stored once,
// and the event is acknowledged. The two take turns within one measurement, so
// that whatever else the machine does hits both. docs/performance.md has figures.
package main

import (
	"context"
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

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/daemon"
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
	if min(o.Bundles, o.Criteria, o.Words, o.Replicas) < 1 || flag.NArg() > 0 || *format != "text" && *format != "json" {
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
	// CPU is the time of all processors that a bundle takes in this process, in
	// microseconds. A server in this process counts too, here and in what follows.
	CPU struct {
		Bundle float64 `json:"bundle"`
		Floor  float64 `json:"floor"`
	} `json:"cpu_us"`
	Allocs struct {
		Bundle memory `json:"bundle"`
		Floor  memory `json:"floor"`
	} `json:"allocations"`
}

// percentiles of N latencies.
type percentiles struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

// memory is what a bundle allocates.
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
	_, err := fmt.Fprintf(w, `%d bundles of %d words, %d criteria
judged          %.0f bundles/s
floor           %.0f bundles/s: delivered, stored once, acknowledged
ratio           %.1f
latency alone   p50 %.2f ms, p99 %.2f ms
at half load    p50 %.2f ms, p99 %.2f ms
CPU per bundle  %.0f us, the floor %.0f us
allocations     %.0f a bundle, the floor %.0f
`, r.Bundles, r.Words, r.Criteria, r.BundlesPerSecond, r.FloorPerSecond, r.Ratio, r.Latency.Alone.P50, r.Latency.Alone.P99,
		r.Latency.HalfLoad.P50, r.Latency.HalfLoad.P99, r.CPU.Bundle, r.CPU.Floor, r.Allocs.Bundle.Count, r.Allocs.Floor.Count)
	return err
}
