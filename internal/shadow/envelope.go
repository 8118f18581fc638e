package shadow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
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
	// Families say which models are kin. They stand here so that a bundle
	// that names another model is judged by what held when the run was sealed.
	// Specifier, authors and implementers have theirs stated already.
	Families Families `json:"families,omitempty"`
	// Ambiguity is how far several authors contradict each other; nil where
	// that cannot be told.
	Ambiguity *Ambiguity `json:"ambiguity,omitempty"`
	// Notes tell the operator what was out of the ordinary when the run was
	// sealed. They quote no criterion.
	Notes []string `json:"notes,omitempty"`
	// Notices tell the publisher of the decomposition what nobody reads of it,
	// and what it gives criteria too little to ask for. They follow from the
	// decomposition, and tell nothing that its publisher could not find out.
	Notices        []string    `json:"notices,omitempty"`
	Specifier      *Model      `json:"specifier,omitempty"`
	Task           string      `json:"task"`
	SpecTruncated  bool        `json:"specification_truncated,omitempty"`
	Policy         Policy      `json:"policy"`
	CheckerVersion string      `json:"checker_version"`
	CriteriaCount  int         `json:"criteria_count"`
	Criteria       []Criterion `json:"criteria"`
	Decoy          Decoy       `json:"decoy"`
	// Domains and Requirements are what is read of the decomposition when
	// bundles are judged.
	Domains      []Domain      `json:"domains"`
	Requirements []Requirement `json:"requirements,omitempty"`
	// SealedHash is the SHA-256 of the RFC 8785 canonical JSON of all other
	// fields, as "sha256:" and 64 hexadecimal digits.
	SealedHash string `json:"sealed_hash,omitempty"`
}

// AuthorRef names an author of an envelope, or a judge.
type AuthorRef struct {
	Name string `json:"name"`
	Model
	// Prompt is the SHA-256 of the words that a model is put to work with, as
	// Digest writes it; empty where there are none, or none that are known.
	Prompt string `json:"prompt,omitempty"`
}

// decoyPrefix begins a decoy's token; random hexadecimal digits follow.
const decoyPrefix = "zq-"

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
	// Notices are those of the envelope.
	Notices []string `json:"notices,omitempty"`
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
		Notices:             e.Notices,
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
	// Checks remembers compiled checks; it may be nil.
	Checks *Checks
	// Notices are what is known of the event before it is sealed.
	Notices []string
	Now     time.Time
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
	taskHash, err := d.TaskHash()
	if err != nil {
		return nil, err
	}
	settings := *in.Settings
	settings.Categories = settings.categoriesFor(d)
	in.Settings = &settings
	written, err := gather(ctx, d, &in, Quota(n, settings.Categories))
	if err != nil {
		return nil, err
	}
	e := &Envelope{
		Version:             1,
		RunID:               d.RunID,
		GeneratedAt:         in.Now.UTC(),
		TaskHash:            taskHash,
		DecompositionDigest: in.Digest,
		Authors:             written.writers(&in),
		Families:            in.Settings.Families,
		Specifier:           d.Specifier,
		Task:                d.Task,
		SpecTruncated:       d.SpecificationTruncated || written.cut,
		Policy:              policy,
		CheckerVersion:      check.Version,
		CriteriaCount:       len(written.criteria),
		Criteria:            written.criteria,
		Domains:             slices.Clone(d.Domains),
		Requirements:        d.Requirements,
		Notes:               written.notes,
		Notices:             append(slices.Clone(in.Notices), written.notices...),
	}
	e.Ambiguity = written.measured()
	e.note("no family is known of these models, each counts as a family of its own: ", e.strangers())
	e.stateFamilies()
	if err := e.gate(d, in.Settings); err != nil {
		return nil, err
	}
	if err := e.hide(in.Rand); err != nil {
		return nil, err
	}
	return e.close()
}

// close hashes the envelope and returns it as whoever reads it gets it: an
// author's numbers and lists may be of other types than those read from JSON,
// and checks tell them apart.
func (e *Envelope) close() (*Envelope, error) {
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encoding the envelope: %w", err)
	}
	closed := &Envelope{}
	if err := json.Unmarshal(raw, closed); err != nil {
		return nil, fmt.Errorf("reading the envelope: %w", err)
	}
	closed.SealedHash, err = hashJSON(raw)
	return closed, err
}

// gate refuses what the settings do not let pass, and notes what they do.
func (e *Envelope) gate(d *Decomposition, s *Settings) error {
	if a := e.Ambiguity; a != nil && a.ratio() > s.AmbiguityMax {
		return a.refuse(d, s.AmbiguityMax)
	}
	violations := e.violations()
	if len(violations) > 0 && s.AbortOnViolation {
		return fmt.Errorf("independence is violated, and the configuration says abort: %s: give the work to a model of another family", some(violations, "; "))
	}
	e.note("", violations)
	return nil
}

// note adds what is said of some things, if there are any.
func (e *Envelope) note(words string, things []string) {
	if len(things) > 0 {
		e.Notes = append(e.Notes, words+some(things, "; "))
	}
}

// some joins the first ten of a list that may be as long as a decomposition.
func some(list []string, sep string) string {
	const most = 10
	if more := len(list) - most; more > 0 {
		list = append(slices.Clone(list[:most]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, sep)
}

// hide draws what only the holder of the envelope may know: the order of the
// criteria, the salt, and the decoy.
func (e *Envelope) hide(from io.Reader) error {
	var secret [32 + 32 + 16]byte
	if _, err := io.ReadFull(from, secret[:]); err != nil {
		return fmt.Errorf("reading random bytes: %w", err)
	}
	shuffle(e.Criteria, [32]byte(secret[:32]))
	e.Salt = hex.EncodeToString(secret[32:64])
	token := decoyPrefix + hex.EncodeToString(secret[64:])
	e.Decoy = Decoy{Assertion: "The bundle carries the token " + token + ".", Token: token}
	return nil
}

// shuffle orders the criteria by secret chance and then numbers them, so that
// an id tells neither a category nor an author.
func shuffle(criteria []Criterion, seed [32]byte) {
	r := rand.New(rand.NewChaCha8(seed))
	r.Shuffle(len(criteria), func(i, j int) { criteria[i], criteria[j] = criteria[j], criteria[i] })
	for i := range criteria {
		criteria[i].ID = CriterionID(i)
	}
}

// CriterionID is the id of the i-th criterion of an envelope, from 0.
func CriterionID(i int) string { return fmt.Sprintf("sc-%02d", i+1) }

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
	case !reflect.DeepEqual(e.Commitment(), *c):
		return fmt.Errorf("%w: the commitment of %s does not describe the envelope", ErrSealBroken, hash)
	}
	return nil
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

func hashJSON(raw []byte) (string, error) {
	canonical, err := jcs.Transform(raw)
	if err != nil {
		return "", fmt.Errorf("canonical JSON for the hash: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}
