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

// SignReviewed is [Signer.SignReport] for the data of a run-reviewed.
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

// FromReviewed is [FromReport] for the data of a run-reviewed.
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
	if st.Type != StatementType || st.PredicateType != PredicateType || len(st.Subject) != 1 || st.Subject[0].Digest.SHA256 == "" ||
		!slices.Contains([]Result{Passed, Warned, Failed}, st.Predicate.Result) {
		return nil, fmt.Errorf("%w: its type is %.80q, its predicate %.80q, and its result %.80q", ErrNotStatement, st.Type, st.PredicateType, st.Predicate.Result)
	}
	return st, nil
}

// KeyID names a public key: "sha256:" and the SHA-256 of its PKIX form in hex,
// which is what "openssl pkey -pubin -outform DER | sha256sum" prints.
func KeyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(pkix(public))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// PublicPEM is a public key as other programs read it.
func PublicPEM(public ed25519.PublicKey) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pkix(public)})
}

// PrivatePEM is a signing key as it is kept in a file.
func PrivatePEM(private ed25519.PrivateKey) []byte {
	der, _ := x509.MarshalPKCS8PrivateKey(private) // an error is for types that it does not know
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// ErrNotEd25519 is in the error of [ParseBlock] for a block with something else.
var ErrNotEd25519 = errors.New("not an Ed25519 key")

// ParseBlock reads one PEM block: an [ed25519.PrivateKey] or an [ed25519.PublicKey].
func ParseBlock(b *pem.Block) (key any, err error) {
	switch b.Type {
	case "PRIVATE KEY":
		key, err = x509.ParsePKCS8PrivateKey(b.Bytes)
	case "PUBLIC KEY":
		key, err = x509.ParsePKIXPublicKey(b.Bytes)
	default:
		return nil, fmt.Errorf("%w: a block %.40q, where PRIVATE KEY (PKCS #8) and PUBLIC KEY are known", ErrNotEd25519, b.Type)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotEd25519, err)
	}
	switch key.(type) {
	case ed25519.PrivateKey, ed25519.PublicKey:
		return key, nil
	}
	return nil, fmt.Errorf("%w but %T", ErrNotEd25519, key)
}

func pkix(public ed25519.PublicKey) []byte {
	der, _ := x509.MarshalPKIXPublicKey(public) // an error is for types that it does not know
	return der
}
