package shadow

import "errors"

// Outcomes that a caller branches on.
var (
	// ErrUnknownType: the event is not one that shadowd takes in.
	ErrUnknownType = errors.New("not an input event of shadowd")
	// ErrSealBroken: the envelope is not the one that was committed to.
	ErrSealBroken = errors.New("the sealed envelope does not match its commitment")
	// ErrWrongKey: an envelope, a vote or a mark cannot be opened with the key
	// at hand.
	ErrWrongKey = errors.New("sealed with another key")
)
