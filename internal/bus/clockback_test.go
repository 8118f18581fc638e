package bus

import (
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
)

// TestReportsNotFollowed: where a server's clock went back, OUT may be followed
// from behind the reports of a run. A fix of it is no fix of nothing, and a
// deadline ends its domain.
func TestReportsNotFollowed(t *testing.T) {
	t.Parallel()
	for name, fixed := range map[string]bool{"a fix": true, "a deadline": false} {
		r := newRig(t, func(c *Config) { c.Settings.FixTimeout = time.Second })
		r.askForFix()
		engine := NewEngine(r.store, r.cfg)
		stop, err := engine.startFollowing(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		v, err := engine.use(t.Context(), "run-1", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		engine.views.locked(func() {
			clear(v.Reports)
			clear(v.stored)
		})
		m := &message{since: time.Now().Add(-2 * r.cfg.SealWait)}
		handle, stream := engine.clock, layout.StreamOut
		var seq uint64
		if fixed {
			handle, stream, seq = engine.event, layout.StreamIn, r.fix("run-1", "one", 1, content(0))
		} else {
			seq = r.await(r.store.Out, r.store.DomainTimer("run-1", "one", 1).Fired).Sequence
		}
		stored, err := streams.At(t.Context(), r.js, stream, seq)
		if err != nil {
			t.Fatal(err)
		}
		m.Message = *stored
		if err := handle(t.Context(), m); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s := r.report("run-1", "one", 1).Swarm; s.Hardening.TimedOut == fixed || !s.Final {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
