package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// OtherKeyError says that an envelope was sealed by a key that is not at hand.
type OtherKeyError struct{ SealedBy string }

func (e *OtherKeyError) Error() string {
	return fmt.Sprintf("the envelope was sealed by %.60q, and the key here is another one", e.SealedBy)
}

// OpenEnvelope records that the operator opens the envelope of a run, and
// returns it, encrypted. What key cannot open is an [OtherKeyError], and is not
// recorded. Its other errors are those of [Operator.recordOpening].
func (o *Operator) OpenEnvelope(ctx context.Context, run, reason string, forced bool, key *shadow.Ring) ([]byte, error) {
	kv, err := o.JS.KeyValue(ctx, layout.BucketEnvelopes)
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", layout.BucketEnvelopes, err)
	}
	entry, err := kv.Get(ctx, run)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, history.ErrNoRun
	}
	if err != nil {
		return nil, fmt.Errorf("reading the envelope: %w", err)
	}
	// What names no key is no envelope, which shows when it is decrypted.
	if by := shadow.SealedBy(entry.Value()); by != "" && !key.Holds(by) {
		return nil, &OtherKeyError{by}
	}
	if _, err := o.recordOpening(ctx, run, reason, forced); err != nil {
		return nil, err
	}
	return entry.Value(), nil
}
