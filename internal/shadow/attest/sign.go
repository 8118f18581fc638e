package attest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Envelope is a DSSE envelope: a payload with its type and signatures.
type Envelope = dsse.Envelope

// Signer signs statements. It is safe for concurrent use.
type Signer struct {
	private ed25519.PrivateKey
	id      string
}

// NewSigner makes a signer of a signing key.
func NewSigner(private ed25519.PrivateKey) *Signer {
	return &Signer{private, KeyID(private.Public().(ed25519.PublicKey))}
}

// KeyID is the [KeyID] of the signer's key.
func (s *Signer) KeyID() string { return s.id }

// sign signs a payload. The same payload gives the same signature.
func (s *Signer) sign(kind string, payload []byte) string {
	signature := ed25519.Sign(s.private, dsse.PAE(kind, payload))
	return version + " " + s.id + " " + base64.StdEncoding.EncodeToString(signature)
}

// version is that of the statement that a signature is made of.
const version = "v1"

// SignReport signs the statement of a final report, which has raw as the data of its
// event. It returns what the event carries: the version of the statement, the id of
// the key, and the signature in base64.
func (s *Signer) SignReport(r *shadow.Report, raw []byte) (string, error) {
	statement, err := shadow.Encode(Of(r, raw))
	if err != nil {
		return "", err
	}
	return s.sign(PayloadType, statement), nil
}

// SignReviewed signs the data of a run-reviewed. It returns what the event carries, as
// [Signer.SignReport] does.
func (s *Signer) SignReviewed(data []byte) string { return s.sign(ReviewedType, data) }

// ErrNotSigned: a report carries no signature that this program knows.
var ErrNotSigned = errors.New("it is not signed")

// FromReport puts a final report's statement, which is made anew, into an envelope
// with the signature that the report's event carries. Whether that fits, [Open]
// says.
func FromReport(r *shadow.Report, raw []byte, signature string) (*Envelope, error) {
	statement, err := shadow.Encode(Of(r, raw))
	if err != nil {
		return nil, err
	}
	return from(PayloadType, statement, signature)
}

// FromReviewed puts the data of a run-reviewed into an envelope with the signature
// that its event carries. Whether that fits, [OpenReviewed] says.
func FromReviewed(data []byte, signature string) (*Envelope, error) {
	return from(ReviewedType, data, signature)
}

func from(kind string, payload []byte, signature string) (*Envelope, error) {
	part := strings.Split(signature, " ")
	if len(part) != 3 || part[0] != version {
		return nil, fmt.Errorf("%w: its signature is %.60q", ErrNotSigned, signature)
	}
	return &Envelope{PayloadType: kind, Payload: base64.StdEncoding.EncodeToString(payload), Signatures: []dsse.Signature{{KeyID: part[1], Sig: part[2]}}}, nil
}

// Why an envelope is not believed.
var (
	ErrOtherKey     = errors.New("signed by another key")
	ErrBadSignature = errors.New("the signature does not fit: it was changed after it was signed, or never signed by this key")
	ErrNotStatement = errors.New("not a statement about a test result")
)

// Open checks an envelope's signature with the keys at hand and returns its
// statement and the id of the key that signed it. Nothing of the envelope is
// looked at before its signature holds.
func Open(e *Envelope, keys ...ed25519.PublicKey) (*Statement, string, error) {
	payload, id, err := open(e, keys)
	if err != nil {
		return nil, "", err
	}
	st, err := decode(e.PayloadType, payload)
	return st, id, err
}

// OpenReviewed is [Open] for a run-reviewed.
func OpenReviewed(e *Envelope, keys ...ed25519.PublicKey) (*shadow.ReviewedData, string, error) {
	payload, id, err := open(e, keys)
	if err != nil {
		return nil, "", err
	}
	if e.PayloadType != ReviewedType {
		return nil, "", fmt.Errorf("not a review: its payload is %.80q, not %s", e.PayloadType, ReviewedType)
	}
	d := &shadow.ReviewedData{}
	return d, id, json.Unmarshal(payload, d)
}

// Signed says why what is signed of a report, if anything, is not by one of the keys.
func Signed(e *Envelope, keys ...ed25519.PublicKey) error {
	if e == nil {
		return ErrNotSigned
	}
	_, _, err := Open(e, keys...)
	return err
}

