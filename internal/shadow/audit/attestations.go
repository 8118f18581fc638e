package audit

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// attestation checks what is signed about a final report. It is derived from
// the report as it is stored: that the report itself is right is a matter of
// its own.
func (r *Run) attestation(rep *report, due map[*Message]bool) {
	want := encode(attest.Of(&rep.Report, rep.Data))
	m := r.one(shadow.Attestation, "", rep.Domain, 0)
	if m == nil {
		if r.after(rep) && (r.exam == nil || !r.exam.Leaks(string(want))) {
			r.missing(rep.Domain, rep.Cycle, AttestationMissing, "no attestation", fmt.Sprintf("the one that the report at %d gives", rep.Sequence))
		}
		return
	}
	due[m] = true
	r.caused(m, rep.Cause, rep.EventTime)
	var e attest.Envelope
	if m.Unreadable != "" || Decode(m, &e) != nil {
		return // output said so
	}
	payload, _ := e.DecodeB64Payload()
	if !bytes.Equal(m.Data, wrapped(want, &e)) {
		r.find(m, AttestationDiffers, fmt.Sprintf("statement %s, %d signatures", shadow.Digest(payload), len(e.Signatures)),
			fmt.Sprintf("statement %s, 1 signature", shadow.Digest(want)))
	}
	// In base64 the search through all outputs sees nothing.
	if r.exam != nil && r.exam.Leaks(string(payload)) {
		r.find(m, SealedText, m.Subject+" holds sealed text", "no assertion, expectation, check or decoy")
	}
	if len(r.log.Signers) == 0 {
		return
	}
	if _, _, err := attest.Open(&e, r.log.Signers...); err != nil {
		r.find(m, SignatureWrong, err.Error(), "a signature by "+attest.KeyID(r.log.Signers[0])+", or one before it")
	}
}

// wrapped is a statement in the envelope that shadowd would write around it,
// with the one signature of e. There are several ways to write the same in
// base64, and shadowd knows one.
func wrapped(statement []byte, e *attest.Envelope) []byte {
	if len(e.Signatures) != 1 {
		return nil
	}
	sig, err := base64.StdEncoding.DecodeString(e.Signatures[0].Sig)
	if err != nil {
		return nil
	}
	again := attest.Envelope{PayloadType: attest.PayloadType, Payload: base64.StdEncoding.EncodeToString(statement)}
	again.Signatures = append(again.Signatures, e.Signatures[0])
	again.Signatures[0].Sig = base64.StdEncoding.EncodeToString(sig)
	return encode(again)
}
