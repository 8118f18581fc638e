package bus

import (
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// newStarted is a rig with a running engine that has sealed run-1.
func newStarted(t testing.TB, change ...func(*Config)) *rig {
	t.Helper()
	r := newRig(t, change...)
	r.start()
	r.sealRun("run-1")
	return r
}

// newSealed is a rig whose engine has sealed run-1 and was stopped.
func newSealed(t testing.TB, change ...func(*Config)) *rig {
	t.Helper()
	r := newStarted(t, change...)
	r.ends()
	return r
}

// TestCommanders lists what a commander may try. Each attempt is refused with
// its reason, and a colleague's work goes on.
func TestCommanders(t *testing.T) {
	r := newStarted(t)
	r.bundle("run-1", "one", content(4))
	r.report("run-1", "one", 0)

	of := func(commander, id, domain string, failed int) shadow.Bundle {
		return shadow.Bundle{BundleID: id, Domain: domain, CommanderID: commander, Status: "success", Content: content(failed)}
	}
	fishing := of("cmd-1", "b-new", "one", 0)
	r.wantRejected("cmd-1", r.bundleAs("run-1", of("cmd-1", "b-one", "one", 0)), shadow.SlotTaken)
	r.wantRejected("cmd-1", r.bundleAs("run-1", fishing), shadow.SlotTaken)
	r.wantRejected("cmd-1", r.bundleAs("run-1", of("cmd-1", "b-two", "two", 8)), shadow.NotYourDomain)
	r.wantRejected("cmd-1", r.bundleAs("run-1", of("cmd-1", "b-three", "three", 0)), shadow.NotYourDomain)
	// On its own subject, but in a colleague's name.
	r.wantRejected("cmd-1", r.send(layout.Subjects{}.Bundle("run-1", "cmd-1"), shadow.BundleComplete, bundleData("run-1", bundleOf("two", content(8)))), shadow.IDMismatch)
	// Into another run.
	r.wantRejected("cmd-1", r.send(layout.Subjects{}.Bundle("run-2", "cmd-1"), shadow.BundleComplete, bundleData("run-1", bundleOf("one", content(0)))), shadow.IDMismatch)

	r.wantRejected("cmd-1", r.fixAs("run-1", 1, fishing), shadow.FixOtherBundle)
	r.wantRejected("cmd-1", r.fix("run-1", "one", 2, content(0)), shadow.FixNotAsked)

	r.fix("run-1", "one", 1, content(3))
	r.report("run-1", "one", 1)
	r.wantRejected("cmd-1", r.fix("run-1", "one", 1, content(0)), shadow.FixTaken)
	r.wantRejected("cmd-1", r.fix("run-1", "one", 2, content(0)), shadow.FixNotAsked)

	r.bundle("run-1", "two", content(0))
	if rep := r.report("run-1", "two", 0); rep.Swarm.Score.Failed != 0 {
		t.Errorf("the colleague's: %+v", rep.Swarm)
	}
	r.wantRejected("cmd-2", r.fix("run-1", "two", 1, content(0)), shadow.FixNotAsked)
	data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
	r.wantRejected("cmd-1", r.bundleAs("run-1", fishing), shadow.SlotTaken)
	r.checked()
}

// TestFirstInTheLogWins: whichever of two bundles is processed first, the slot
// goes to the one that was stored first.
func TestFirstInTheLogWins(t *testing.T) {
	r := newRig(t)
	r.decompose(twoDomains("run-1"))
	first := r.bundle("run-1", "one", content(1))
	var later []uint64
	for n := range 6 {
		b := bundleOf("one", content(n))
		b.BundleID = "b-other"
		later = append(later, r.bundleAs("run-1", b))
	}
	r.start()
	r.start()
	if rep := r.report("run-1", "one", 0); rep.Swarm.In.Sequence != first {
		t.Errorf("the slot went to sequence %d, the first was %d", rep.Swarm.In.Sequence, first)
	}
	for _, seq := range later {
		r.wantRejected("cmd-1", seq, shadow.SlotTaken)
	}
	r.checked()
}

// TestUnaskedFix: a fix for a domain whose bundle never came is refused after
// a while, one that overtook its report is not.
func TestUnaskedFix(t *testing.T) {
	r := newStarted(t, func(c *Config) { c.SealWait = 50 * time.Millisecond })
	r.wantRejected("cmd-1", r.fix("run-1", "one", 1, content(0)), shadow.FixNotAsked)
	r.checked()
}
