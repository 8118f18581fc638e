package bus

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/panel"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestManyCopies: the copies of a bundle that is being judged take no workers
// from others, however long its judges take.
func TestManyCopies(t *testing.T) {
	r := newRig(t, func(c *Config) { c.WaitingPerRun = 4 * judgeWorkers })
	release := make(chan struct{})
	judges := bench(func(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
		if q.RunID == "run-1" {
			select {
			case <-release:
			case <-ctx.Done():
			}
		}
		return reads(ctx, q)
	})
	r.start(r.judged(judges, func(c *panel.Config) { c.Timeout = time.Hour }))
	r.sealRun("run-1")
	first := r.bundle("run-1", "one", content(0))
	bustest.WaitFor(t, "the judge to be asked", func() bool { return judges[0].calls.Load() == 1 })
	copied := eventBytes(t, "e", shadow.BundleComplete, bundleData("run-1", bundleOf("one", content(0))))
	r.flood(3*judgeWorkers, func(int) *nats.Msg {
		return &nats.Msg{Subject: layout.Subjects{}.Bundle("run-1", "cmd-1"), Data: copied}
	})
	r.goesOn("run-2")
	close(release)
	if s := r.report("run-1", "one", 0).Swarm; s.In.Sequence != first || s.Score.Failed != 0 {
		t.Errorf("%+v", s)
	}
	r.settle()
	if n := judges[0].calls.Load(); n != 14 {
		t.Errorf("%d calls for the seven questions of each run", n)
	}
	checkLog(t, r.store, r.cfg.Key)
}
