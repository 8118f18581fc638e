package attest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
)

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
