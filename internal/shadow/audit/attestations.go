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
func (r *Run) attestation(rep *report) {
	want := encode(attest.Of(&rep.Report, rep.Data))
	m := r.derived(rep, shadow.Attestation, "", 0, want, AttestationMissing)
	var e attest.Envelope
	if m == nil || Decode(m, &e) != nil {
		return
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
