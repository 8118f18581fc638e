package shadow

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/s2"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/text/fold"
)

// box is an encrypted envelope as it is stored, with the public key that sealed
// it, so that it opens after the key was rotated.
type box struct {
	SealedBy string `json:"sealed_by"` // public curve key
	Box      []byte `json:"box"`       // nkeys sealed box, authenticated
}

// Encrypt returns the envelope as it is stored: sealed to key and by key, so
// that only its holder can read it and only its holder can have written it.
func Encrypt(e *Envelope, key nkeys.KeyPair) ([]byte, error) {
	plain, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("the envelope: %w", err)
	}
	pub, err := key.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("envelope key: %w", err)
	}
	sealed, err := key.Seal(s2.EncodeBetter(nil, plain), pub)
	if err != nil {
		return nil, fmt.Errorf("the envelope: encrypting: %w", err)
	}
	return json.Marshal(box{SealedBy: pub, Box: sealed})
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
	var e Envelope
	plain, err := s2.Decode(nil, packed)
	if err != nil || jsonv2.Unmarshal(plain, &e) != nil || e.SealedHash == "" {
		return nil, fmt.Errorf("%w: the box holds no envelope", ErrSealBroken)
	}
	return &e, nil
}

func open(stored []byte, key nkeys.KeyPair) ([]byte, error) {
	var b box
	if err := json.Unmarshal(stored, &b); err != nil {
		return nil, fmt.Errorf("%w: what is stored is not an encrypted envelope", ErrSealBroken)
	}
	for _, k := range pairs(key) {
		pub, err := k.PublicKey()
		if err != nil {
			return nil, fmt.Errorf("envelope key: %w", err)
		}
		if pub != b.SealedBy {
			continue
		}
		plain, err := k.Open(b.Box, pub)
		if err != nil {
			return nil, fmt.Errorf("%w: the box does not open with the key that it names", ErrSealBroken)
		}
		return plain, nil
	}
	pub, err := key.PublicKey()
	return nil, errors.Join(fmt.Errorf("%w: it was sealed by %.60q and the key here is %s", ErrWrongKey, b.SealedBy, pub), err)
}

// Ring is an envelope key that was rotated: it seals with its first key, and
// [Decrypt] opens what any of its keys has sealed. In all else it is its first key.
type Ring struct {
	nkeys.KeyPair
	all []nkeys.KeyPair
}

// NewRing makes a ring of curve keys. Wiping it wipes them all.
func NewRing(first nkeys.KeyPair, older ...nkeys.KeyPair) *Ring {
	return &Ring{first, append([]nkeys.KeyPair{first}, older...)}
}

// Wipe forgets the secrets of all keys.
func (r *Ring) Wipe() {
	for _, key := range r.all {
		key.Wipe()
	}
}

// pairs are the keys of key, which may be a ring.
func pairs(key nkeys.KeyPair) []nkeys.KeyPair {
	if r, ok := key.(*Ring); ok {
		return r.all
	}
	return []nkeys.KeyPair{key}
}

// Marker makes marks that only the holder of a key can make: they say that it
// stored data of a digest on a subject. A mark has three parts: the digest, for
// those who have not got the data; the name of the key, a MAC of its own, so that no
// public key has to be worked out; and the MAC of subject and digest.
type Marker struct {
	secret []byte
	name   string
}

// NewMarker makes one for a key.
func NewMarker(key nkeys.KeyPair) (*Marker, error) {
	secret, err := key.Seed()
	if err != nil {
		return nil, fmt.Errorf("a mark: %w", err)
	}
	m := &Marker{secret: secret}
	m.name = m.mac("shadowd key")[:16]
	return m, nil
}

func (m *Marker) mac(what string) string {
	h := hmac.New(sha256.New, m.secret)
	h.Write([]byte(what))
	return hex.EncodeToString(h.Sum(nil))
}

// Mark marks data of a digest on a subject.
func (m *Marker) Mark(subject, digest string) string {
	return digest + " " + m.name + " " + m.mac("shadowd mark\n"+subject+"\n"+digest)
}

// Mark is the mark of a key.
func Mark(subject, digest string, key nkeys.KeyPair) (string, error) {
	m, err := NewMarker(key)
	if err != nil {
		return "", err
	}
	return m.Mark(subject, digest), nil
}

// Marked returns the digest of the data that m marks, if Mark made it for the
// subject with key, or with any key of a [Ring]; else it is empty. Its error is
// ErrWrongKey where m names another key: then nobody but its holder can tell.
func Marked(m, subject string, key nkeys.KeyPair) (digest string, err error) {
	part := strings.Split(m, " ")
	if len(part) != 3 || len(part[1]) != 16 {
		return "", nil
	}
	for _, k := range pairs(key) {
		own, err := Mark(subject, part[0], k)
		if err != nil {
			return "", err
		}
		if hmac.Equal([]byte(m), []byte(own)) {
			return part[0], nil
		}
		if strings.HasPrefix(own, part[0]+" "+part[1]+" ") {
			return "", nil
		}
	}
	return "", fmt.Errorf("a mark: %w: it was made with %.16q", ErrWrongKey, part[1])
}

// Hash computes what SealedHash must be.
func (e *Envelope) Hash() (string, error) {
	bare := *e
	bare.SealedHash = ""
	raw, err := json.Marshal(&bare)
	if err != nil {
		return "", fmt.Errorf("encoding for the hash: %w", err)
	}
	return hashJSON(raw)
}

// TaskHash is what must stand as task_hash in the commitment of a run with this
// decomposition: the digest of the words of its task as a reader sees them.
func (d *Decomposition) TaskHash() string {
	words := fold.Words(d.Task)
	if len(words) == 0 {
		words = []string{d.Task}
	}
	return Digest([]byte(strings.Join(words, " ")))
}

// hashJSON is SHA-256 over RFC 8785 canonical JSON. It may overwrite the JSON.
func hashJSON(raw []byte) (string, error) {
	canonical := jsontext.Value(raw)
	if err := canonical.Canonicalize(); err != nil {
		return "", fmt.Errorf("canonical JSON for the hash: %w", err)
	}
	return Digest(canonical), nil
}

// Digest is the SHA-256 of an event's raw data bytes, as "sha256:" and 64
// hexadecimal digits. Two events are the same event if their digests agree.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
