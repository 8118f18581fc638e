package shadow

import "time"

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
