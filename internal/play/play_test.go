package play

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestWaitForWithheld: what follows from a final report is not waited for without
// end, and what did not come is named.
func TestWaitForWithheld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Player{tracker: newTracker(), outputs: make(chan history.Output)}
		r := p.tracker.run("run")
		r.Commitment, r.Scored = &shadow.Commitment{Domains: 1}, &shadow.RunData{}
		rep := &shadow.Report{}
		rep.Swarm.Final, rep.Swarm.Gate.Action = true, shadow.Quarantine
		r.Reports["d"] = []*shadow.Report{rep}
		var missing []string
		err := p.Wait(t.Context(), func(subject string) { missing = append(missing, subject) })
		if want := []string{"swarm.attestation.run.d", "swarm.bundle-quarantined.run.d"}; err != nil || !slices.Equal(missing, want) {
			t.Errorf("%q, want %q, %v", missing, want, err)
		}
	})
}
