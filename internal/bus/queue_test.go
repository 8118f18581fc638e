package bus

import (
	"context"
	"fmt"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestAuthorStays: an item that outlives its author's queue does not take the next
// one's place, whose items would be overtaken.
func TestAuthorStays(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	end() // nothing is begun
	s := &session{ctx: ctx, authors: map[string]*author{}, runs: map[string]*run{}, ticks: &shadow.Ticks{}}
	before := s.by("a")
	s.next(before)
	now := s.by("a")
	now.underWay = 1
	s.stick(&item{run: s.of("run-1"), author: before})
	s.wake(s.of("run-1"), func(*item) bool { return true })
	if before == now || s.by("a") != now {
		t.Error("the author is another one")
	}
}

// TestWokenInOrder: what was stuck is started in the order of the log, and the end of
// what an author handed in comes last.
func TestWokenInOrder(t *testing.T) {
	s := &session{ctx: t.Context(), authors: map[string]*author{}, runs: map[string]*run{}, ticks: &shadow.Ticks{}, read: 8}
	a, r := s.by("a"), s.of("run-1")
	a.underWay = perAuthor // so nothing is started
	for _, it := range []*item{{kind: endReached}, {seq: 8}, {seq: 7}} {
		it.run, it.author = r, a
		s.add(it)
		s.stick(it)
	}
	a.items = nil
	s.wake(r, func(*item) bool { return true })
	for i, seq := range []uint64{7, 8, 9} {
		if it := a.again[i]; it.seq != seq || (it.kind == endReached) != (seq == 9) {
			t.Errorf("%d: %d", i, it.seq)
		}
	}
}

// TestStuckRunKeepsOrder: what comes while a run cannot be opened is not taken in
// before what came earlier.
func TestStuckRunKeepsOrder(t *testing.T) {
	t.Parallel()
	r := newSealed(t)
	stored := r.envelope("run-1")
	bustest.OK(t, r.store.Envelopes.Delete(t.Context(), "run-1"))
	r.start()
	r.bundle("run-1", "two", content(0))
	var s *session
	look := func(of func(*run) bool) func() bool {
		return func() bool {
			if s = r.engine.session.Load(); s == nil {
				return false
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.runs["run-1"] != nil && of(s.runs["run-1"])
		}
	}
	waits := func(n int) {
		t.Helper()
		bustest.WaitFor(t, fmt.Sprint(n, " to wait"), look(func(run *run) bool { return len(run.waiting) == n }))
	}
	bustest.WaitFor(t, "the run to be stuck", look(func(run *run) bool {
		stuck := run.retrying
		run.retry = lastRetry / 4 // the next time it is long
		return stuck
	}))
	bustest.WaitFor(t, "it to be stuck for long", look(func(run *run) bool { return run.retrying && run.retry == lastRetry/2 }))
	first := r.bundle("run-1", "one", content(0))
	waits(3) // the opening too
	for range cap(s.cpu) {
		s.cpu <- struct{}{} // whatever comes now is slow
	}
	second := bundleOf("one", content(1))
	second.BundleID = "b-other"
	seq := r.bundleAs("run-1", second)
	bustest.WaitFor(t, "the second one to be read", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.read >= seq
	})
	r.tamper("run-1", stored)
	bustest.WaitFor(t, "the run to be tried again", look(func(run *run) bool { return !run.retrying && len(run.waiting) == 0 }))
	for range cap(s.cpu) {
		<-s.cpu
	}
	r.wantRejected("cmd-1", seq, shadow.SlotTaken)
	if rep := r.report("run-1", "one", 0); rep.Swarm.In.Sequence != first {
		t.Errorf("%d was judged, not %d", rep.Swarm.In.Sequence, first)
	}
	r.checked()
}
