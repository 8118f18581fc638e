package shadow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Hash computes what SealedHash must be.
func (e *Envelope) Hash() (string, error) {
	bare := *e
	bare.SealedHash = ""
	return canonicalHash(&bare)
}

// TaskHash is what must stand as task_hash in the commitment of a run with
// this decomposition: the canonical hash without the run's id.
func (d *Decomposition) TaskHash() (string, error) {
	bare := *d
	bare.RunID = ""
	return canonicalHash(&bare)
}

// canonicalHash is SHA-256 over RFC 8785 canonical JSON.
func canonicalHash(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encoding for the hash: %w", err)
	}
	return hashJSON(raw)
}

// hashJSON is canonicalHash of JSON, which it may overwrite.
func hashJSON(raw []byte) (string, error) {
	canonical := jsontext.Value(raw)
	if err := canonical.Canonicalize(); err != nil {
		return "", fmt.Errorf("canonical JSON for the hash: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// Digest is the SHA-256 of an event's raw data bytes, as "sha256:" and 64
// hexadecimal digits. Two events are the same event if their digests agree.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
