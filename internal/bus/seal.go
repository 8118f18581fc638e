package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

func (e *Engine) armRun(ctx context.Context, v *runView) error {
	var deadline time.Time
	e.views.locked(func() { deadline = v.Commitment.Policy.RunDeadline(v.Sealed.Time) })
	return e.arm(ctx, e.layout.RunTimer(v.RunID), deadline)
}

// commit stores an envelope for the decomposition and then its commitment, in
// the log that the bundles will stand in, and waits until that was followed. A
// crash after any step is repaired by doing the same again: the stored envelope
// wins over a new one, and the commitment follows from it.
func (e *Engine) commit(ctx context.Context, v *runView, in *input) error {
	began := time.Now()
	envelope, err := e.storedEnvelope(ctx, in.decomposition.RunID)
	var own written // of an envelope that is written here
	if errors.Is(err, errNotSealed) {
		envelope, own, err = e.write(ctx, in)
	}
	if err != nil {
		return err
	}
	if envelope.DecompositionDigest != in.digest {
		return shadow.Refuse(shadow.OtherContent, "run %q is sealed with another decomposition", envelope.RunID)
	}
	subject, took := e.layout.Commitment(envelope.RunID), time.Since(began)
	msg, _, err := e.output(subject, cloudevent.CauseOf(in.event), in.Time, envelope.Commitment())
	if err != nil {
		return err
	}
	shares := envelope.Shares(slices.Concat(e.cfg.Files, e.cfg.Authors))
	seq, err := e.storeOnce(ctx, msg, subject, func() { e.cfg.Observer.Sealed(took, shares) })
	if errors.Is(err, errStored) {
		m, err := streams.Next(ctx, e.store.JS, layout.StreamIn, subject, 1)
		if err != nil {
			return err
		}
		if m == nil {
			return fmt.Errorf("the commitment of run %s was stored and cannot be read yet", envelope.RunID)
		}
		e.views.need(m.Seq)
		return e.views.reach(ctx, m.Seq, 0)
	}
	if err != nil {
		return err
	}
	var authors []string
	for _, a := range envelope.Authors {
		authors = append(authors, a.Name)
	}
	e.log.Info("sealed", "run", envelope.RunID, "authors", authors, "criteria", len(envelope.Criteria), "domains", len(envelope.Domains), "hash", envelope.SealedHash)
	e.views.need(seq)
	if err := e.views.reach(ctx, seq, 0); err != nil || own.revision == 0 {
		return err
	}
	return e.keep(v, envelope, own, seq)
}

// keep opens a run whose envelope and commitment this engine has stored.
func (e *Engine) keep(v *runView, envelope *shadow.Envelope, own written, commitment uint64) error {
	exam, err := envelope.Exam(e.checks)
	if err != nil {
		return err
	}
	e.views.mu.Lock()
	defer e.views.mu.Unlock()
	// Somebody else's may stand before it, or be stored since.
	if v.Sealed.Sequence != commitment || v.revision > own.revision {
		return nil
	}
	c := exam.Commitment // a view must not hold on to the exam
	r := &sealedRun{revision: own.revision, commitment: &c, place: v.Sealed, domains: withoutTexts(envelope.Domains), exam: exam, size: exam.Size()}
	r.lastSeen.Store(&own.bucket)
	v.revision, v.Commitment, v.Domains = own.revision, r.commitment, r.domains
	e.keepOpen(v.RunID, r)
	return nil
}

// written tells of an envelope that was stored: its revision, and the state of the
// bucket before.
type written struct {
	revision uint64
	bucket   bucketState
}

// write draws and stores the envelope of a decomposition. The bucket takes
// one envelope per run: who loses the race goes on with the winner's, and has
// written none.
func (e *Engine) write(ctx context.Context, in *input) (envelope *shadow.Envelope, own written, err error) {
	run := in.decomposition.RunID
	envelope, err = shadow.Seal(ctx, in.decomposition, shadow.SealInput{
		Checks:   e.checks,
		Digest:   in.digest,
		Settings: &e.cfg.Settings,
		Files:    e.cfg.Files,
		Authors:  e.cfg.Authors,
		Notices:  in.ignored,
		Now:      time.Now(),
		Rand:     e.cfg.Rand,
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, own, ctx.Err()
		}
		return nil, own, shadow.Refuse(shadow.CannotSeal, "%v", err)
	}
	box, err := shadow.Encrypt(envelope, e.cfg.Key)
	if err != nil {
		return nil, own, err
	}
	if own.bucket, err = e.bucket.state(ctx, e.store.JS); err != nil {
		return nil, own, err
	}
	own.revision, err = e.store.Envelopes.Create(ctx, run, box)
	if errors.Is(err, jetstream.ErrKeyExists) {
		envelope, err = e.storedEnvelope(ctx, run)
		return envelope, written{}, err
	}
	if errors.Is(err, nats.ErrMaxPayload) {
		return nil, own, shadow.Refuse(shadow.CannotSeal, "the envelope has %d bytes, more than the server takes: split the run or raise max_payload", len(box))
	}
	if err != nil {
		return nil, own, fmt.Errorf("storing the envelope of %s: %w", run, err)
	}
	for _, note := range envelope.Notes {
		e.log.Warn("sealing", "run", run, "note", shadow.Printable(note))
	}
	for _, notice := range envelope.Notices {
		e.log.Info("sealing", "run", run, "notice", shadow.Printable(notice))
	}
	return envelope, own, nil
}

func (e *Engine) storedEnvelope(ctx context.Context, run string) (*shadow.Envelope, error) {
	entry, err := e.entry(ctx, run)
	if err != nil {
		return nil, err
	}
	if entry == nil {
		return nil, errNotSealed
	}
	return shadow.Decrypt(entry.Value(), e.cfg.Key)
}

// entry is what the bucket has of a run, or nil.
func (e *Engine) entry(ctx context.Context, run string) (jetstream.KeyValueEntry, error) {
	entry, err := e.store.Envelopes.Get(ctx, run)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the envelope of %s: %w", run, err)
	}
	return entry, nil
}
