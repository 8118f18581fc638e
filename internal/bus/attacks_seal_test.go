package bus

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// tamper replaces the stored envelope of a run.
func (r *rig) tamper(run string, value []byte) {
	bustest.Must(r.store.Envelopes.Put(r.t.Context(), run, value))
}

// envelope is what is stored of a run's.
func (r *rig) envelope(run string) []byte {
	entry := bustest.Must(r.store.Envelopes.Get(r.t.Context(), run))
	return entry.Value()
}

// TestBrokenSeal changes the stored envelope in several ways: no bundle of the
// run passes, and the commander is asked for nothing.
func TestBrokenSeal(t *testing.T) {
	for name, change := range map[string]func(r *rig, stored []byte) []byte{
		"not an envelope": func(*rig, []byte) []byte { return []byte("easy criteria") },
		"another, of the same key": func(r *rig, _ []byte) []byte {
			return r.easy("run-1", r.cfg.Key)
		},
		"replayed from another run": func(r *rig, _ []byte) []byte {
			r.sealRun("run-0")
			return r.envelope("run-0")
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
			r := newStarted(t)
			r.bundle("run-1", "two", content(2)) // judged before, and waiting for a fix
			r.report("run-1", "two", 0)
			changed := change(r, r.envelope("run-1"))
			r.ends()
			r.tamper("run-1", changed)
			r.start() // has not opened the envelope
			r.bundle("run-1", "one", content(0))
			r.fix("run-1", "two", 1, content(0))
			for _, rep := range []*shadow.Report{r.report("run-1", "one", 0), r.report("run-1", "two", 1)} {
				s := rep.Swarm
				if s.SealBroken == "" || s.Score != (shadow.Score{Failed: 8, Total: 8}) || !s.Final || s.Gate.Action != shadow.Quarantine || !*rep.Report.Advisory {
					t.Errorf("%+v", s)
				}
			}
			r.settle()
			r.absent(layout.Subjects{}.HardeningRequest("cmd-1", "run-1", "one", 1))
			data[shadow.QuarantineData](r, layout.Subjects{}.Quarantined("run-1", "one"))
			data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
			// The audit finds the envelope, and nothing wrong with what was
			// made of it.
			codes := r.codes()
			delete(codes, audit.UnderWay) // the other run, of the same task
			delete(codes, audit.SameTask)
			if codes[audit.SealBroken] != 1 || len(codes) != 1 {
				t.Errorf("findings: %v", codes)
			}
		})
	}
}

// TestWrongKey: a key that cannot open is an outage. Nothing is decided until
// the right one is back.
func TestWrongKey(t *testing.T) {
	r := newSealed(t)
	wrong := bustest.Must(nkeys.CreateCurveKeys())
	o := &noted{}
	stop := r.start(func(c *Config) { c.Key, c.Observer = wrong, o })
	r.bundle("run-1", "one", content(0))
	o.fails(t, shadow.BundleComplete)
	r.absent(layout.Subjects{}.GapReport("run-1", "one", 0))
	stop()
	r.start()
	if rep := r.report("run-1", "one", 0); rep.Swarm.SealBroken != "" || rep.Swarm.Score.Failed != 0 {
		t.Errorf("%+v", rep.Swarm)
	}
	r.checked()
}

// TestDecoyInBundle: who hands in the decoy's token has read the envelope.
func TestDecoyInBundle(t *testing.T) {
	r := newStarted(t)
	e := bustest.Must(shadow.Decrypt(r.envelope("run-1"), r.cfg.Key))
	r.bundle("run-1", "one", content(0)+strings.ToUpper(e.Decoy.Token[:9]+"\u200b - "+e.Decoy.Token[9:]))
	if s := r.report("run-1", "one", 0).Swarm; s.SealBroken == "" || s.Gate.Action != shadow.Quarantine {
		t.Errorf("%+v", s)
	}
	r.bundle("run-1", "two", content(0))
	if s := r.report("run-1", "two", 0).Swarm; s.SealBroken != "" {
		t.Errorf("the colleague's: %+v", s)
	}
	r.checked()
}