// open returns what is signed, and the id of the key.
func open(e *Envelope, keys []ed25519.PublicKey) ([]byte, string, error) {
	payload, err := e.DecodeB64Payload()
	if err != nil || len(e.Signatures) == 0 {
		return nil, "", ErrBadSignature
	}
	var known, named []string
	for _, public := range keys {
		known = append(known, KeyID(public))
	}
	for _, s := range e.Signatures {
		sig, err := base64.StdEncoding.DecodeString(s.Sig)
		for i, public := range keys {
			if err == nil && ed25519.Verify(public, dsse.PAE(e.PayloadType, payload), sig) {
				return payload, known[i], nil
			}
		}
		if s.KeyID == "" || slices.Contains(known, s.KeyID) {
			return nil, "", ErrBadSignature
		}
		named = append(named, fmt.Sprintf("%.80q", s.KeyID))
	}
	return nil, "", fmt.Errorf("%w: it names %s, and the key at hand is %s", ErrOtherKey, strings.Join(named, ", "), strings.Join(known, ", "))
}

func decode(payloadType string, payload []byte) (*Statement, error) {
	if payloadType != PayloadType {
		return nil, fmt.Errorf("%w: its payload is %.80q, not %s", ErrNotStatement, payloadType, PayloadType)
	}
	st := &Statement{}
	if err := json.Unmarshal(payload, st); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStatement, err)
	}
	switch {
	case st.Type != StatementType:
		return nil, fmt.Errorf("%w: its type is %.80q, not %s", ErrNotStatement, st.Type, StatementType)
	case st.PredicateType != PredicateType:
		return nil, fmt.Errorf("%w: its predicate is %.80q, not %s", ErrNotStatement, st.PredicateType, PredicateType)
	case len(st.Subject) != 1 || st.Subject[0].Digest.SHA256 == "":
		return nil, fmt.Errorf("%w: it has no subject with a sha256 digest, or several", ErrNotStatement)
	case !slices.Contains([]Result{Passed, Warned, Failed}, st.Predicate.Result):
		return nil, fmt.Errorf("%w: its result is %.80q", ErrNotStatement, st.Predicate.Result)
	}
	return st, nil
}

// The types of PEM blocks that keys are written as.
const (
	privateBlock = "PRIVATE KEY" // PKCS #8
	publicBlock  = "PUBLIC KEY"  // PKIX
)

// KeyID names a public key: "sha256:" and the SHA-256 of its PKIX form in hex,
// which is what "openssl pkey -pubin -outform DER | sha256sum" prints.
func KeyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(pkix(public))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// PublicPEM is a public key as other programs read it.
func PublicPEM(public ed25519.PublicKey) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: publicBlock, Bytes: pkix(public)})
}

// PrivatePEM is a signing key as it is kept in a file.
func PrivatePEM(private ed25519.PrivateKey) []byte {
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		panic(err) // only for types that it does not know
	}
	return pem.EncodeToMemory(&pem.Block{Type: privateBlock, Bytes: der})
}

// ErrNotEd25519 is in the error of [ParseBlock] for a block with something else.
var ErrNotEd25519 = errors.New("not an Ed25519 key")

// ParseBlock reads one PEM block. One of the two keys is set.
func ParseBlock(b *pem.Block) (ed25519.PrivateKey, ed25519.PublicKey, error) {
	var key any
	var err error
	switch b.Type {
	case privateBlock:
		key, err = x509.ParsePKCS8PrivateKey(b.Bytes)
	case publicBlock:
		key, err = x509.ParsePKIXPublicKey(b.Bytes)
	default:
		return nil, nil, fmt.Errorf("%w: a block %.40q, where PRIVATE KEY (PKCS #8) and PUBLIC KEY are known", ErrNotEd25519, b.Type)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNotEd25519, err)
	}
	switch key := key.(type) {
	case ed25519.PrivateKey:
		return key, nil, nil
	case ed25519.PublicKey:
		return nil, key, nil
	}
	return nil, nil, fmt.Errorf("%w but %T", ErrNotEd25519, key)
}

func pkix(public ed25519.PublicKey) []byte {
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		panic(err) // only for types that it does not know
	}
	return der
}
