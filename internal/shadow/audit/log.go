package audit

import (
	"crypto/ed25519"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// The names of the streams, as messages have them.
const (
	In  = "IN"
	Out = "OUT"
)

// Log is what is stored of one or more runs.
type Log struct {
	// In and Out are the streams' messages, in order.
	In, Out []*Message
	// Envelopes are the bucket's, by run.
	Envelopes map[string]*Sealed
	// FirstIn and FirstOut are the sequences below which messages of the
	// streams may have expired: 1 where they are kept for ever.
	FirstIn, FirstOut uint64
	// KeptSince is the moment before which messages of IN may have expired;
	// zero where they are kept for ever.
	KeptSince time.Time
	// Signers are the keys that attestations may be signed with; none: their
	// signatures are not checked.
	Signers []ed25519.PublicKey
	// Settled is how far shadowd had come before the log was read.
	Settled Settled
}

// Settled holds the sequences up to which every event has been acknowledged by
// shadowd, by durable. The outcome of those must be stored.
type Settled struct{ Seal, Judge, Clock uint64 }

// Sealed is an entry of the bucket.
type Sealed struct {
	// Envelope was opened, or Err says why it was not: [shadow.ErrWrongKey]
	// or [shadow.ErrSealBroken].
	Envelope *shadow.Envelope
	Err      error
	Revision uint64
	Time     time.Time
}

// Message is a stored message.
type Message struct {
	Stream   string
	Sequence uint64
	Time     time.Time
	Subject  string
	shadow.Address
	// Foreign is why the subject is none of the protocol's; empty if it is.
	Foreign string
	// ID, Type, Cause and EventTime are the event's attributes, and WantID
	// is the id that its subject asks for; Data is the event's data. An output
	// that is not such an event as shadowd writes says why in Unreadable.
	ID, WantID, Type, Cause string
	EventTime               time.Time
	Data                    []byte
	Unreadable              string
	// Unmarked says why nothing shows that shadowd wrote an output; empty if its
	// mark does.
	Unmarked string
	// Raw is all that is stored of an output, headers included.
	Raw []byte
	// Schedule is when a timer is due; zero for one that cannot be read.
	Schedule time.Time
	// Refusal is what is wrong with an input by itself, if anything; else one
	// of Decomposition and Submission is set, unless it is a commitment.
	Refusal       *shadow.Refusal
	Decomposition *shadow.Decomposition
	Submission    *shadow.Submission
	// Ignored says which fields of its data nobody reads.
	Ignored []string
	Digest  string
}
