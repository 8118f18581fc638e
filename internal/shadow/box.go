package shadow

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/nats-io/nkeys"
)

// box is something encrypted as it is stored: an envelope, a vote or a mark.
// The public key that sealed it stands beside it, so that it opens after the
// key was rotated.
type box struct {
	SealedBy string `json:"sealed_by"` // public curve key
	Box      []byte `json:"box"`       // nkeys sealed box, authenticated, of gzipped JSON
}

type sealedEnvelope struct {
	Envelope *Envelope `json:"sealed_envelope"`
}

// Encrypt returns the envelope as it is stored: sealed to key and by key, so
// that only its holder can read it and only its holder can have written it.
func Encrypt(e *Envelope, key nkeys.KeyPair) ([]byte, error) {
	stored, err := shut(sealedEnvelope{e}, key)
	if err != nil {
		return nil, fmt.Errorf("the envelope: %w", err)
	}
	return stored, nil
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
	plain, err := open(stored, key)
	if err != nil {
		return nil, err
	}
	var s sealedEnvelope
	if json.Unmarshal(plain, &s) != nil || s.Envelope == nil {
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
	stored, err := shut(keptVote{place, v}, key)
	if err != nil {
		return nil, fmt.Errorf("a vote: %w", err)
	}
	return stored, nil
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

// shut puts something into a box as it is stored.
func shut(v any, key nkeys.KeyPair) ([]byte, error) {
	pub, err := key.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("envelope key: %w", err)
	}
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	// An envelope is read from the bucket before every judgement, and its
	// texts repeat themselves: packed it has a sixth of the bytes.
	packed, err := pack(plain)
	if err != nil {
		return nil, fmt.Errorf("packing: %w", err)
	}
	sealed, err := key.Seal(packed, pub)
	if err != nil {
		return nil, fmt.Errorf("encrypting: %w", err)
	}
	return json.Marshal(box{SealedBy: pub, Box: sealed})
}

// open opens a box.
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
	packed, err := sealer.Open(b.Box, b.SealedBy)
	if err != nil {
		return nil, fmt.Errorf("%w: the box does not open with the key that it names", ErrSealBroken)
	}
	plain, err := unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("%w: the box holds nothing that shadowd packs", ErrSealBroken)
	}
	return plain, nil
}

// A writer has 800 KB of tables, and a reader 40: those of earlier boxes are
// used again.
var (
	packers   = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
	unpackers = sync.Pool{New: func() any { return new(gzip.Reader) }}
)

func pack(plain []byte) ([]byte, error) {
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	var b bytes.Buffer
	w.Reset(&b)
	_, err := w.Write(plain)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

func unpack(packed []byte) ([]byte, error) {
	r := unpackers.Get().(*gzip.Reader)
	defer unpackers.Put(r)
	if err := r.Reset(bytes.NewReader(packed)); err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
