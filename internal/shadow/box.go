package shadow

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/nats-io/nkeys"
)

// box is an encrypted envelope as it is stored. The public key that sealed it
// stands beside it, so that it opens after the key was rotated.
type box struct {
	SealedBy string `json:"sealed_by"` // public curve key
	Box      []byte `json:"box"`       // nkeys sealed box, authenticated, of the envelope's gzipped JSON
}

type sealedEnvelope struct {
	Envelope *Envelope `json:"sealed_envelope"`
}

// Encrypt returns the envelope as it is stored: sealed to key and by key, so
// that only its holder can read it and only its holder can have written it.
func Encrypt(e *Envelope, key nkeys.KeyPair) ([]byte, error) {
	pub, err := key.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("envelope key: %w", err)
	}
	plain, err := json.Marshal(sealedEnvelope{e})
	if err != nil {
		return nil, fmt.Errorf("encoding the envelope: %w", err)
	}
	// An envelope is read from the bucket before every judgement, and its
	// texts repeat themselves: packed it has a sixth of the bytes.
	packed, err := pack(plain)
	if err != nil {
		return nil, fmt.Errorf("packing the envelope: %w", err)
	}
	sealed, err := key.Seal(packed, pub)
	if err != nil {
		return nil, fmt.Errorf("encrypting the envelope: %w", err)
	}
	return json.Marshal(box{SealedBy: pub, Box: sealed})
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
	packed, err := sealer.Open(b.Box, b.SealedBy)
	if err != nil {
		return nil, fmt.Errorf("%w: the box does not open with the key that it names", ErrSealBroken)
	}
	var s sealedEnvelope
	if plain, err := unpack(packed); err != nil || json.Unmarshal(plain, &s) != nil || s.Envelope == nil {
		return nil, fmt.Errorf("%w: the box holds no envelope", ErrSealBroken)
	}
	return s.Envelope, nil
}

func pack(plain []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(plain)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
