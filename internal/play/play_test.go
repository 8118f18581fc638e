package play

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestWaitForWithheld: what follows from reports is waited for, but not without
// end, and what did not come is named.
func TestWaitForWithheld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Player{tracker: newTracker(), outputs: make(chan history.Event)}
		r := p.tracker.run("run")
		r.Commitment, r.Scored = &shadow.Commitment{CriteriaByDomain: []int{8}}, &shadow.RunData{}
		first, last := &shadow.Report{}, &shadow.Report{}
		first.Swarm.CommanderID, first.Swarm.Hardening.Requested = "cmd", true
		last.Swarm.Final, last.Swarm.Gate.Action = true, shadow.Quarantine
		r.Reports["d"] = []*shadow.Report{first, last}
		var missing []string
		err := p.Wait(t.Context(), func(subject string) { missing = append(missing, subject) })
		if want := []string{"swarm.bundle-quarantined.run.d", "swarm.hardening-request.cmd.run.d.1"}; err != nil || !slices.Equal(missing, want) {
			t.Errorf("%q, want %q, %v", missing, want, err)
		}
	})
}

// TestWaits: while outputs are waited for, it is told for which judges bundles wait.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		p := &Player{bus: &Bus{Awaited: func() []string { return []string{"gpt"} }}, tracker: newTracker(), outputs: make(chan history.Event)}
		p.Waits = func(lines []string) { told = append(told, lines...) }
		err := p.until(t.Context(), 5*time.Second, func() bool { return false })
		if !errors.Is(err, context.DeadlineExceeded) || !slices.Equal(told, []string{"gpt", "gpt"}) {
			t.Errorf("told %q, %v", told, err)
		}
	})
}

// TestDemoWithheld: the demo's swarm is done when all is judged, whatever follows
// from the reports.
func TestDemoWithheld(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	if _, err := layout.Ensure(t.Context(), layout.Subjects{}, js, layout.StorageConfig{}); err != nil {
		t.Fatal(err)
	}
	demo, err := NewDemo()
	if err != nil {
		t.Fatal(err)
	}
	digest := func(data any) string {
		raw, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		return shadow.Digest(raw)
	}
	p := &Player{bus: &Bus{JS: js}, tracker: newTracker(), outputs: make(chan history.Event)}
	r := p.tracker.run(demo.Decomposition.RunID)
	r.Commitment = &shadow.Commitment{CriteriaByDomain: make([]int, len(demo.bundles)), DecompositionDigest: digest(demo.decomposition)}
	r.Scored = &shadow.RunData{}
	for domain, bundle := range demo.bundles {
		rep := &shadow.Report{}
		rep.Swarm.Final, rep.Swarm.BundleDigest, rep.Swarm.Gate.Action = true, digest(bundle), shadow.Quarantine
		r.Reports[domain] = []*shadow.Report{rep}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // it takes none of it
	defer cancel()
	if err := demo.Play(ctx, p); err != nil || p.Done() {
		t.Errorf("done: %t, %v", p.Done(), err)
	}
}

// TestSecondDecomposition: that a second decomposition of a run is rejected says
// nothing of its seal, whichever of the two is told first.
func TestSecondDecomposition(t *testing.T) {
	tr := newTracker()
	addr := shadow.Address{Name: shadow.DecompositionDone, Run: "r"}
	tr.sent(1, history.Event{Address: addr, Payload: &shadow.Decomposition{Task: "a"}})
	tr.sent(2, history.Event{Address: addr, Payload: &shadow.Decomposition{Task: "b"}})
	rejected := func(seq uint64) {
		tr.take(history.Event{Address: shadow.Address{Name: shadow.EventRejected, Run: "r", Sequence: seq, Author: layout.AuthorNexus}, Payload: &shadow.Rejection{}})
	}
	if rejected(2); tr.sealed("r") {
		t.Error("the first one may still be sealed")
	}
	if rejected(1); !tr.sealed("r") {
		t.Error("the seal of a run is awaited whose decompositions are all rejected")
	}
}
