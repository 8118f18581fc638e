package bus

import (
	"testing"

	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestRotationDaemonByDaemon: while the envelope key is rotated, a daemon that
// has the old one alone leaves to others what follows from reports of those
// that have the new one. Else their fixes would never be signed.
func TestRotationDaemonByDaemon(t *testing.T) {
	o := &noted{}
	r := newStarted(t)
	r.stop()
	young := bustest.Must(nkeys.CreateCurveKeys())
	ring := shadow.NewRing(young, r.cfg.Key)
	rotated := func(c *Config) { c.Key = ring }
	r.start(rotated)
	r.bundle("run-1", "one", content(4))
	r.await(r.store.Out, layout.Subjects{}.HardeningRequest("cmd-1", "run-1", "one", 1))
	r.ends()
	r.start(func(c *Config) { c.Observer = o })
	r.fix("run-1", "one", 1, content(0))
	bustest.WaitFor(t, "the daemon with the old key to come to the fix", func() bool {
		_, err := r.store.Out.GetLastMsgForSubject(t.Context(), layout.Subjects{}.GapReport("run-1", "one", 1))
		return err == nil || sum(o.of("failed")) > 0
	})
	r.stop()
	r.absent(layout.Subjects{}.GapReport("run-1", "one", 1))
	r.start(rotated)
	r.bundle("run-1", "two", content(0))
	r.report("run-1", "one", 1)
	r.await(r.store.Out, layout.Subjects{}.RunScored("run-1"))
	r.settle()
	r.statement("run-1", "one", 1)
	checkLog(t, r.store, ring)
}
