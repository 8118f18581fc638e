//go:build unix

package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
)

// TestRun: a small measurement has all its figures, and leaves nothing behind.
func TestRun(t *testing.T) {
	nc, js := bustest.ServerWith(t, "jetstream: {max_file: 100MB}").Connect(t) // a disk may be nearly full
	r, err := run(t.Context(), nc, options{Bundles: 20, Criteria: 4, Words: 100})
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]float64{"bundles/s": r.BundlesPerSecond, "floor/s": r.FloorPerSecond, "ratio": r.Ratio,
		"p50": r.Latency.Alone.P50, "p99": r.Latency.Alone.P99, "at half load": r.Latency.HalfLoad.P50, "CPU": r.CPU.Bundle, "reading": r.CPU.Reading, "judging": r.CPU.Judging, "signing": r.CPU.Signing, "sealing": r.CPU.Sealing, "allocations": r.Allocs.Bundle.Count, "bytes": r.Allocs.Floor.Bytes, "heap": r.Heap} {
		if v <= 0 {
			t.Errorf("%s is %v", name, v)
		}
	}
	for name := range js.StreamNames(t.Context()).Name() {
		t.Errorf("stream %s is left", name)
	}
}

// TestBusInUse: where a stream of one of the names is there already, nothing is
// measured, and it stays as it is.
func TestBusInUse(t *testing.T) {
	for _, name := range []string{"IN", "OUT", "KV_SHADOW_ENVELOPES", "KV_SHADOW_VOTES", "BENCH_IN", "BENCH_OUT"} {
		t.Run(name, func(t *testing.T) {
			nc, js := bustest.ServerWith(t, "jetstream: {max_file: 100MB}").Connect(t)
			own, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{"mine.>"}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := js.Publish(t.Context(), "mine.1", nil); err != nil {
				t.Fatal(err)
			}
			if _, err := run(t.Context(), nc, options{Bundles: 20, Criteria: 4, Words: 100}); !errors.Is(err, errInUse) || !strings.Contains(err.Error(), name) {
				t.Errorf("it says %v", err)
			}
			if info, err := own.Info(t.Context()); err != nil || info.State.Msgs != 1 {
				t.Errorf("the stream: %v", err)
			}
			for other := range js.StreamNames(t.Context()).Name() {
				if other != name {
					t.Errorf("stream %s is left", other)
				}
			}
		})
	}
}

// TestNoAnswer: a user that may not ask for streams is told why.
func TestNoAnswer(t *testing.T) {
	nc, _ := bustest.ServerWith(t, `jetstream: {max_file: 100MB}
		authorization {users: [{user: u, password: p, permissions: {publish: {deny: "$JS.API.>"}}}]}`).Connect(t, nats.UserInfo("u", "p"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := run(ctx, nc, options{Bundles: 20, Criteria: 4, Words: 100}); !errors.Is(err, errInUse) {
		t.Errorf("it says %v", err)
	}
}
