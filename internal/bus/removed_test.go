package bus

import (
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
)

// TestRemovedBeforeJudged: a bundle that somebody removes from IN before it is
// judged stands in nobody's way, neither in that of a copy nor of another bundle.
func TestRemovedBeforeJudged(t *testing.T) {
	t.Parallel()
	for name, failed := range map[string]int{"a copy": 0, "another bundle": 1} {
		r := newSealed(t)
		removed := r.bundle("run-1", "one", content(0))
		bustest.OK(t, r.store.In.DeleteMsg(t.Context(), removed))
		seq := r.bundle("run-1", "one", content(failed))
		r.start()
		if s := r.report("run-1", "one", 0).Swarm; s.In.Sequence != seq || s.Score.Failed != failed {
			t.Errorf("%s: %+v", name, s)
		}
		r.checked()
	}
}

// TestErasedCommitment: a run whose commitment somebody removed ends with nothing,
// and nothing waits for it.
func TestErasedCommitment(t *testing.T) {
	t.Parallel()
	r := newSealed(t)
	bustest.OK(t, r.store.In.Purge(t.Context(), jetstream.WithPurgeSubject(r.store.Commitment("run-1"))))
	r.start()
	r.goesOn("run-2")
	r.settle()
	r.absent(r.store.RunScored("run-1"))
}
