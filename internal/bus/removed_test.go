package bus

import (
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
)

// TestRemovedBeforeJudged: a bundle that somebody removes from IN before it is
// judged stands in nobody's way, neither in that of a copy nor of another bundle.
func TestRemovedBeforeJudged(t *testing.T) {
	t.Parallel()
	for name, failed := range map[string]int{"a copy": 0, "another bundle": 1} {
		r := newRig(t)
		stop := r.start()
		r.sealRun("run-1")
		r.settle()
		stop()
		// Nobody else is at work, so the engine does nothing between two steps.
		engine := NewEngine(r.store, r.cfg)
		stopFollowing, err := engine.startFollowing(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer stopFollowing()
		message := func(seq uint64) *message {
			m, err := streams.At(t.Context(), r.js, layout.StreamIn, seq)
			if err != nil {
				t.Fatal(err)
			}
			if err := engine.views.reach(t.Context(), seq, 0); err != nil {
				t.Fatal(err)
			}
			return &message{Message: *m}
		}
		removed := r.bundle("run-1", "one", content(0))
		in, err := engine.take(message(removed))
		if err != nil {
			t.Fatal(err)
		}
		engine.views.arrival(in)
		if err := r.store.In.DeleteMsg(t.Context(), removed); err != nil {
			t.Fatal(err)
		}
		seq := r.bundle("run-1", "one", content(failed))
		if err := engine.event(t.Context(), message(seq)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s := r.report("run-1", "one", 0).Swarm; s.In.Sequence != seq || s.Score.Failed != failed {
			t.Errorf("%s: %+v", name, s)
		}
		r.start()
		r.settle()
		checkLog(t, r.store, r.cfg.Key)
	}
}

// TestErasedCommitment: a deadline of a run whose commitment somebody removed ends
// nothing, and nothing waits for it.
func TestErasedCommitment(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	stop := r.start()
	r.sealRun("run-1")
	r.settle()
	stop()
	if err := r.store.In.Purge(t.Context(), jetstream.WithPurgeSubject(r.store.Commitment("run-1"))); err != nil {
		t.Fatal(err)
	}
	if _, err := r.js.Publish(t.Context(), r.store.RunTimer("run-1").Fired, nil); err != nil {
		t.Fatal(err)
	}
	r.start()
	r.settle()
	r.absent(r.store.RunScored("run-1"))
}
