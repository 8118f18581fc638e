package shadow

import (
	"fmt"
	"reflect"
)

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
