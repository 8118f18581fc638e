package bus

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/panel"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestManyCopies: the copies of a bundle that is being judged take no workers
// from others, however long its judges take.
func TestManyCopies(t *testing.T) {
	r := proseRig(t, func(c *Config) { c.WaitingPerRun = 4 * patient })
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
	bustest.WaitFor(t, "the judge to be asked", func() bool { return judges[0].calls.Load() == 3 })
	copied := eventBytes(t, "e", shadow.BundleComplete, bundleData("run-1", bundleOf("one", content(0))))
	r.flood(3*patient, func(int) *nats.Msg {
		return &nats.Msg{Subject: Layout{}.Bundle("run-1", "cmd-1"), Data: copied}
	})
	r.goesOn("run-2")
	close(release)
	if s := r.report("run-1", "one", 0).Swarm; s.In.Sequence != first || s.Score.Failed != 0 {
		t.Errorf("%+v", s)
	}
	r.settle()
	if n := judges[0].calls.Load(); n != 6 {
		t.Errorf("%d calls for the three questions of each run", n)
	}
	checkLog(t, r.store, r.cfg.Key)
}

// TestCopiesThatWait: too many copies are refused, but never the event that is
// judged: a refused one does not take its slot.
func TestCopiesThatWait(t *testing.T) {
	e := &Engine{waiting: newWaitingBook(1, time.Hour)}
	event := func(seq uint64) *input {
		return &input{message: &message{seq: seq}, addr: Address{Run: "run-1", Commander: "cmd-1"}, submission: &shadow.Submission{RunID: "run-1"}}
	}
	sl := &slot{run: &sealedRun{}, domain: &shadow.Domain{Domain: "one"}}
	first, judging := event(1), true
	if err := e.awaitJudgement(sl, event(2), first); !errors.Is(err, errWait) {
		t.Errorf("a copy: %v", err)
	}
	again := func() bool {
		return e.waiting.again(first.addr, 2, func(slot string) bool { return judging && slot == sl.key() })
	}
	if !again() {
		t.Error("a copy that waits is read again")
	}
	if judging = false; again() {
		t.Error("a copy still waits after the judgement")
	}
	if r := asRefusal(e.awaitJudgement(sl, event(3), first)); r == nil || r.reason != shadow.TooManyWaiting {
		t.Errorf("one copy too many: %v", r)
	}
	if err := e.awaitJudgement(sl, first, first); !errors.Is(err, errWait) {
		t.Errorf("the event that is judged: %v", err)
	}
}
