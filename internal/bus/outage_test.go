package bus

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/panel"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// provider is a judge that may be out of reach, and says so to a small question.
type provider struct {
	scripted
	away atomic.Bool
}

func newProvider() *provider {
	p := &provider{}
	p.name = "provider"
	p.vote = func(ctx context.Context, q *shadow.Question) (shadow.Vote, error) {
		if p.away.Load() {
			return shadow.Vote{Why: "no connection", Own: true, Unreachable: true}, nil
		}
		return reads(ctx, q)
	}
	return p
}

func (p *provider) Reachable(context.Context) error {
	if p.away.Load() {
		return errors.New("no connection")
	}
	return nil
}

// TestJudgesOutOfReach: bundles wait while no majority can be reached, others are
// not held up, and when the judges are back all that waited is judged.
func TestJudgesOutOfReach(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	judge := newProvider()
	judge.away.Store(true)
	p := panel.New(panel.Config{Judges: []shadow.Judge{judge}, Wait: time.Hour, Logger: r.cfg.Logger})
	r.start(func(c *Config) { c.Panel = p })
	wait := func(bundles int) {
		t.Helper()
		bustest.WaitFor(t, "bundles to wait for their judge", func() bool {
			w := p.Waiting()
			return len(w) == 1 && w[0].Bundles == bundles && w[0].Judge == "provider" && w[0].Why == "no connection"
		})
	}
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(1))
	wait(1)
	r.sealRun("run-2")
	r.bundle("run-2", "one", "# Hello world")
	if s := r.report("run-2", "one", 0).Swarm; s.Score.Failed != 8 {
		t.Errorf("what needs no judge: %+v", s)
	}
	r.wantRejected("cmd-1", r.bundleAs("run-2", shadow.Bundle{BundleID: "b", Domain: "two", CommanderID: "cmd-1", Status: "success", Content: "x"}), shadow.NotYourDomain)
	r.bundle("run-2", "two", content(0))
	wait(2)
	for run, domain := range map[string]string{"run-1": "one", "run-2": "two"} {
		r.absent(layout.Subjects{}.GapReport(run, domain, 0))
	}
	judge.away.Store(false)
	if s := r.report("run-1", "one", 0).Swarm; s.Score != (shadow.Score{Failed: 1, Total: 8}) || len(s.AdvisoryReasons) > 0 {
		t.Errorf("judged after its wait: %+v", s)
	}
	if s := r.report("run-2", "two", 0).Swarm; s.Score.Failed != 0 || s.Verdict != shadow.Word(shadow.Perfect) {
		t.Errorf("judged after its wait: %+v", s)
	}
	if w := p.Waiting(); len(w) > 0 {
		t.Errorf("they wait still: %+v", w)
	}
	r.checked()
}

// TestOutageTooLong: when the wait is over, what nobody could judge is undecided,
// and nothing of it is put to the commander.
func TestOutageTooLong(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	judge := newProvider()
	judge.away.Store(true)
	r.start(func(c *Config) {
		c.Panel = panel.New(panel.Config{Judges: []shadow.Judge{judge}, Wait: 50 * time.Millisecond, Logger: r.cfg.Logger})
	})
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(0))
	if s := r.report("run-1", "one", 0).Swarm; !s.Final || s.Counts.Undecided != 7 || s.Verdict != shadow.WordUndecided || s.Gate.Action != shadow.Quarantine || len(s.AdvisoryReasons) == 0 {
		t.Errorf("%+v", s)
	}
	r.settle()
	r.absent(layout.Subjects{}.HardeningRequest("cmd-1", "run-1", "one", 1))
	checkLog(t, r.store, r.cfg.Key)
}
