package shadow

import (
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
)

// OpeningData is the data of envelope-opened: the operator is about to look
// into a sealed envelope. It is stored before the envelope is opened, so that
// no look goes without a trace.
type OpeningData struct {
	RunID string `json:"run_id"`
	// Opening counts the openings of the run from 1: a gap shows that one was
	// removed.
	Opening  int       `json:"opening"`
	OpenedAt time.Time `json:"opened_at"`
	// By is who, as the machine that opened it knows them. Nobody vouches for
	// it.
	By string `json:"by"`
	// Finished: the run was scored by then. Forced: it was opened although
	// the run was not.
	Finished   bool   `json:"finished"`
	Forced     bool   `json:"forced"`
	Reason     string `json:"reason,omitempty"`
	SealedHash string `json:"sealed_hash"` // that of the commitment
}

// ForgottenData is the data of run-forgotten: what was erased of a run. It
// holds no text of the run, only counts and hashes, so that who has kept a
// report or an envelope can still show that it is the one.
type ForgottenData struct {
	RunID       string    `json:"run_id"`
	ForgottenAt time.Time `json:"forgotten_at"`
	By          string    `json:"by"` // see OpeningData
	Reason      string    `json:"reason,omitempty"`
	// The hashes that the run's commitment held.
	TaskHash            string `json:"task_hash"`
	SealedHash          string `json:"sealed_hash"`
	DecompositionDigest string `json:"decomposition_digest"`
	// ScoredDigest is the Digest of the data of run-scored.
	ScoredDigest string `json:"scored_digest"`
	// Erased counts the messages by the name of the event; timers are "clock".
	Erased  map[string]int `json:"erased"`
	Reports []FinalDigest  `json:"reports"`
	// Signed says all of the above once more, signed: an in-toto statement in a
	// DSSE envelope; see package attest.
	Signed *dsse.Envelope `json:"signed,omitempty"`
}

// FinalDigest names the final report of a domain by the Digest of its data.
type FinalDigest struct {
	Domain string `json:"domain"`
	Cycle  int    `json:"cycle"`
	Digest string `json:"digest"`
}
