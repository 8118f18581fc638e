package bus

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestFailingRunHoldsUpNobody: events of a run that cannot be opened wait, and no others
// of their commanders do.
func TestFailingRunHoldsUpNobody(t *testing.T) {
	t.Parallel()
	o := &noted{}
	r := newSealed(t, func(c *Config) { c.Observer = o })
	stored := r.envelope("run-1")
	bustest.OK(t, r.store.Envelopes.Delete(t.Context(), "run-1"))
	r.start()
	r.bundle("run-1", "one", content(0))
	o.fails(t, shadow.BundleComplete)
	for range 2 * perAuthor { // more than are handled at a time
		r.bundle("run-1", "one", content(0))
		r.bundle("run-1", "two", content(0))
	}
	r.goesOn("run-2")
	r.tamper("run-1", stored)
	r.await(r.store.Out, layout.Subjects{}.RunScored("run-1"))
	r.checked()
}

// TestFailingIsBounded: while nothing can be stored, no author has more under way than
// a few, and then all goes on.
func TestFailingIsBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	pub := newFaulty(r.js, nil)
	r.start(func(c *Config) { c.Publisher = pub })
	bustest.WaitFor(t, "it to be active", func() bool { return r.engine.session.Load() != nil })
	pub.Plan(func(*nats.Msg) loss { return lost })
	const n = 5 * perAuthor
	r.flood(n, func(i int) *nats.Msg {
		return &nats.Msg{Subject: layout.Subjects{}.Bundle(fmt.Sprint("run-", i), "cmd-1"), Data: []byte("no event")}
	})
	s := r.engine.session.Load()
	bustest.WaitFor(t, "all that may fail to fail", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		a := s.authors["cmd-1"]
		return a != nil && s.read == n && a.failed == perAuthor && a.underWay == perAuthor && len(a.items) == n-2*perAuthor
	})
	pub.Plan(func(*nats.Msg) loss { return unharmed })
	r.settle()
	bustest.WaitFor(t, "its author to be forgotten", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.authors) == 0
	})
}
