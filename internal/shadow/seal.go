package shadow

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/swarmspeed/shadowd/internal/shadow/check"
)

// SealInput is what Seal needs beside the decomposition.
type SealInput struct {
	Digest   string // Digest of the decomposition's raw data
	Settings *Settings
	// Authors write a share of every category each; there may be none.
	Authors []Author
	// Filler writes what Authors leave: the share of those that fail or have
	// too little to ask. It may be one of them, known by its name, and must
	// always be able to write: as many criteria as it is asked for in all, of
	// each category one at least.
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
	policy, n, err := in.Settings.For(d.Scale)
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
	e.note("no family is known of these models, each counts as a family of its own: ", e.unknownModels())
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
	if err := jsonv2.Unmarshal(raw, closed); err != nil {
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
		return fmt.Errorf("independence is violated, and the configuration says abort: %s: give the work to a model of another family", firstTen(violations, "; "))
	}
	e.note("", violations)
	return nil
}

// note adds what is said of some things, if there are any.
func (e *Envelope) note(words string, things []string) {
	if len(things) > 0 {
		e.Notes = append(e.Notes, words+firstTen(things, "; "))
	}
}

// hide draws what only the holder of the envelope may know: the order of the
// criteria, by which they are numbered, so that an id tells neither a category
// nor an author; the salt; and the decoy.
func (e *Envelope) hide(from io.Reader) error {
	r, err := Draw(from)
	if err != nil {
		return err
	}
	var secret [32 + 16]byte
	if _, err := io.ReadFull(from, secret[:]); err != nil {
		return fmt.Errorf("reading random bytes: %w", err)
	}
	all := e.Criteria
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i := range all {
		all[i].ID = CriterionID(i)
	}
	e.Salt = hex.EncodeToString(secret[:32])
	token := decoyPrefix + hex.EncodeToString(secret[32:])
	e.Decoy = Decoy{Assertion: "The bundle carries the token " + token + ".", Token: token}
	return nil
}

// Draw gives the chance by which something is drawn: 32 bytes of a source decide
// it.
func Draw(from io.Reader) (*rand.Rand, error) {
	var seed [32]byte
	if _, err := io.ReadFull(from, seed[:]); err != nil {
		return nil, fmt.Errorf("reading random bytes for the draw: %w", err)
	}
	return rand.New(rand.NewChaCha8(seed)), nil
}

// CriterionID is the id of the i-th criterion of an envelope, from 0.
func CriterionID(i int) string { return fmt.Sprintf("sc-%02d", i+1) }
