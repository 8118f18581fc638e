package audit

import (
	"bytes"
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
	if again, err := attest.Rewritten(want, &e); err != nil || len(e.Signatures) != 1 || !bytes.Equal(m.Data, encode(again)) {
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
