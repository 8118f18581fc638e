package bus

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// Forgeries of what is signed, for the audit to find.
func init() {
	attested := func(f *forged) *audit.Message { return f.get(shadow.Attestation, "good", "one", 0) }
	// sign signs other words with a key.
	sign := func(f *forged, key ed25519.PrivateKey, from, to string) {
		rewrite(f, attested(f), func(e *attest.Envelope) {
			payload, err := e.DecodeB64Payload()
			if err != nil {
				f.t.Fatal(err)
			}
			signer, err := attest.NewSigner(key)
			if err != nil {
				f.t.Fatal(err)
			}
			other, err := signer.Sign(bytes.Replace(payload, []byte(from), []byte(to), 1))
			if err != nil {
				f.t.Fatal(err)
			}
			*e = *other
		})
	}
	forgeries = append(forgeries, []forgery{
		{"an attestation is removed", audit.Missing, func(f *forged) { f.remove(attested(f)) }},
		{"an attestation of a domain that the run does not have", audit.Undue, func(f *forged) {
			m := f.again(attested(f))
			m.Domain, m.Subject = "three", layout.Subjects{}.Attestation("good", "three")
		}},
		{"another result is signed with the same key", audit.Differs, func(f *forged) { sign(f, testSigning, "PASSED", "FAILED") }},
		{"a second signature is added", audit.Differs, func(f *forged) {
			rewrite(f, attested(f), func(e *attest.Envelope) { e.Signatures = append(e.Signatures, e.Signatures[0]) })
		}},
		{"sealed text is signed", audit.SealedText, func(f *forged) { sign(f, testSigning, "run_id", f.Envelopes["good"].Envelope.Decoy.Token) }},
		{"another key signs the same", audit.SignatureWrong, func(f *forged) {
			sign(f, ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize)), "", "")
		}},
	}...)
}

// TestAuditOfSignatures: those of the daemon's own key are found to be right,
// on eleven attestations and a note.
func TestAuditOfSignatures(t *testing.T) {
	t.Parallel()
	r, _ := richLog(t)
	for _, c := range []struct {
		key  byte
		want bool
	}{{0, false}, {1, true}} {
		own := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{c.key}, ed25519.SeedSize)).Public().(ed25519.PublicKey)
		a, err := Audit(t.Context(), r.store.Subjects, r.js, r.cfg.Key, []ed25519.PublicKey{own})
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for _, f := range a.Findings {
			if f.Code == audit.SignatureWrong {
				wrong++
			}
		}
		if (a.Errors > 0) != c.want || (wrong == 13) != c.want {
			t.Errorf("key %d: %d wrong signatures, %+v", c.key, wrong, a.Findings)
		}
	}
}

// statement waits for an attestation and returns what it says, signature
// checked.
func (r *rig) statement(run, domain string) *attest.Statement {
	r.t.Helper()
	e := data[attest.Envelope](r, layout.Subjects{}.Attestation(run, domain))
	st, id, err := attest.Open(e, testSigning.Public().(ed25519.PublicKey))
	if err != nil || id != testSigner(r.t).KeyID() {
		r.t.Fatalf("the attestation of %s: key %s, %v", domain, id, err)
	}
	return st
}

// TestAttestations: each domain has one, when it is final, about the bundle
// that stands.
func TestAttestations(t *testing.T) {
	r := newRig(t)
	r.start()
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(1))
	one := r.statement("run-1", "one")
	r.bundle("run-1", "two", content(3))
	first := r.report("run-1", "two", 0)
	r.absent(layout.Subjects{}.Attestation("run-1", "two"))
	r.fix("run-1", "two", 1, content(5))
	two := r.statement("run-1", "two")
	r.settle()

	if p := one.Predicate; p.Result != attest.Passed || len(p.PassedTests) != 7 || len(p.FailedTests) != 1 || p.Swarm.Advisory || !p.Swarm.Gate.Enforced {
		t.Errorf("%+v", p)
	}
	p := two.Predicate
	if p.Result != attest.Failed || len(p.FailedTests) != 3 || p.Swarm.AcceptedCycle != 0 || p.Swarm.Verdict != shadow.Word(shadow.Significant) {
		t.Errorf("%+v", p)
	}
	// The fix was worse, so it is the first bundle that is attested.
	if got := "sha256:" + two.Subject[0].Digest.SHA256; got != first.Swarm.BundleDigest || two.Subject[0].Name != "run-1/two/b-two" {
		t.Errorf("the subject is %+v, the first bundle was %s", two.Subject, first.Swarm.BundleDigest)
	}
	if got := "sha256:" + p.Configuration[0].Digest.SHA256; got != first.Report.SealedHash {
		t.Errorf("the configuration is %+v, the sealed hash %s", p.Configuration, first.Report.SealedHash)
	}
	if id, err := NewestSigner(t.Context(), r.store, r.cfg.Key); err != nil || id != testSigner(t).KeyID() {
		t.Errorf("the newest signer is %s, %v", id, err)
	}
	if n := checkLog(t, r.store, r.cfg.Key)[shadow.Attestation]; n != 2 {
		t.Errorf("%d attestations", n)
	}
	r.sendRaw(&nats.Msg{Subject: layout.Subjects{}.Attestation("run-9", "one"), Data: []byte("somebody else's")})
	if id, err := NewestSigner(t.Context(), r.store, r.cfg.Key); err != nil || id != "" {
		t.Errorf("behind what somebody else stored, the newest signer is %q: %v", id, err)
	}
}

