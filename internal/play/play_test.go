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

// TestDemoPlays: the demo's swarm publishes everything, and is done when all is judged.
func TestDemoPlays(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	if _, err := layout.Ensure(t.Context(), layout.Subjects{}, js, layout.StorageConfig{}); err != nil {
		t.Fatal(err)
	}
	demo := mustDemo(t)
	run := demo.Decomposition.RunID
	p, err := NewPlayer(t.Context(), &Bus{JS: js}, layout.Subjects{}, []string{run}, func(history.Event) error { return nil })
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
	r := p.tracker.run(run)
	r.Commitment = &shadow.Commitment{CriteriaByDomain: make([]int, len(demo.bundles)), DecompositionDigest: digest(demo.decomposition)}
	r.Scored = &shadow.RunData{}
	for domain, bundle := range demo.bundles {
		rep := &shadow.Report{}
		rep.Swarm.Final, rep.Swarm.BundleDigest = true, digest(bundle)
		r.Reports[domain] = []*shadow.Report{rep}
	}
	if err := demo.Play(t.Context(), p); err != nil || !p.Done() || p.Wait(t.Context()) != nil || len(p.tracker.mine) != 1+len(demo.bundles) {
		t.Errorf("done: %t, %d published, %v", p.Done(), len(p.tracker.mine), err)
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
