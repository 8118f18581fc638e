package shadow

import "errors"

// Outcomes that a caller branches on.
var (
	// ErrUnknownType: the event is not one that shadowd takes in.
	ErrUnknownType = errors.New("not an input event of shadowd")
	// ErrSealBroken: the envelope is not the one that was committed to.
	ErrSealBroken = errors.New("the sealed envelope does not match its commitment")
	// ErrWrongKey: the envelope cannot be opened with the key at hand.
	ErrWrongKey = errors.New("the envelope was sealed with another key")
)
