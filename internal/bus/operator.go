package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Operator does what the operator's commands may do to a run. What it does
// leaves a trace in OUT, and the trace is stored first.
type Operator struct {
	layout.Subjects
	JS jetstream.JetStream
	// Publisher stores the traces; nil means JS.
	Publisher Publisher
	// Key marks the traces, and opens envelopes.
	Key nkeys.KeyPair
	// By is who is at work, and Now the time.
	By  string
	Now func() time.Time
}

var errNotFinished = hint.Failed(errors.New("it is not finished: reading its envelope now would defeat the seal"),
	"wait for its end, or add --force if the criteria may be known from now on")

// OpenEnvelope records that the operator opens the envelope of a run, and
// returns it, encrypted. What its key cannot open is an error, and is not recorded.
func (o *Operator) OpenEnvelope(ctx context.Context, run, reason string, forced bool) ([]byte, error) {
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
	if _, err := shadow.Decrypt(entry.Value(), o.Key); errors.Is(err, shadow.ErrWrongKey) {
		return nil, hint.Failed(fmt.Errorf("the envelope of run %s: %w", run, err), "point SHADOWD_ENVELOPE_KEY at that key")
	}
	if _, err := o.recordOpening(ctx, run, reason, forced); err != nil {
		return nil, fmt.Errorf("run %s: %w", run, err)
	}
	return entry.Value(), nil
}

// recordOpening stores that the operator is about to look into a run's envelope: only
// then may it be opened. Unless forced it refuses while the run is not scored.
func (o *Operator) recordOpening(ctx context.Context, run, reason string, forced bool) (*shadow.OpeningData, error) {
	commitment, err := streams.Last(ctx, o.JS, layout.StreamIn, o.Commitment(run))
	if err != nil {
		return nil, err
	}
	scored, _, err := firstOwn(ctx, o.JS, layout.StreamOut, o.RunScored(run), o.Key)
	if err != nil && !(forced && errors.Is(err, shadow.ErrWrongKey)) {
		return nil, err
	}
	// Where the commitment has expired, run-scored repeats its hash.
	var c struct {
		SealedHash string `json:"sealed_hash"`
	}
	if commitment == nil {
		commitment = scored
	}
	if commitment == nil {
		return nil, history.ErrNoRun
	}
	if _, err := readOutput(commitment, &c); err != nil {
		return nil, err
	}
	if scored == nil && !forced {
		return nil, errNotFinished
	}
	before, err := streams.Last(ctx, o.JS, layout.StreamOut, o.Openings(run))
	if err != nil {
		return nil, err
	}
	d := &shadow.OpeningData{RunID: run, OpenedAt: o.Now().UTC(), By: shadow.Printable(o.By), Finished: scored != nil, Forced: forced && scored == nil,
		Reason: shadow.Printable(reason), SealedHash: c.SealedHash, Opening: 1}
	if before != nil {
		a, err := o.Parse(before.Subject)
		if err != nil {
			return nil, err
		}
		d.Opening = int(a.Sequence) + 1
	}
	out := newOutbox(o.Subjects, o.JS, o.Publisher, o.Key)
	for ; ; d.Opening++ {
		msg, _, err := out.output(o.Opened(run, d.Opening), cloudevent.Cause{}, d.OpenedAt, d)
		if err == nil {
			_, err = out.store(ctx, msg, 0)
		}
		if !errors.Is(err, errStored) {
			return d, err
		}
	}
}

// Reviewer publishes reviews.
type Reviewer struct {
	layout.Subjects
	JS jetstream.JetStream
	// Key is the nkey of the reviewer, which signs; nil: nothing is signed.
	Key nkeys.KeyPair
}

// publish stores a review in IN and returns its sequence there.
func (v *Reviewer) publish(ctx context.Context, r *shadow.Review) (uint64, error) {
	data, err := shadow.Encode(r)
	if err != nil {
		return 0, err
	}
	signature := ""
	if v.Key != nil {
		if signature, err = shadow.SignReview(data, v.Key); err != nil {
			return 0, err
		}
	}
	msg, err := cloudevent.NewReview(v.Subjects, r, data, signature)
	if err != nil {
		return 0, err
	}
	ack, err := v.JS.PublishMsg(ctx, msg)
	if err != nil {
		return 0, fmt.Errorf("publishing to %s: %w", msg.Subject, err)
	}
	return ack.Sequence, nil
}

var errNotTaken = hint.Failed(errors.New("the review is stored, and shadowd has not taken it yet"), "it will, once it runs: shadowd status")

// outcomeWait is how long an outcome is waited for.
const outcomeWait = 10 * time.Second

// Review publishes a review and waits for a while for what follows from it.
func (v *Reviewer) Review(ctx context.Context, r *shadow.Review) (*shadow.ReviewedData, error) {
	seq, err := v.publish(ctx, r)
	if err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, outcomeWait)
	defer cancel()
	d, err := v.outcome(waiting, r, seq)
	if waiting.Err() != nil && ctx.Err() == nil {
		err = errNotTaken
	}
	return d, err
}

func (v *Reviewer) outcome(ctx context.Context, r *shadow.Review, seq uint64) (*shadow.ReviewedData, error) {
	for {
		if m, err := streams.Next(ctx, v.JS, layout.StreamOut, v.Reviewed(r.RunID, r.Domain, seq), 1); err != nil {
			return nil, err
		} else if m != nil {
			d := &shadow.ReviewedData{}
			_, err := readOutput(m, d)
			return d, err
		}
		if m, err := streams.Next(ctx, v.JS, layout.StreamOut, v.Rejected(r.By, seq), 1); err != nil {
			return nil, err
		} else if m != nil {
			var no shadow.Rejection
			if _, err := readOutput(m, &no); err != nil {
				return nil, err
			}
			return nil, fmt.Errorf("shadowd rejects the review: %s: %s", no.Reason, shadow.Printable(no.Message))
		}
		if err := pause(ctx, conflictPause); err != nil {
			return nil, err
		}
	}
}
