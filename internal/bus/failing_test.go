package bus

import (
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestFailingRunHoldsUpNobody: events of a run that cannot be opened wait, and take
// no processor from other runs.
func TestFailingRunHoldsUpNobody(t *testing.T) {
	t.Parallel()
	o := &noted{}
	r := newRig(t, func(c *Config) { c.Observer = o })
	stop := r.start()
	r.sealRun("gone")
	r.settle()
	stop()
	stored := r.envelope("gone")
	if err := r.store.Envelopes.Delete(t.Context(), "gone"); err != nil {
		t.Fatal(err)
	}
	r.start()
	r.bundle("gone", "one", content(0))
	o.fails(t, shadow.BundleComplete)
	for range 12 { // more than are handled at a time
		r.bundle("gone", "one", content(0))
		r.bundle("gone", "two", content(0))
	}
	r.goesOn("run-1")
	r.tamper("gone", stored)
	r.await(r.store.Out, layout.Subjects{}.RunScored("gone"))
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}
