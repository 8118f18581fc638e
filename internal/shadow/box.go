package shadow

import (
	"encoding/json"
	"errors"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/klauspost/compress/s2"
	"github.com/nats-io/nkeys"
)

// box is something encrypted as it is stored: an envelope or a vote.
// The public key that sealed it stands beside it, so that it opens after the
// key was rotated.
type box struct {
	SealedBy string `json:"sealed_by"` // public curve key
	Box      []byte `json:"box"`       // nkeys sealed box, authenticated
}

type sealedEnvelope struct {
	Envelope *Envelope `json:"sealed_envelope"`
}

// Encrypt returns the envelope as it is stored: sealed to key and by key, so
// that only its holder can read it and only its holder can have written it.
func Encrypt(e *Envelope, key nkeys.KeyPair) ([]byte, error) {
	plain, err := json.Marshal(sealedEnvelope{e})
	if err != nil {
		return nil, fmt.Errorf("the envelope: %w", err)
	}
	// It is read from the bucket before every judgement. Packed it has less than
	// half of the bytes.
	return encryptBox("the envelope", s2.EncodeBetter(nil, plain), key)
}

// SealedBy is the public key that sealed what Encrypt made, or empty.
func SealedBy(stored []byte) string {
	var b box
	if json.Unmarshal(stored, &b) != nil {
		return ""
	}
	return b.SealedBy
}

// Decrypt opens what Encrypt made with key, or with any key of a [Ring].
// ErrWrongKey means that it was sealed by none of them, which is an outage and
// not a broken seal; ErrSealBroken means that what is stored is no envelope of
// this key's any more.
func Decrypt(stored []byte, key nkeys.KeyPair) (*Envelope, error) {
	packed, err := open(stored, key)
	if err != nil {
		return nil, err
	}
	var s sealedEnvelope
	plain, err := s2.Decode(nil, packed)
	if err != nil || jsonv2.Unmarshal(plain, &s) != nil || s.Envelope == nil {
		return nil, fmt.Errorf("%w: the box holds no envelope", ErrSealBroken)
	}
	return s.Envelope, nil
}

// keptVote is a vote as it is kept. It names its place, so that whoever can
// write to the bucket cannot put one vote in the place of another.
type keptVote struct {
	Place string `json:"place"`
	Vote  *Vote  `json:"vote"`
}

// EncryptVote returns a vote as it is kept at a place, sealed like an envelope.
func EncryptVote(v *Vote, place string, key nkeys.KeyPair) ([]byte, error) {
	plain, err := json.Marshal(keptVote{place, v})
	if err != nil {
		return nil, fmt.Errorf("a vote: %w", err)
	}
	return encryptBox("a vote", plain, key)
}

// DecryptVote opens what EncryptVote made for the same place. Its errors are
// those of [Decrypt].
func DecryptVote(stored []byte, place string, key nkeys.KeyPair) (*Vote, error) {
	plain, err := open(stored, key)
	if err != nil {
		return nil, err
	}
	var k keptVote
	if json.Unmarshal(plain, &k) != nil || k.Vote == nil || k.Place != place {
		return nil, fmt.Errorf("%w: the box holds no vote, or that of another place", ErrSealBroken)
	}
	return k.Vote, nil
}

// encryptBox puts what into a box as it is stored.
func encryptBox(what string, plain []byte, key nkeys.KeyPair) ([]byte, error) {
	pub, err := key.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("%s: envelope key: %w", what, err)
	}
	sealed, err := key.Seal(plain, pub)
	if err != nil {
		return nil, fmt.Errorf("%s: encrypting: %w", what, err)
	}
	return json.Marshal(box{SealedBy: pub, Box: sealed})
}

func open(stored []byte, key nkeys.KeyPair) ([]byte, error) {
	var b box
	if err := json.Unmarshal(stored, &b); err != nil {
		return nil, fmt.Errorf("%w: what is stored is not an encrypted envelope", ErrSealBroken)
	}
	sealer, err := holder(key, b.SealedBy)
	if err != nil {
		return nil, err
	}
	if sealer == nil {
		pub, err := key.PublicKey()
		return nil, errors.Join(fmt.Errorf("%w: it was sealed by %.60q and the key here is %s", ErrWrongKey, b.SealedBy, pub), err)
	}
	plain, err := sealer.Open(b.Box, b.SealedBy)
	if err != nil {
		return nil, fmt.Errorf("%w: the box does not open with the key that it names", ErrSealBroken)
	}
	return plain, nil
}
