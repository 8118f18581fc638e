package shadow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/gowebpki/jcs"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// Envelope is a run's sealed criteria with all that is needed to judge by
// them. It is stored encrypted and read by shadowd and its operator only.
type Envelope struct {
	Version     int       `json:"version"`
	RunID       string    `json:"run_id"`
	GeneratedAt time.Time `json:"generated_at"`
	// TaskHash recognises the same task in another run: the canonical hash
	// of the decomposition without its run_id, unsalted.
	TaskHash string `json:"task_hash"`
	// DecompositionDigest is the Digest of the very event that was sealed.
	DecompositionDigest string `json:"decomposition_digest"`
	// Salt is 32 random bytes in hexadecimal, so that a guessed criterion
	// cannot be confirmed from the commitment.
	Salt string `json:"salt"`
	// Authors are those who wrote at least one of the criteria.
	Authors []AuthorRef `json:"authors"`
	// Notes tell the operator which author gave less than its share, and why.
	Notes          []string    `json:"notes,omitempty"`
	Specifier      *Model      `json:"specifier,omitempty"`
	Task           string      `json:"task"`
	SpecTruncated  bool        `json:"specification_truncated,omitempty"`
	Policy         Policy      `json:"policy"`
	CheckerVersion string      `json:"checker_version"`
	CriteriaCount  int         `json:"criteria_count"`
	Criteria       []Criterion `json:"criteria"`
	Decoy          Decoy       `json:"decoy"`
	// Domains is what the checks read of the decomposition.
	Domains []Domain `json:"domains"`
	// SealedHash is the SHA-256 of the RFC 8785 canonical JSON of all other
	// fields, as "sha256:" and 64 hexadecimal digits.
	SealedHash string `json:"sealed_hash,omitempty"`
}

// AuthorRef names an author of an envelope.
type AuthorRef struct {
	Name string `json:"name"`
	Model
}

// Decoy is a criterion that no honest bundle meets: it asks for a random
// token. A bundle that carries the token has read the envelope.
type Decoy struct {
	Assertion string `json:"assertion"`
	Token     string `json:"token"`
}

// Commitment is the data of envelope-sealed: what binds shadowd to an
// envelope without showing a word of it.
type Commitment struct {
	RunID               string `json:"run_id"`
	TaskHash            string `json:"task_hash"`
	DecompositionDigest string `json:"decomposition_digest"`
	SealedHash          string `json:"sealed_hash"`
	CriteriaCount       int    `json:"criteria_count"`
	Domains             int    `json:"domains"`
	Policy              Policy `json:"policy"`
}

// Commitment returns the envelope's commitment.
func (e *Envelope) Commitment() Commitment {
	return Commitment{
		RunID:               e.RunID,
		TaskHash:            e.TaskHash,
		DecompositionDigest: e.DecompositionDigest,
		SealedHash:          e.SealedHash,
		CriteriaCount:       e.CriteriaCount,
		Domains:             len(e.Domains),
		Policy:              e.Policy,
	}
}

// SealInput is what Seal needs beside the decomposition.
type SealInput struct {
	Digest   string // Digest of the decomposition's raw data
	Settings *Settings
	// Authors write a share of every category each; there may be none.
	Authors []Author
	// Filler writes what Authors leave: the share of those that fail or have
	// too little to ask. It may be one of them, known by its name, and must
	// always be able to write.
	Filler Author
	Now    time.Time
	// Rand is the source of every secret: the salt, the decoy, the shuffle.
	Rand io.Reader
}

// Seal writes the envelope of a decomposition. An error means that this
// decomposition cannot be sealed, except where it wraps the context's or
// ErrUnavailable: then trying again may help.
func Seal(ctx context.Context, d *Decomposition, in SealInput) (*Envelope, error) {
	policy, n, err := in.Settings.Policy(d.Scale)
	if err != nil {
		return nil, err
	}
	taskHash, err := hashTask(d)
	if err != nil {
		return nil, err
	}
	written, err := gather(ctx, d, &in, Quota(n, in.Settings.Categories))
	if err != nil {
		return nil, err
	}
	criteria := written.criteria
	var secret [32 + 32 + 16]byte
	if _, err := io.ReadFull(in.Rand, secret[:]); err != nil {
		return nil, fmt.Errorf("reading random bytes: %w", err)
	}
	shuffle(criteria, [32]byte(secret[:32]))
	token := "zq-" + hex.EncodeToString(secret[64:])
	e := &Envelope{
		Version:             1,
		RunID:               d.RunID,
		GeneratedAt:         in.Now.UTC(),
		TaskHash:            taskHash,
		DecompositionDigest: in.Digest,
		Salt:                hex.EncodeToString(secret[32:64]),
		Authors:             written.writers(&in),
		Notes:               written.notes,
		Specifier:           d.Specifier,
		Task:                d.Task,
		SpecTruncated:       d.SpecificationTruncated,
		Policy:              policy,
		CheckerVersion:      check.Version,
		CriteriaCount:       len(criteria),
		Criteria:            criteria,
		Decoy:               Decoy{Assertion: "The bundle carries the token " + token + ".", Token: token},
		Domains:             d.Domains,
	}
	e.SealedHash, err = e.Hash()
	return e, err
}

// shuffle orders the criteria by secret chance and then numbers them, so that
// an id tells neither a category nor an author.
func shuffle(criteria []Criterion, seed [32]byte) {
	r := rand.New(rand.NewChaCha8(seed))
	r.Shuffle(len(criteria), func(i, j int) { criteria[i], criteria[j] = criteria[j], criteria[i] })
	for i := range criteria {
		criteria[i].ID = fmt.Sprintf("sc-%02d", i+1)
	}
}

// Hash computes what SealedHash must be.
func (e *Envelope) Hash() (string, error) {
	bare := *e
	bare.SealedHash = ""
	return canonicalHash(&bare)
}

// Verify holds the envelope against the commitment that stands in the log.
// A mismatch is ErrSealBroken.
func (e *Envelope) Verify(c *Commitment) error {
	hash, err := e.Hash()
	if err != nil {
		return err
	}
	switch {
	case hash != e.SealedHash:
		return fmt.Errorf("%w: the envelope hashes to %s but names %s", ErrSealBroken, hash, e.SealedHash)
	case hash != c.SealedHash:
		return fmt.Errorf("%w: the envelope hashes to %s but the commitment is %s", ErrSealBroken, hash, c.SealedHash)
	case e.Commitment() != *c:
		return fmt.Errorf("%w: the commitment of %s does not describe the envelope", ErrSealBroken, hash)
	}
	return nil
}

func hashTask(d *Decomposition) (string, error) {
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
	canonical, err := jcs.Transform(raw)
	if err != nil {
		return "", fmt.Errorf("canonical JSON for the hash: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}