// TestEnvelopeGone: an envelope that is deleted, or sealed with a key that is
// not shadowd's, decides nothing. Once it is back, the bundle is judged.
func TestEnvelopeGone(t *testing.T) {
	for name, harm := range map[string]func(r *rig){
		"deleted": func(r *rig) {
			bustest.OK(r.t, r.store.Envelopes.Delete(r.t.Context(), "run-1"))
		},
		"purged": func(r *rig) {
			bustest.OK(r.t, r.store.Envelopes.Purge(r.t.Context(), "run-1"))
		},
		"taken out of the stream without a mark": func(r *rig) {
			stream := bustest.Must(r.js.Stream(r.t.Context(), kvStream))
			bustest.OK(r.t, stream.Purge(r.t.Context(), jetstream.WithPurgeSubject("$KV."+layout.BucketEnvelopes+".run-1")))
		},
		"easy, sealed with another key": func(r *rig) {
			key := bustest.Must(nkeys.CreateCurveKeys())
			r.tamper("run-1", r.easy("run-1", key))
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := &noted{}
			r := newSealed(t, func(c *Config) { c.Observer = o })
			stored := r.envelope("run-1")
			harm(r)
			r.start()
			r.bundle("run-1", "one", content(2))
			o.fails(t, shadow.BundleComplete)
			r.absent(layout.Subjects{}.GapReport("run-1", "one", 0))
			r.tamper("run-1", stored)
			if s := r.report("run-1", "one", 0).Swarm; s.SealBroken != "" || s.Score.Failed != 2 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// easy is an envelope for a run, other than the one that is sealed.
func (r *rig) easy(run string, key nkeys.KeyPair) []byte {
	e := bustest.Must(shadow.Seal(r.t.Context(), twoDomains(run), shadow.SealInput{Settings: &r.cfg.Settings, Rand: strings.NewReader(strings.Repeat("x", 80))}))
	return bustest.Must(shadow.Encrypt(e, key))
}

// TestBucketRolledBack: the bucket is put back to an earlier state, in which
// the run has another envelope under the very revision that a daemon has
// already verified. That daemon judges by what it verified; one that is
// started later, or reads the bucket anew, finds the seal broken.
func TestBucketRolledBack(t *testing.T) {
	r := newStarted(t)
	r.bundle("run-1", "one", content(2))
	r.report("run-1", "one", 0)
	r.settle() // the floor is in the same bucket, and takes revisions too
	before := bustest.Must(r.store.Envelopes.Get(t.Context(), "run-1"))
	info := bustest.Must(r.js.Stream(t.Context(), "KV_"+layout.BucketEnvelopes))
	config := info.CachedInfo().Config
	bustest.OK(t, r.js.DeleteStream(t.Context(), config.Name))
	config.FirstSeq = before.Revision()
	bustest.Must(r.js.CreateStream(t.Context(), config))
	r.tamper("run-1", r.easy("run-1", r.cfg.Key))
	if after, err := r.store.Envelopes.Get(t.Context(), "run-1"); err != nil || after.Revision() != before.Revision() {
		t.Fatalf("the revision is another one: %v, %v", after, err)
	}
	r.fix("run-1", "one", 1, content(1))
	if s := r.report("run-1", "one", 1).Swarm; s.SealBroken != "" || s.Score.Failed != 1 {
		t.Errorf("judged by what was verified before: %+v", s)
	}
	r.ends()
	r.start()
	r.bundle("run-1", "two", content(0))
	if s := r.report("run-1", "two", 0).Swarm; s.SealBroken == "" || s.Gate.Action != shadow.Quarantine {
		t.Errorf("judged by a daemon that was started later: %+v", s)
	}
	r.settle()
	if codes := r.codes(); codes[audit.SealBroken] == 0 {
		t.Errorf("the audit finds %v", codes)
	}
}

// TestSecondCommitment: whoever may write to IN as shadowd does can store a
// commitment of its own. It counts for nothing, before shadowd's and after it, and
// the audit finds it.
func TestSecondCommitment(t *testing.T) {
	l := layout.Subjects{}
	forged := func(r *rig, of string) {
		r.t.Helper()
		m := bustest.Must(r.store.In.GetLastMsgForSubject(r.t.Context(), l.Commitment(of)))
		text := strings.ReplaceAll(string(m.Data), of, "run-1")
		bustest.Must(r.js.Publish(r.t.Context(), l.Commitment("run-1"), []byte(text)))
	}
	t.Run("after shadowd's", func(t *testing.T) {
		r := newRig(t)
		stop := r.start()
		r.sealRun("run-0")
		r.sealRun("run-1")
		r.bundle("run-1", "one", content(2))
		r.report("run-1", "one", 0)
		forged(r, "run-0")
		r.fix("run-1", "one", 1, content(1))
		r.report("run-1", "one", 1)
		stop()
		r.start() // knows of none
		r.bundle("run-1", "two", content(1))
		r.decompose(twoDomains("run-1"))
		for _, rep := range []*shadow.Report{r.report("run-1", "one", 1), r.report("run-1", "two", 0)} {
			if s := rep.Swarm; s.SealBroken != "" || s.Score.Failed != 1 || *rep.Report.Advisory {
				t.Errorf("%+v, %v", s, rep.Report.AdvisoryReason)
			}
		}
		r.settle()
		if codes := r.codes(); codes[audit.StoredTwice] != 1 {
			t.Errorf("the audit finds %v", codes)
		}
	})
	t.Run("before shadowd's", func(t *testing.T) {
		r := newRig(t)
		r.start()
		r.sealRun("run-0")
		forged(r, "run-0")
		seq := r.decompose(twoDomains("run-1"))
		r.bundle("run-1", "one", content(0))
		r.settle()
		if s := r.report("run-1", "one", 0).Swarm; s.SealBroken != "" || s.In.Sequence <= seq {
			t.Errorf("%+v", s)
		}
		if codes := r.codes(); codes[audit.NotOwn] != 1 {
			t.Errorf("the audit finds %v", codes)
		}
	})
}