// TestAttestationDoubts: what is no plain pass does not read as one.
func TestAttestationDoubts(t *testing.T) {
	t.Parallel()
	t.Run("observed", func(t *testing.T) {
		r := newRig(t, func(c *Config) { c.Settings.EnforceGates = false })
		r.start()
		r.sealRun("run-1")
		r.bundle("run-1", "one", content(0))
		if p := r.statement("run-1", "one").Predicate; p.Result != attest.Warned || p.Swarm.Gate.Enforced || len(p.PassedTests) != 8 {
			t.Errorf("%+v", p)
		}
	})
	t.Run("before the seal", func(t *testing.T) {
		r := newRig(t)
		r.bundle("run-1", "one", content(0))
		r.decompose(twoDomains("run-1"))
		r.start()
		if p := r.statement("run-1", "one").Predicate; p.Result != attest.Warned || !p.Swarm.Advisory || len(p.Swarm.AdvisoryReasons) != 1 {
			t.Errorf("%+v", p)
		}
	})
	t.Run("seal broken", func(t *testing.T) {
		r := newRig(t)
		r.start()
		r.sealRun("run-1")
		r.settle()
		r.tamper("run-1", []byte("garbage"))
		r.bundle("run-1", "one", content(0))
		p := r.statement("run-1", "one").Predicate
		if p.Result != attest.Failed || !p.Swarm.SealBroken || len(p.PassedTests) != 0 || len(p.FailedTests) != 8 {
			t.Errorf("%+v", p)
		}
	})
	t.Run("the decoy is the name of the bundle", func(t *testing.T) {
		r := newRig(t)
		r.start()
		r.sealRun("run-1")
		b := bundleOf("one", content(0))
		b.BundleID = r.opened("run-1").Decoy.Token
		r.bundleAs("run-1", b)
		if p := r.statement("run-1", "one").Predicate; p.Result != attest.Failed || !p.Swarm.SealBroken || p.Swarm.BundleID != b.BundleID {
			t.Errorf("%+v", p)
		}
	})
	t.Run("no fix came", func(t *testing.T) {
		r := newRig(t, func(c *Config) { c.Settings.FixTimeout = time.Millisecond })
		r.start()
		r.sealRun("run-1")
		r.bundle("run-1", "one", content(2))
		if p := r.statement("run-1", "one").Predicate; p.Result != attest.Warned || p.Swarm.Advisory || p.Swarm.AcceptedCycle != 0 {
			t.Errorf("%+v", p)
		}
	})
}

// TestAttestationOnceMore: what is stored stands, though the key was rotated
// before the event came again; and an attestation that a crash, or a daemon
// without a key, left out is made up for.
func TestAttestationOnceMore(t *testing.T) {
	r := newRig(t)
	stop := r.start(func(c *Config) { c.Signer = nil })
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(0))
	r.report("run-1", "one", 0)
	r.settle()
	r.absent(layout.Subjects{}.Attestation("run-1", "one"))
	stop()

	stop = r.start()
	r.bundle("run-1", "one", content(0)) // the same event again
	r.statement("run-1", "one")
	first := r.await(r.store.Out, layout.Subjects{}.Attestation("run-1", "one"))
	r.settle()
	stop()

	_, other, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := attest.NewSigner(other)
	if err != nil {
		t.Fatal(err)
	}
	r.start(func(c *Config) { c.Signer = signer })
	r.bundle("run-1", "one", content(0))
	r.bundle("run-1", "two", content(0))
	two := data[attest.Envelope](r, layout.Subjects{}.Attestation("run-1", "two"))
	if two.Signatures[0].KeyID != signer.KeyID() {
		t.Errorf("signed by %s, the new key is %s", two.Signatures[0].KeyID, signer.KeyID())
	}
	r.settle()
	if again := r.await(r.store.Out, layout.Subjects{}.Attestation("run-1", "one")); again.Sequence != first.Sequence {
		t.Errorf("the attestation at %d was stored again, at %d", first.Sequence, again.Sequence)
	}
	checkLog(t, r.store, r.cfg.Key)
}

// TestAttestationIsFreeOfText: ids, digests, numbers and what shadowd itself
// says, and no text of a criterion or a bundle.
func TestAttestationIsFreeOfText(t *testing.T) {
	r := newRig(t, writesSealed, func(c *Config) { c.Settings.MaxCycles = 0 })
	r.start()
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(1))
	raw, err := json.Marshal(r.statement("run-1", "one"))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range append(slices.Clone(words), "Sealed assertion", "sealed expectation", "Write the part", "there is nothing", "# Bundle") {
		if bytes.Contains(raw, []byte(word)) {
			t.Errorf("the statement holds %q: %s", word, raw)
		}
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"sha256"}, keysOf(doc["subject"].([]any)[0].(map[string]any)["digest"])); diff != "" {
		t.Error(diff)
	}
}

func keysOf(v any) (names []any) {
	for name := range v.(map[string]any) {
		names = append(names, name)
	}
	return names
}
