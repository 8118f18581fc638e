package attest

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// NotePredicateType is that of the statement in the note of a forgotten run.
const NotePredicateType = "https://swarmspeed.dev/attestation/run-forgotten/v1"

// note is the statement of a note: its subject is the sealed envelope that was
// erased, its predicate the note itself.
type note struct {
	Type          string               `json:"_type"`
	Subject       []Resource           `json:"subject"`
	PredicateType string               `json:"predicateType"`
	Predicate     shadow.ForgottenData `json:"predicate"`
}

// SignNote signs the note of a forgotten run: it sets d.Signed.
func (s *Signer) SignNote(d *shadow.ForgottenData) error {
	payload, err := statementOf(d)
	if err != nil {
		return err
	}
	d.Signed, err = s.Sign(payload)
	return err
}

// ErrOtherNote: what was signed is not what the note says.
var ErrOtherNote = errors.New("the signed statement says something else than the note")

// CheckNote returns why the note of a forgotten run is not to be believed:
// [ErrOtherNote], or what [Open] says of its signature. Without keys the
// signature is not checked.
func CheckNote(d *shadow.ForgottenData, keys ...ed25519.PublicKey) error {
	if d.Signed == nil {
		return fmt.Errorf("%w: there is no signature", ErrBadSignature)
	}
	e := d.Signed
	if len(keys) > 0 {
		// A note is no statement about a test result, which is the last thing
		// that Open asks.
		switch _, _, err := Open(e, keys...); {
		case err == nil:
			return ErrOtherNote
		case !errors.Is(err, ErrNotStatement):
			return err
		}
	}
	want, err := statementOf(d)
	if err != nil {
		return err
	}
	again, err := Rewritten(want, e)
	switch {
	case e.PayloadType != PayloadType || e.Payload != again.Payload:
		return ErrOtherNote
	case err != nil || !slices.Equal(e.Signatures, again.Signatures):
		return ErrBadSignature
	}
	return nil
}

// statementOf derives the statement from the note, which may be signed.
func statementOf(d *shadow.ForgottenData) ([]byte, error) {
	bare := *d
	bare.Signed = nil
	payload, err := json.Marshal(note{
		Type:          StatementType,
		Subject:       []Resource{resource("sealed-envelope", d.SealedHash)},
		PredicateType: NotePredicateType,
		Predicate:     bare,
	})
	if err != nil {
		return nil, fmt.Errorf("encoding the statement of a note: %w", err)
	}
	return payload, nil
}
