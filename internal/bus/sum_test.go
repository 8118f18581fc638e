package bus

import (
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestScoredOfNothing: a view may lose its domains while the run is scored at its
// deadline. No daemon then says that the run, of no domain, is perfect.
func TestScoredOfNothing(t *testing.T) {
	r := newRig(t)
	run := &sealedRun{commitment: &shadow.Commitment{RunID: "run-1"}, domains: []shadow.Domain{{Domain: "a"}}}
	finals, _, _ := new(shadow.View).Finals()
	if err := NewEngine(r.store, r.cfg).publishSum(t.Context(), run, finals, time.Now()); err == nil {
		t.Error("it is scored")
	}
	r.absent(r.store.RunScored("run-1"))
}
