package bus

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// forgedSignatures are of what is signed, for the audit to find.
var forgedSignatures = []forgery{
	{"a signature is removed", audit.SignatureWrong, func(f *forged) { f.report("good", "one", 0).Signature = "" }},
	{"a report that is not final is signed", audit.SignatureWrong, func(f *forged) {
		f.report("good", "two", 0).Signature = f.report("good", "two", 1).Signature
	}},
	{"the signature is that of another report", audit.SignatureWrong, func(f *forged) {
		f.report("good", "one", 0).Signature = f.report("early", "one", 0).Signature
	}},
	{"another key signs the same", audit.SignatureWrong, func(f *forged) {
		m, rep := f.report("good", "one", 0), new(shadow.Report)
		bustest.OK(f.t, audit.Decode(m, rep))
		var err error
		if m.Signature, err = attest.NewSigner(otherSigning).SignReport(rep, m.Data); err != nil {
			f.t.Fatal(err)
		}
	}},
}

var otherSigning = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))

// TestAuditOfSignatures: those of the daemon's own key are found to be right, on
// thirteen final reports, and those of another key wrong.
func TestAuditOfSignatures(t *testing.T) {
	t.Parallel()
	log := *richLogOnce(t)
	for _, c := range []struct {
		key  ed25519.PrivateKey
		want int
	}{{testSigning, 0}, {otherSigning, 13}} {
		log.Signers = []ed25519.PublicKey{c.key.Public().(ed25519.PublicKey)}
		a := auditLog(&log, nil)
		wrong := 0
		for _, f := range a.Findings {
			if f.Code == audit.SignatureWrong {
				wrong++
			}
		}
		if a.Errors != c.want || wrong != c.want {
			t.Errorf("%d wrong signatures, want %d: %+v", wrong, c.want, a.Findings)
		}
	}
}

// signed is what a report as it stands in OUT says with its signature, which is
// checked; nil where it has none.
func (r *rig) signed(header nats.Header, raw []byte) *attest.Statement {
	r.t.Helper()
	ev := bustest.Must(cloudevent.Decode(header, raw))
	signature := cloudevent.SignatureOf(ev)
	if signature == "" {
		return nil
	}
	rep := new(shadow.Report)
	bustest.OK(r.t, json.Unmarshal(ev.Data(), rep))
	e := bustest.Must(attest.FromReport(rep, ev.Data(), signature))
	st, id, err := attest.Open(e, testSigning.Public().(ed25519.PublicKey))
	if err != nil || id != attest.KeyID(testSigning.Public().(ed25519.PublicKey)) {
		r.t.Fatalf("the signature of %s is by %s: %v", rep.Report.ID, id, err)
	}
	return st
}

// statement waits for the report of a domain's cycle and returns what is signed.
func (r *rig) statement(run, domain string, cycle int) *attest.Statement {
	r.t.Helper()
	m := r.await(r.store.Out, layout.Subjects{}.GapReport(run, domain, cycle))
	st := r.signed(m.Header, m.Data)
	if st == nil {
		r.t.Fatalf("%s is not signed", m.Subject)
	}
	return st
}

// TestSignatures: the final report of each domain is signed, about the bundle that
// stands, and no other is.
func TestSignatures(t *testing.T) {
	r := newStarted(t)
	r.bundle("run-1", "one", content(1))
	one := r.statement("run-1", "one", 0)
	r.bundle("run-1", "two", content(3))
	first := r.report("run-1", "two", 0)
	if m := r.await(r.store.Out, layout.Subjects{}.GapReport("run-1", "two", 0)); r.signed(m.Header, m.Data) != nil {
		t.Error("a report that is not final is signed")
	}
	r.fix("run-1", "two", 1, content(5))
	two := r.statement("run-1", "two", 1)
	r.settle()

	if p := one.Predicate; p.Result != attest.Passed || len(p.PassedTests) != 7 || len(p.FailedTests) != 1 || p.Swarm.Advisory || !p.Swarm.Gate.Enforced {
		t.Errorf("%+v", p)
	}
	p := two.Predicate
	if p.Result != attest.Failed || len(p.FailedTests) != 3 || p.Swarm.AcceptedCycle != 0 || p.Swarm.Verdict != shadow.Word(shadow.Significant) {
		t.Errorf("%+v", p)
	}
	// The fix was worse, so it is the first bundle that counts.
	if got := "sha256:" + two.Subject[0].Digest.SHA256; got != first.Swarm.BundleDigest || two.Subject[0].Name != "run-1/two/b-two" {
		t.Errorf("the subject is %+v, the first bundle was %s", two.Subject, first.Swarm.BundleDigest)
	}
	if got := "sha256:" + p.Configuration[0].Digest.SHA256; got != first.Report.SealedHash {
		t.Errorf("the configuration is %+v, the sealed hash %s", p.Configuration, first.Report.SealedHash)
	}
	checkLog(t, r.store, r.cfg.Key)
}
