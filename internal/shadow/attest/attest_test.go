package attest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

func key(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func public(n byte) ed25519.PublicKey { return key(n).Public().(ed25519.PublicKey) }

// signed signs a payload, which need not be a statement.
func signed(t *testing.T, n byte, payload string) *Envelope {
	t.Helper()
	e, err := from(PayloadType, []byte(payload), NewSigner(key(n)).sign(PayloadType, []byte(payload)))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// final is a final report with so many failures of so many criteria.
func final(failed, total int, change func(*shadow.Swarm)) *shadow.Report {
	r := &shadow.Report{}
	r.SpecVersion = "2.0.0"
	r.Report.ID, r.Report.SealedHash = "run/dom/0", shadow.Digest([]byte("envelope"))
	r.Swarm = shadow.Swarm{RunID: "run", Domain: "dom", BundleID: "b", CommanderID: "c", Final: true,
		Score:        shadow.Score{Failed: failed, Total: total},
		Cycles:       []shadow.Cycle{{BundleDigest: shadow.Digest([]byte("bundle"))}, {Cycle: 1, BundleDigest: shadow.Digest([]byte("fix"))}},
		BundleDigest: shadow.Digest([]byte("fix"))}
	r.Swarm.Gate = shadow.Gate{Action: r.Swarm.Score.Level().Action(), Enforced: true}
	for i := range total {
		c := shadow.CriterionVerdict{ID: shadow.CriterionID(i), Outcome: shadow.Passed}
		if i >= total-failed {
			c.Outcome = shadow.Failed
		}
		r.Swarm.Criteria = append(r.Swarm.Criteria, c)
	}
	if change != nil {
		change(&r.Swarm)
	}
	return r
}

// TestHugeTotal: a forged count makes no long list, whether the seal is broken
// or not.
func TestHugeTotal(t *testing.T) {
	for _, broken := range []string{"", "why"} {
		p := Of(final(0, 1000, func(s *shadow.Swarm) { s.SealBroken = broken }), nil).Predicate
		if n := len(p.PassedTests) + len(p.FailedTests); n != shadow.MaxCriteria {
			t.Errorf("%d tests", n)
		}
	}
}

// TestResults: the exact score decides, and no doubt reads as a pass.
func TestResults(t *testing.T) {
	observe := func(s *shadow.Swarm) { s.Gate = shadow.Gate{Action: shadow.Proceed} }
	doubt := func(s *shadow.Swarm) { s.AdvisoryReasons = []string{"why"} }
	broken := func(s *shadow.Swarm) { s.SealBroken, s.AdvisoryReasons = "why", []string{"why"} }
	for _, c := range []struct {
		name          string
		failed, total int
		change        func(*shadow.Swarm)
		want          Result
	}{
		{"perfect", 0, 8, nil, Passed},
		{"minor", 3, 20, nil, Passed},
		{"just moderate", 8, 50, nil, Warned},
		{"moderate", 3, 10, nil, Warned},
		{"significant", 4, 10, nil, Failed},
		{"critical", 8, 8, nil, Failed},
		{"perfect, advisory", 0, 8, doubt, Warned},
		{"perfect, observed", 0, 8, observe, Warned},
		{"critical, observed", 8, 8, observe, Failed},
		{"significant, advisory", 4, 10, doubt, Failed},
		{"seal broken", 8, 8, broken, Failed},
	} {
		st := Of(final(c.failed, c.total, c.change), []byte("raw"))
		p := st.Predicate
		if p.Result != c.want {
			t.Errorf("%s: %s, want %s", c.name, p.Result, c.want)
		}
		if len(p.FailedTests) != c.failed || len(p.PassedTests) != c.total-c.failed {
			t.Errorf("%s: %d failed, %d passed of %d", c.name, len(p.FailedTests), len(p.PassedTests), c.total)
		}
	}
	st := Of(final(1, 3, nil), []byte("raw"))
	if diff := cmp.Diff([]string{"sc-01", "sc-02"}, st.Predicate.PassedTests); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct{ what, got, of string }{
		{"the bundle that stands", st.Subject[0].Digest.SHA256, "bundle"},
		{"the envelope", st.Predicate.Configuration[0].Digest.SHA256, "envelope"},
		{"the report", st.Predicate.Swarm.Report.Digest.SHA256, "raw"},
	} {
		if "sha256:"+c.got != shadow.Digest([]byte(c.of)) {
			t.Errorf("%s has digest %s", c.what, c.got)
		}
	}
}

// TestSortedByOutcome: passed, failed and not judged are three kinds, of the last
// it is said why, and where the seal is broken nothing passed.
func TestSortedByOutcome(t *testing.T) {
	outcomes := []shadow.Outcome{shadow.Passed, shadow.Unread, shadow.Failed, shadow.Undecided, ""}
	of := func(broken string) [5][]string {
		p := Of(final(0, len(outcomes), func(s *shadow.Swarm) {
			for i := range s.Criteria {
				s.Criteria[i].Outcome = outcomes[i]
			}
			s.SealBroken = broken
		}), nil).Predicate
		return [5][]string{p.PassedTests, p.FailedTests, p.WarnedTests, p.Swarm.NotJudged.Unread, p.Swarm.NotJudged.Undecided}
	}
	for broken, want := range map[string][5][]string{
		"":    {{"sc-01"}, {"sc-03"}, {"sc-02", "sc-04", "sc-05"}, {"sc-02", "sc-05"}, {"sc-04"}},
		"why": {{}, {"sc-01", "sc-02", "sc-03", "sc-04", "sc-05"}, {}, {}, {}},
	} {
		if diff := cmp.Diff(want, of(broken)); diff != "" {
			t.Errorf("broken %q (-want +got):\n%s", broken, diff)
		}
	}
}

// TestFromReport: the signature that a report's event carries is of the statement
// that is made anew from the report, and of no other.
func TestFromReport(t *testing.T) {
	signer := NewSigner(key(1))
	rep, raw := final(2, 8, nil), []byte("raw")
	signature, err := signer.SignReport(rep, raw)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := signer.SignReport(rep, raw); again != signature {
		t.Error("the same report and key give another signature")
	}
	for name, c := range map[string]struct {
		rep       *shadow.Report
		raw       []byte
		signature string
		want      error
	}{
		"the same":        {rep, raw, signature, nil},
		"other bytes":     {rep, []byte("other"), signature, ErrBadSignature},
		"another score":   {final(1, 8, nil), raw, signature, ErrBadSignature},
		"none":            {rep, raw, "", ErrNotSigned},
		"another version": {rep, raw, "v2" + signature[2:], ErrNotSigned},
		"no base64":       {rep, raw, "v1 " + KeyID(public(1)) + " !", ErrBadSignature},
	} {
		e, err := FromReport(c.rep, c.raw, c.signature)
		if err == nil {
			_, _, err = Open(e, public(1))
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	review := []byte(`{"domain":"dom"}`)
	reviewed, err := FromReviewed(review, signer.SignReviewed(review))
	if err != nil {
		t.Fatal(err)
	}
	if d, _, err := OpenReviewed(reviewed, public(1)); err != nil || d.Domain != "dom" {
		t.Errorf("%+v, %v", d, err)
	}
	if _, _, err := Open(reviewed, public(1)); !errors.Is(err, ErrNotStatement) {
		t.Errorf("a review is taken for a report: %v", err)
	}
}

func statement(t *testing.T) string {
	t.Helper()
	st, err := json.Marshal(Of(final(2, 8, nil), []byte("raw")))
	if err != nil {
		t.Fatal(err)
	}
	return string(st)
}

// TestOpen: what was changed, or signed by somebody else, or says something
// else, is not believed.
func TestOpen(t *testing.T) {
	good := statement(t)
	st, id, err := Open(signed(t, 1, good), public(2), public(1), public(1))
	if err != nil || id != KeyID(public(1)) || st.Predicate.Result != Warned {
		t.Fatalf("%+v, signed by %s, %v", st, id, err)
	}
	change := func(f func(*Envelope)) *Envelope {
		e := signed(t, 1, good)
		f(e)
		return e
	}
	other := signed(t, 2, good)
	for _, c := range []struct {
		name string
		e    *Envelope
		want error
	}{
		{"another key", other, ErrOtherKey},
		{"another key under this one's name", change(func(e *Envelope) { e.Signatures[0].Sig = other.Signatures[0].Sig }), ErrBadSignature},
		{"another key under no name", change(func(e *Envelope) { e.Signatures[0] = other.Signatures[0]; e.Signatures[0].KeyID = "" }), ErrBadSignature},
		{"another result", change(func(e *Envelope) {
			e.Payload = base64.StdEncoding.EncodeToString([]byte(strings.Replace(good, "WARNED", "PASSED", 1)))
		}), ErrBadSignature},
		{"another payload type", change(func(e *Envelope) { e.PayloadType = "text/plain" }), ErrBadSignature},
		{"no signature", change(func(e *Envelope) { e.Signatures = nil }), ErrBadSignature},
		{"no base64", change(func(e *Envelope) { e.Payload = "!" }), ErrBadSignature},
		{"no JSON", signed(t, 1, "PASSED"), ErrNotStatement},
		{"two values", signed(t, 1, good+"{}"), ErrNotStatement},
		{"another statement", signed(t, 1, strings.Replace(good, "Statement/v1", "Statement/v2", 1)), ErrNotStatement},
		{"another predicate", signed(t, 1, strings.Replace(good, "test-result/v0.1", "provenance/v1", 1)), ErrNotStatement},
		{"another word", signed(t, 1, strings.Replace(good, "WARNED", "GREAT", 1)), ErrNotStatement},
		{"no subject", signed(t, 1, strings.Replace(good, `"subject":[`, `"subject":[],"x":[`, 1)), ErrNotStatement},
	} {
		if st, _, err := Open(c.e, public(1)); !errors.Is(err, c.want) || st != nil {
			t.Errorf("%s: %v, %v, want %v", c.name, st, err, c.want)
		}
	}
	if _, _, err := Open(signed(t, 1, good)); err == nil {
		t.Error("without a key it is believed")
	}
}

// FuzzOpen: without a signature nothing is believed, whatever the envelope
// holds.
func FuzzOpen(f *testing.F) {
	f.Add(`{"payloadType":"application/vnd.in-toto+json","payload":"e30=","signatures":[{"keyid":"","sig":"AAAA"}]}`)
	f.Add(`{"payloadType":"application/vnd.in-toto+json","payload":"e30=","signatures":[{"keyid":"` + KeyID(public(1)) + `","sig":""},{"sig":"AA=="}]}`)
	f.Add(`{"signatures":[{"keyid":"sha256:00","sig":"!"}]}`)
	f.Add(`{}`)
	f.Fuzz(func(t *testing.T, text string) {
		var e Envelope
		if json.Unmarshal([]byte(text), &e) != nil {
			return
		}
		if st, _, err := Open(&e, public(1), public(2)); err == nil || st != nil {
			t.Fatalf("%s is believed: %+v, %v", text, st, err)
		}
	})
}

// TestKeyPEM: keys are written as other programs write them. The pair is that
// of RFC 8410, section 10.
func TestKeyPEM(t *testing.T) {
	const (
		privatePEM = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n"
		publicPEM  = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n"
	)
	block, _ := pem.Decode([]byte(privatePEM))
	parsed, err := ParseBlock(block)
	if err != nil {
		t.Fatal(err)
	}
	private := parsed.(ed25519.PrivateKey)
	own := private.Public().(ed25519.PublicKey)
	if got := string(PrivatePEM(private)) + string(PublicPEM(own)); got != privatePEM+publicPEM {
		t.Error(got)
	}
	block, _ = pem.Decode([]byte(publicPEM))
	if got, err := ParseBlock(block); err != nil || !own.Equal(got.(ed25519.PublicKey)) {
		t.Errorf("%v, %v", got, err)
	}
	if der, err := x509.MarshalPKIXPublicKey(own); err != nil || KeyID(own) != shadow.Digest(der) {
		t.Errorf("key id %s, %v", KeyID(own), err)
	}
	block.Type = "CERTIFICATE"
	if _, err := ParseBlock(block); !errors.Is(err, ErrNotEd25519) {
		t.Errorf("another block: %v", err)
	}
}
