//go:build unix

package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

const nearlyFull = "jetstream: {max_file: 100MB}"

// TestRun: a small measurement has all its figures, and leaves nothing behind.
func TestRun(t *testing.T) {
	nc, js := bustest.ServerWith(t, nearlyFull).Connect(t)
	r, err := run(t.Context(), nc, options{Bundles: 20, Criteria: 4, Words: 100})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range []float64{r.BundlesPerSecond, r.FloorPerSecond, r.Ratio, r.Latency.Alone.P50, r.Latency.Alone.P99, r.Latency.HalfLoad.P50, r.CPU.Bundle, r.CPU.Floor, r.Allocs.Bundle.Count, r.Allocs.Floor.Bytes} {
		if v <= 0 {
			t.Errorf("figure %d is %v: %+v", i, v, r)
		}
	}
	for name := range js.StreamNames(t.Context()).Name() {
		t.Errorf("stream %s is left", name)
	}
}

// TestBusInUse: where a stream of one of the names is there already, nothing is
// measured, and it stays as it is.
func TestBusInUse(t *testing.T) {
	nc, js := bustest.ServerWith(t, nearlyFull).Connect(t)
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: layout.StreamOut, Subjects: []string{"mine.>"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t.Context(), nc, options{Bundles: 20, Criteria: 4, Words: 100}); !errors.Is(err, errInUse) || !strings.Contains(err.Error(), layout.StreamOut) {
		t.Errorf("it says %v", err)
	}
	var left []string
	for name := range js.StreamNames(t.Context()).Name() {
		left = append(left, name)
	}
	if len(left) != 1 || left[0] != layout.StreamOut {
		t.Errorf("left are %v", left)
	}
}
