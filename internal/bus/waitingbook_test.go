package bus

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
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
		return &nats.Msg{Subject: Layout{}.Bundle(run, "cmd-1"), Data: eventBytes(t, "e", shadow.BundleComplete, bundleData(run, bundleOf("one", "x")))}
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
		if _, err := r.store.Out.GetLastMsgForSubject(t.Context(), Layout{}.Rejected("cmd-1", uint64(i+1))); err != nil {
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

// TestUnknownRoom: the places for events of unknown runs become free, whether
// the run becomes known, the event has its outcome, or it never comes again.
func TestUnknownRoom(t *testing.T) {
	now := time.Unix(0, 0)
	w := newWaitingBook(1, time.Hour)
	w.now = func() time.Time { return now }
	event := func(run string, seq uint64) *input {
		in := &input{message: &message{seq: seq}, addr: Address{Run: run, Commander: "cmd-1"}}
		w.enter(in)
		return in
	}
	first := event("run-1", 1)
	for name, free := range map[string]func(){
		"known":   func() { w.known(first) },
		"settled": func() { w.leave(first.addr, first.seq) },
		"gone":    func() { now = now.Add(2 * goneAfter); event("run-3", 3) },
	} {
		w.enter(first)
		for range 2 { // the same event takes one place
			if !w.enterUnknown(first) {
				t.Errorf("%s: there was no place", name)
			}
		}
		if w.enterUnknown(event("run-2", 2)) {
			t.Errorf("%s: a second one was let in", name)
		}
		w.leave(Address{Run: "run-2", Commander: "cmd-1"}, 2)
		if free(); len(w.unknown) != 0 {
			t.Errorf("%s: the place is still taken", name)
		}
	}
}

// TestWaitingRoom: a commander that fills its own places leaves its
// colleagues theirs, and what another daemon has settled is forgotten.
func TestWaitingRoom(t *testing.T) {
	now := time.Unix(0, 0)
	w := newWaitingBook(2, time.Hour)
	w.now = func() time.Time { return now }
	event := func(commander string, seq uint64) *input {
		return &input{message: &message{seq: seq}, addr: Address{Run: "run-1", Commander: commander}}
	}
	for seq, want := range map[uint64]bool{1: true, 2: true} {
		if _, ok := w.enter(event("greedy", seq)); ok != want {
			t.Errorf("event %d: %v", seq, ok)
		}
	}
	if _, ok := w.enter(event("greedy", 3)); ok {
		t.Error("a third one was let in")
	}
	if _, ok := w.enter(event("honest", 4)); !ok {
		t.Error("a colleague was shut out")
	}
	now = now.Add(time.Second)
	if since, ok := w.enter(event("greedy", 1)); !ok || since != time.Second {
		t.Errorf("the first one again: %v, %v", since, ok)
	}
	w.leave(Address{Run: "run-1", Commander: "honest"}, 4)
	now = now.Add(2 * goneAfter)
	if _, ok := w.enter(event("greedy", 5)); !ok || len(w.queues) != 1 || len(w.queues[waiter{"run-1", "greedy"}]) != 1 {
		t.Errorf("what never came again is still there: %v, %v", ok, w.queues)
	}
}
