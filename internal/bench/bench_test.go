package bench

import (
	"errors"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// TestRun: a small measurement has all its figures, and leaves nothing behind.
// On the bus of a shadowd nothing is measured.
func TestRun(t *testing.T) {
	nc, js := bustest.Of(t, "jetstream: {max_file: 100MB}").Connect(t) // a disk may be nearly full
	r, err := Run(t.Context(), nc, Options{Bundles: 20, Criteria: 4, Words: 100, Engines: 2})
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]float64{"bundles/s": r.BundlesPerSecond, "floor/s": r.FloorPerSecond, "ratio": r.Ratio,
		"p50": r.Latency.Alone.P50, "p99": r.Latency.Alone.P99, "at half load": r.Latency.HalfLoad.P50, "CPU": r.CPU.Bundle, "judging": r.CPU.Judging} {
		if v <= 0 {
			t.Errorf("%s is %v", name, v)
		}
	}
	if len(r.Memory) != 10 || r.Memory[9].Bundles != 20 || r.Memory[9].Heap <= 0 {
		t.Errorf("memory %v", r.Memory)
	}
	for name := range js.StreamNames(t.Context()).Name() {
		t.Errorf("stream %s is left", name)
	}
	if _, err := layout.Ensure(t.Context(), layout.Subjects{}, js, layout.StorageConfig{}); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), nc, Options{Bundles: 20, Criteria: 4, Words: 100, Engines: 1}); !errors.Is(err, ErrInUse) {
		t.Errorf("beside a shadowd: %v", err)
	}
}
