package bus

import (
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestLoadedAgain: to read what is stored of a run may fail halfway, such as on a
// report of a daemon whose key is newer. Read again, each event is in the view
// once, and leaves it when it is rejected.
func TestLoadedAgain(t *testing.T) {
	r := newRig(t)
	seq := r.decompose(twoDomains("run-1"))
	newer := nats.NewMsg(r.store.GapReport("run-1", "one", 0))
	newer.Header.Set(ownHeader, "0123456789abcdef ")
	ack, err := r.js.PublishMsg(t.Context(), newer)
	if err != nil {
		t.Fatal(err)
	}
	e := NewEngine(r.store, r.cfg)
	e.views.startAt(seq)
	if _, err := e.use(t.Context(), "run-1", seq, 0); err == nil {
		t.Fatal("a report of another key was read")
	}
	if err := r.store.Out.DeleteMsg(t.Context(), ack.Sequence); err != nil {
		t.Fatal(err)
	}
	v, err := e.use(t.Context(), "run-1", seq, 0)
	if err != nil {
		t.Fatal(err)
	}
	e.views.locked(func() {
		if n := len(v.Decompositions()); n != 1 {
			t.Errorf("it has %d decompositions", n)
		}
		e.views.rejected(seq)
	})
	if v.Turn(&shadow.Event{Decomposition: &shadow.Arrival{Read: true, Digest: "of another"}}).Refusal.Reason != shadow.CannotSeal {
		t.Error("one that was rejected still stands in the way")
	}
}

// TestReportsOfDroppedView: OUT may be followed in front of IN, as after a start,
// and a view that it made be dropped for want of room. Made again when IN has come
// to the run, it knows the reports: a domain whose bundle was judged is not missing.
func TestReportsOfDroppedView(t *testing.T) {
	r := newRig(t)
	stop := r.start()
	r.sealRun("run-1")
	last := r.bundle("run-1", "one", content(0))
	r.report("run-1", "one", 0)
	r.settle()
	stop()
	e := NewEngine(r.store, r.cfg)
	report, err := streams.Last(t.Context(), r.js, layout.StreamOut, r.store.GapReport("run-1", "one", 0))
	if err != nil {
		t.Fatal(err)
	}
	e.views.followOut(&message{Message: *report})
	e.views.locked(func() { e.views.dropIdle(1) })
	for seq := uint64(1); seq <= last; seq++ {
		m, err := streams.At(t.Context(), r.js, layout.StreamIn, seq)
		if err != nil {
			t.Fatal(err)
		}
		e.views.followIn(t.Context(), &message{Message: *m})
	}
	v, err := e.use(t.Context(), "run-1", last, report.Seq)
	if err != nil {
		t.Fatal(err)
	}
	if v.Reports[shadow.Slot{Domain: "one"}] == nil {
		t.Error("the report is not known")
	}
}

// TestLoadKeepsNoData: a run may have gigabytes of events, of which little has to be
// known.
func TestLoadKeepsNoData(t *testing.T) {
	r := newRig(t)
	last := r.bundle("run-1", "one", content(0))
	found, err := NewEngine(r.store, r.cfg).before(t.Context(), r.store.Bundle("run-1", "*"), last)
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	if p := found[0]; p.Data != nil || p.content.BundleID != "b-one" || p.content.Digest == "" {
		t.Errorf("%+v", p)
	}
}
