package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// seal handles a decomposition: it writes the run's envelope, stores it, and
// commits to it in the log that the bundles will stand in. A crash after any
// step is repaired by doing the same again: the stored envelope wins over a
// new one, and the commitment follows from it.
func (e *Engine) seal(ctx context.Context, m *message) error {
	in, err := e.take(m)
	if err != nil {
		return e.refused(ctx, in, err)
	}
	return e.refused(ctx, in, e.sealRun(ctx, in))
}

func (e *Engine) sealRun(ctx context.Context, in *input) error {
	run := in.decomposition.RunID
	committed, err := next(ctx, e.store, e.layout.Commitment(run), 1)
	if err != nil {
		return err
	}
	if committed != nil {
		e.news.seen(committed.subject)
	}
	if committed == nil {
		if err := e.notForgotten(ctx, run); err != nil {
			return err
		}
		if err := e.commit(ctx, in); err != nil {
			return err
		}
		if committed, err = next(ctx, e.store, e.layout.Commitment(run), 1); err != nil {
			return err
		}
		if committed == nil {
			return fmt.Errorf("the commitment of run %s was stored and cannot be read yet", run)
		}
	}
	var c shadow.Commitment
	if err := e.readOutput(committed, &c); err != nil {
		return fmt.Errorf("the commitment of run %s cannot be read: %w", run, err)
	}
	if c.DecompositionDigest != in.digest {
		return refuse(shadow.OtherContent, "run %q is sealed with another decomposition", run)
	}
	return e.arm(ctx, e.layout.RunTimer(run), e.layout.RunFired(run), e.layout.RunClock(run), c.Policy.RunDeadline(committed.time))
}

// notForgotten refuses a run that the operator had erased: its reports would
// stand where those of the run before stood.
func (e *Engine) notForgotten(ctx context.Context, run string) error {
	note, err := last(ctx, e.store.Out, e.layout.Forgotten(run))
	if note != nil && err == nil {
		err = refuse(shadow.OtherContent, "run %q was forgotten", run)
	}
	return err
}

// commit stores an envelope for the decomposition and then its commitment.
func (e *Engine) commit(ctx context.Context, in *input) error {
	began := time.Now()
	envelope, err := e.storedEnvelope(ctx, in.decomposition.RunID)
	if errors.Is(err, errNotSealed) {
		envelope, err = e.write(ctx, in)
	}
	if err != nil {
		return err
	}
	if envelope.DecompositionDigest != in.digest {
		return refuse(shadow.OtherContent, "run %q is sealed with another decomposition", envelope.RunID)
	}
	data, err := marshal(envelope.Commitment())
	if err != nil {
		return err
	}
	subject, took := e.layout.Commitment(envelope.RunID), time.Since(began)
	msg, err := e.output(subject, CauseOf(in.event), in.time, data)
	if err != nil {
		return err
	}
	shares := envelope.Shares(e.cfg.Authors, e.cfg.Filler)
	if err := e.storeIfNew(ctx, msg, subject, func() { e.cfg.Observer.Sealed(took, shares) }); err != nil {
		return err
	}
	var authors []string
	for _, a := range envelope.Authors {
		authors = append(authors, a.Name)
	}
	e.log.Info("sealed", "run", envelope.RunID, "authors", authors, "criteria", envelope.CriteriaCount, "domains", len(envelope.Domains), "hash", envelope.SealedHash)
	return nil
}

// write draws and stores the envelope of a decomposition. The bucket takes
// one envelope per run: who loses the race goes on with the winner's.
func (e *Engine) write(ctx context.Context, in *input) (*shadow.Envelope, error) {
	run := in.decomposition.RunID
	if err := e.firstDecomposition(ctx, in); err != nil {
		return nil, err
	}
	envelope, err := shadow.Seal(ctx, in.decomposition, shadow.SealInput{
		Checks:   e.checks,
		Digest:   in.digest,
		Settings: &e.cfg.Settings,
		Authors:  e.cfg.Authors,
		Filler:   e.cfg.Filler,
		Now:      time.Now(),
		Rand:     e.cfg.Rand,
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, shadow.ErrUnavailable) {
			return nil, err
		}
		return nil, refuse(shadow.CannotSeal, "%v", err)
	}
	box, err := shadow.Encrypt(envelope, e.cfg.Key)
	if err != nil {
		return nil, err
	}
	_, err = e.store.Envelopes.Create(ctx, run, box)
	if errors.Is(err, jetstream.ErrKeyExists) {
		return e.storedEnvelope(ctx, run)
	}
	if errors.Is(err, nats.ErrMaxPayload) {
		return nil, refuse(shadow.CannotSeal, "the envelope has %d bytes, more than the server takes: split the run or raise max_payload", len(box))
	}
	if err != nil {
		return nil, fmt.Errorf("storing the envelope of %s: %w", run, err)
	}
	for _, note := range envelope.Notes {
		e.log.Warn("sealing", "run", run, "note", shadow.Printable(note))
	}
	return envelope, nil
}

// firstDecomposition refuses a decomposition that is not the run's first, or
// one that was rejected already.
func (e *Engine) firstDecomposition(ctx context.Context, in *input) error {
	first, err := e.first(ctx, e.decompositionOf(in.decomposition.RunID, in))
	if err != nil {
		return err
	}
	if first == nil {
		return refuse(shadow.CannotSeal, "it was rejected before")
	}
	if first.digest != in.digest {
		return refuse(shadow.OtherContent, "run %q has another decomposition before this one, at sequence %d", in.decomposition.RunID, first.seq)
	}
	return nil
}

func (e *Engine) storedEnvelope(ctx context.Context, run string) (*shadow.Envelope, error) {
	entry, err := e.store.Envelopes.Get(ctx, run)
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrKeyDeleted) {
		return nil, errNotSealed
	}
	if err != nil {
		return nil, fmt.Errorf("reading the envelope of %s: %w", run, err)
	}
	return shadow.Decrypt(entry.Value(), e.cfg.Key)
}
