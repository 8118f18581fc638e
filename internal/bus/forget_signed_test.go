package bus

import (
	"bytes"
	"crypto/ed25519"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

var otherSigning = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))

// Forgeries of the note of a forgotten run, for the audit to find.
func init() {
	change := func(do func(*forged, *shadow.ForgottenData)) func(*forged) {
		return func(f *forged) {
			rewrite(f, f.get(shadow.RunForgotten, "gone", "", 0), func(d *shadow.ForgottenData) { do(f, d) })
		}
	}
	sign := func(f *forged, d *shadow.ForgottenData, key ed25519.PrivateKey) {
		signer, err := attest.NewSigner(key)
		if err == nil {
			err = signer.SignNote(d)
		}
		if err != nil {
			f.t.Fatal(err)
		}
	}
	forgedTraces = append(forgedTraces, []forgery{
		{"a note tells another reason than was signed", audit.NoteWrong, change(func(_ *forged, d *shadow.ForgottenData) { d.Reason = "spring cleaning" })},
		{"a note tells of fewer bundles than was signed", audit.NoteWrong, change(func(_ *forged, d *shadow.ForgottenData) { d.Erased[shadow.BundleComplete]-- })},
		{"a note without its signature", audit.SignatureWrong, change(func(_ *forged, d *shadow.ForgottenData) { d.Signed = nil })},
		{"a note that another key signed", audit.SignatureWrong, change(func(f *forged, d *shadow.ForgottenData) { sign(f, d, otherSigning) })},
		{"a note that another key signed in the name of the right one", audit.SignatureWrong, change(func(f *forged, d *shadow.ForgottenData) {
			id := d.Signed.Signatures[0].KeyID
			sign(f, d, otherSigning)
			d.Signed.Signatures[0].KeyID = id
		})},
		{"a note with the signature of a report", audit.NoteWrong, change(func(f *forged, d *shadow.ForgottenData) {
			var e attest.Envelope
			if err := audit.Decode(f.get(shadow.Attestation, "good", "one", 0), &e); err != nil {
				f.t.Fatal(err)
			}
			d.Signed.Payload, d.Signed.Signatures[0].Sig = e.Payload, e.Signatures[0].Sig
		})},
	}...)
}

// TestForgottenSigned: the note holds with the public key alone, and no key
// has to be at hand to see that its two halves agree.
func TestForgottenSigned(t *testing.T) {
	r := newRig(t)
	r.start()
	r.finished("gone")
	note, _, err := r.operator().Forget(t.Context(), "gone", "customer data")
	if err != nil {
		t.Fatal(err)
	}
	stored := data[shadow.ForgottenData](r, layout.Subjects{}.Forgotten("gone"))
	public := testSigning.Public().(ed25519.PublicKey)
	for _, d := range []*shadow.ForgottenData{note, stored} {
		if err := attest.CheckNote(d, public); err != nil {
			t.Error(err)
		}
		if err := attest.CheckNote(d, otherSigning.Public().(ed25519.PublicKey)); err == nil {
			t.Error("another key accepts the note")
		}
	}
	if stored.Reason != "customer data" || stored.Signed.Signatures[0].KeyID != attest.KeyID(public) {
		t.Errorf("%+v", stored)
	}
	stored.By = "nobody"
	if err := attest.CheckNote(stored); err == nil {
		t.Error("without a key nobody sees that the note was changed")
	}

	// An operator without the key leaves a note that is found.
	r.finished("unsigned")
	o := r.operator()
	o.Signer = nil
	if _, _, err := o.Forget(t.Context(), "unsigned", ""); err != nil {
		t.Fatal(err)
	}
	a, err := Audit(t.Context(), r.store.Subjects, r.js, r.cfg.Key, []ed25519.PublicKey{public})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Findings {
		if f.Severity == audit.Error && (f.Code != audit.SignatureWrong || f.Run != "unsigned") {
			t.Errorf("%+v", f)
		}
	}
	if a.Errors == 0 {
		t.Error("a note without a signature passes")
	}
}
