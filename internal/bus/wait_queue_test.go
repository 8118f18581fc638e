package bus

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestManyUnknownRuns: run ids are free, so what may wait for runs that nobody
// has decomposed is limited over all of them.
func TestManyUnknownRuns(t *testing.T) {
	const most, n = 10, 500
	r := newRig(t, func(c *Config) { c.WaitingPerRun = most })
	r.start()
	r.flood(n, func(i int) *nats.Msg {
		run := fmt.Sprint("nowhere-", i)
		return &nats.Msg{Subject: layout.Subjects{}.Bundle(run, "cmd-1"), Data: eventBytes(t, "e", shadow.BundleComplete, bundleData(run, bundleOf("one", "x")))}
	})
	bustest.WaitFor(t, "all but a few to be rejected", func() bool {
		i, err := r.store.Judge.Info(t.Context())
		return err == nil && i.NumPending == 0 && i.NumAckPending == most
	})
	// Its colleague waits for a run that is decomposed later, and so do those
	// that were let in.
	r.bundle("run-1", "two", content(0))
	r.goesOn("run-1")
	r.report("run-1", "two", 0)
	var waiting []string
	for i := range n {
		if _, err := r.store.Out.GetLastMsgForSubject(t.Context(), layout.Subjects{}.Rejected("cmd-1", uint64(i+1))); err != nil {
			waiting = append(waiting, fmt.Sprint("nowhere-", i))
		}
	}
	if len(waiting) != most {
		t.Errorf("%d events waited, want %d", len(waiting), most)
	}
	for _, run := range waiting {
		r.sealRun(run)
	}
	for _, run := range waiting {
		r.report(run, "one", 0)
	}
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}

// queueOf is a queue in which so many events of a commander may wait.
func queueOf(most int) (*views, *loop) {
	l := &loop{leases: newLeases()}
	l.signal = make(chan struct{}, 1)
	return newViews(layout.Subjects{}, &Config{Limits: shadow.Limits{WaitingPerRun: most, SealWait: time.Hour}}), l
}

// wait lets an event wait in a run, and says whether it may.
func (vs *views) wait(l *loop, run, commander string, seq uint64, t shadow.Turn) (*message, bool) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	m := &message{loop: l, Message: streams.Message{Seq: seq}}
	return m, errors.Is(vs.enqueue(vs.of(run, 0), m, shadow.Address{Run: run, Commander: commander}, t), errWaiting)
}

// TestUnknownRuns: the places for events of runs that nobody has decomposed are
// those of a commander, over all runs. They become free when the run becomes
// known, or the event has its outcome.
func TestUnknownRuns(t *testing.T) {
	unknown := shadow.Turn{Await: shadow.AwaitRun}
	for name, free := range map[string]func(*views, *message){
		"known":   func(vs *views, _ *message) { vs.waits.decomposed(vs.runs["run-1"]) },
		"settled": func(vs *views, m *message) { vs.settled(m) },
	} {
		vs, l := queueOf(1)
		if _, ok := vs.wait(l, "run-1", "cmd-1", 1, unknown); !ok {
			t.Errorf("%s: there was no place", name)
		}
		again, ok := vs.wait(l, "run-1", "cmd-1", 1, unknown)
		if !ok { // the same event takes one place
			t.Errorf("%s: delivered again it was refused", name)
		}
		if _, ok := vs.wait(l, "run-2", "cmd-1", 2, unknown); ok {
			t.Errorf("%s: a second one was let in", name)
		}
		if _, ok := vs.wait(l, "run-2", "cmd-2", 3, unknown); !ok {
			t.Errorf("%s: a colleague was shut out", name)
		}
		free(vs, again)
		if _, ok := vs.wait(l, "run-3", "cmd-1", 4, unknown); !ok {
			t.Errorf("%s: the place is still taken", name)
		}
	}
}

// TestWaitsOnce: an event that is handled ahead takes no other place when its
// durable comes to it.
func TestWaitsOnce(t *testing.T) {
	for _, wait := range []shadow.Await{shadow.AwaitRun, shadow.AwaitSeal} {
		vs, l := queueOf(1)
		turn := shadow.Turn{Await: wait}
		if _, ok := vs.wait(&loop{leases: newLeases()}, "run-1", "cmd-1", 1, turn); !ok {
			t.Error("there was no place")
		}
		m, ok := vs.wait(l, "run-1", "cmd-1", 1, turn)
		if v := vs.runs["run-1"]; !ok || len(v.waiting) != 1 || vs.waits.events != 1 || v.users != 1 {
			t.Errorf("%v: %d wait, %d in all, %d users", ok, len(v.waiting), vs.waits.events, v.users)
		}
		vs.sealed(vs.runs["run-1"], shadow.Place{Sequence: 2})
		if vs.next(l) != m {
			t.Error("it is not the durable's that goes on")
		}
	}
}

// TestLookedAtSeldom: an event that waits for a report longer than for an unknown
// run is not looked at again and again, which takes questions to the server.
func TestLookedAtSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		vs, l := queueOf(1)
		report := shadow.Turn{Await: shadow.AwaitReport}
		m, _ := vs.wait(l, "run-1", "cmd-1", 1, report)
		for range 3 {
			began := time.Now()
			<-l.signal
			if waited := time.Since(began); vs.next(l) != m || waited != vs.waits.limits.SealWait {
				t.Errorf("it was looked at after %s", waited)
			}
			vs.locked(func() { _ = vs.enqueue(vs.runs["run-1"], m, shadow.Address{Commander: "cmd-1"}, report) })
		}
	})
}

// TestWaitingRoom: a commander that fills its own places leaves its colleagues
// theirs. Who goes on leaves room for others, and whose judgement the others
// wait for is never refused.
func TestWaitingRoom(t *testing.T) {
	vs, l := queueOf(2)
	seal := shadow.Turn{Await: shadow.AwaitSeal}
	for seq, want := range map[uint64]bool{1: true, 2: true} {
		if _, ok := vs.wait(l, "run-1", "greedy", seq, seal); ok != want {
			t.Errorf("event %d: %v", seq, ok)
		}
	}
	if _, ok := vs.wait(l, "run-1", "greedy", 3, seal); ok {
		t.Error("a third one was let in")
	}
	if _, ok := vs.wait(l, "run-1", "honest", 4, seal); !ok {
		t.Error("a colleague was shut out")
	}
	slot := shadow.Slot{Domain: "one"}
	copied := shadow.Turn{Await: shadow.AwaitReport, Slot: slot, Holder: &shadow.Arrival{Place: shadow.Place{Sequence: 5}}}
	if _, ok := vs.wait(l, "run-1", "greedy", 6, copied); ok {
		t.Error("one copy too many was let in")
	}
	if _, ok := vs.wait(l, "run-1", "greedy", 5, copied); !ok {
		t.Error("the event that is judged was refused")
	}
	v := vs.runs["run-1"]
	vs.sealed(v, shadow.Place{Sequence: 7})
	for m := vs.next(l); m != nil; m = vs.next(l) {
		if m.Seq == 5 {
			t.Error("the seal does not concern it")
		}
	}
	if len(v.waiting) != 1 || vs.waits.events != 1 || v.users != 1 {
		t.Errorf("%d wait, %d in all, %d users", len(v.waiting), vs.waits.events, v.users)
	}
	vs.leaveSlot(v, slot)
	if m := vs.next(l); m == nil || m.Seq != 5 || vs.waits.events != 0 {
		t.Errorf("after the judgement: %v", m)
	}
}
