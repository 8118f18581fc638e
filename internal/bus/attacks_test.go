package bus

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// TestCommanders lists what a commander may try. Each attempt is refused with
// its reason, and a colleague's work goes on.
func TestCommanders(t *testing.T) {
	r := newRig(t)
	r.start()
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(4))
	r.report("run-1", "one", 0)

	again := bundleOf("one", content(0))
	r.wantRejected("cmd-1", r.bundleAs("run-1", again), shadow.SlotTaken)

	fishing := bundleOf("one", content(0))
	fishing.BundleID = "b-new"
	r.wantRejected("cmd-1", r.bundleAs("run-1", fishing), shadow.SlotTaken)

	foreign := bundleOf("two", content(8))
	foreign.CommanderID = "cmd-1"
	r.wantRejected("cmd-1", r.bundleAs("run-1", foreign), shadow.NotYourDomain)

	invented := bundleOf("three", content(0))
	invented.CommanderID = "cmd-1"
	r.wantRejected("cmd-1", r.bundleAs("run-1", invented), shadow.NotYourDomain)

	// On its own subject, but in a colleague's name.
	r.wantRejected("cmd-1", r.send(Layout{}.Bundle("run-1", "cmd-1"), shadow.BundleComplete, bundleData("run-1", bundleOf("two", content(8)))), shadow.IDMismatch)
	// Into another run.
	r.wantRejected("cmd-1", r.send(Layout{}.Bundle("run-2", "cmd-1"), shadow.BundleComplete, bundleData("run-1", bundleOf("one", content(0)))), shadow.IDMismatch)

	other := bundleOf("one", content(0))
	other.BundleID = "b-new"
	r.wantRejected("cmd-1", r.fixAs("run-1", 1, other), shadow.FixOtherBundle)
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
	data[shadow.RunData](r, Layout{}.RunScored("run-1"))
	r.wantRejected("cmd-1", r.bundleAs("run-1", fishing), shadow.SlotTaken)
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
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
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}

// TestUnaskedFix: a fix for a domain whose bundle never came is refused after
// a while, one that overtook its report is not.
func TestUnaskedFix(t *testing.T) {
	r := newRig(t, func(c *Config) { c.SealWait = 50 * time.Millisecond })
	r.start()
	r.sealRun("run-1")
	r.wantRejected("cmd-1", r.fix("run-1", "one", 1, content(0)), shadow.FixNotAsked)
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}

// tamper replaces the stored envelope of a run.
func (r *rig) tamper(run string, value []byte) {
	r.t.Helper()
	if _, err := r.store.Envelopes.Put(r.t.Context(), run, value); err != nil {
		r.t.Fatal(err)
	}
}

// TestBrokenSeal changes the stored envelope in several ways: no bundle of the
// run passes, and the commander is asked for nothing.
func TestBrokenSeal(t *testing.T) {
	for name, change := range map[string]func(r *rig, stored []byte) []byte{
		"not an envelope": func(*rig, []byte) []byte { return []byte("easy criteria") },
		"another, of the same key": func(r *rig, _ []byte) []byte {
			e, err := shadow.Seal(r.t.Context(), twoDomains("run-1"), shadow.SealInput{Settings: &r.cfg.Settings, Filler: wordAuthor{}, Rand: strings.NewReader(strings.Repeat("x", 80))})
			if err != nil {
				r.t.Fatal(err)
			}
			box, err := shadow.Encrypt(e, r.cfg.Key)
			if err != nil {
				r.t.Fatal(err)
			}
			return box
		},
		"cut short": func(_ *rig, stored []byte) []byte {
			var box map[string]any
			_ = json.Unmarshal(stored, &box)
			box["box"] = box["box"].(string)[:40]
			cut, _ := json.Marshal(box)
			return cut
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.start()
			r.sealRun("run-1")
			r.bundle("run-1", "two", content(2)) // judged before, and waiting for a fix
			r.report("run-1", "two", 0)
			entry, err := r.store.Envelopes.Get(t.Context(), "run-1")
			if err != nil {
				t.Fatal(err)
			}
			r.tamper("run-1", change(r, entry.Value()))
			r.bundle("run-1", "one", content(0))
			r.fix("run-1", "two", 1, content(0))
			for _, rep := range []*shadow.Report{r.report("run-1", "one", 0), r.report("run-1", "two", 1)} {
				s := rep.Swarm
				if s.SealBroken == "" || s.Score != (shadow.Score{Failed: 8, Total: 8}) || !s.Final || s.Gate.Action != shadow.Quarantine || !*rep.Report.Advisory {
					t.Errorf("%+v", s)
				}
			}
			r.settle()
			r.absent(Layout{}.HardeningRequest("cmd-1", "run-1", "one", 1))
			data[shadow.QuarantineData](r, Layout{}.Quarantined("run-1", "one"))
			data[shadow.RunData](r, Layout{}.RunScored("run-1"))
			// The audit finds the envelope, and nothing wrong with what was
			// made of it.
			if codes := r.codes(); codes[audit.SealBroken] != 1 || len(codes) != 1 {
				t.Errorf("findings: %v", codes)
			}
		})
	}
}

// TestWrongKey: a key that cannot open is an outage. Nothing is decided until
// the right one is back.
func TestWrongKey(t *testing.T) {
	r := newRig(t)
	stop := r.start()
	r.sealRun("run-1")
	r.settle()
	stop()
	wrong, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	stop = r.start(func(c *Config) { c.Key = wrong })
	r.bundle("run-1", "one", content(0))
	bustest.WaitFor(t, "a second delivery", func() bool {
		i, err := r.store.Judge.Info(t.Context())
		return err == nil && i.NumRedelivered > 0
	})
	r.absent(Layout{}.GapReport("run-1", "one", 0))
	stop()
	r.start()
	if rep := r.report("run-1", "one", 0); rep.Swarm.SealBroken != "" || rep.Swarm.Score.Failed != 0 {
		t.Errorf("%+v", rep.Swarm)
	}
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}

// TestDecoyInBundle: who hands in the decoy's token has read the envelope.
func TestDecoyInBundle(t *testing.T) {
	r := newRig(t)
	r.start()
	r.sealRun("run-1")
	entry, err := r.store.Envelopes.Get(t.Context(), "run-1")
	if err != nil {
		t.Fatal(err)
	}
	e, err := shadow.Decrypt(entry.Value(), r.cfg.Key)
	if err != nil {
		t.Fatal(err)
	}
	r.bundle("run-1", "one", content(0)+e.Decoy.Token)
	if s := r.report("run-1", "one", 0).Swarm; s.SealBroken == "" || s.Gate.Action != shadow.Quarantine {
		t.Errorf("%+v", s)
	}
	r.bundle("run-1", "two", content(0))
	if s := r.report("run-1", "two", 0).Swarm; s.SealBroken != "" {
		t.Errorf("the colleague's: %+v", s)
	}
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}
