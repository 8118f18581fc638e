package bus

import (
	"fmt"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// TestOpenRunsBounded: open runs stay in memory up to a sum of bytes, those that
// were used last.
func TestOpenRunsBounded(t *testing.T) {
	e := NewEngine(&layout.Store{}, Config{})
	open := func(n int, size int64) {
		e.keepOpen(fmt.Sprint("run-", n), &sealedRun{size: size})
	}
	for n := range 20 {
		open(n, runsBytes/4)
		open(n, runsBytes/4) // an envelope that was opened again
	}
	if e.runs.Len() != 4 || e.runsSize.Load() != runsBytes {
		t.Errorf("%d runs of %d bytes", e.runs.Len(), e.runsSize.Load())
	}
	for n := 16; n < 20; n++ {
		if !e.runs.Contains(fmt.Sprint("run-", n)) {
			t.Errorf("run-%d was dropped", n)
		}
	}
	open(99, 2*runsBytes)
	if e.runs.Len() != 1 || !e.runs.Contains("run-99") {
		t.Errorf("%q", e.runs.Keys())
	}
	e.runs.Remove("run-99")
	if e.runsSize.Load() != 0 {
		t.Errorf("%d bytes of no run", e.runsSize.Load())
	}
}
