package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// Forget erases a finished run: its envelope, its events and what shadowd said
// about it, rejections and timers included. A signed note of counts and hashes
// stays in OUT, beside the run's openings. Until the run is finished it is
// ErrNotFinished.
//
// The note is stored first. So a crash never leaves a run half erased without
// a word; doing it again finds the note, keeps it and erases what is left.
// Only the note makes a run count as finished that has lost its run-scored.
func (o *Operator) Forget(ctx context.Context, run, reason string) (*shadow.ForgottenData, error) {
	log, err := readLog(ctx, o.Subjects, o.JS, nil, run)
	if err != nil {
		return nil, err
	}
	note, err := o.Note(ctx, run)
	if err != nil {
		return nil, err
	}
	if note == nil {
		if note, err = o.writeNote(log, run, reason); err != nil {
			return nil, err
		}
		if o.Signer != nil {
			if err := o.Signer.SignNote(note); err != nil {
				return nil, err
			}
		}
		err := o.store(ctx, o.Forgotten(run), note.ForgottenAt, note)
		if errors.Is(err, errStored) {
			note, err = o.Note(ctx, run)
		}
		if err != nil {
			return nil, err
		}
	}
	return note, o.erase(ctx, log, run)
}

// Note reads the note that a forgotten run left, or nil.
func (o *Operator) Note(ctx context.Context, run string) (*shadow.ForgottenData, error) {
	m, err := streams.Last(ctx, o.JS, layout.StreamOut, o.Forgotten(run))
	if m == nil || err != nil {
		return nil, err
	}
	d := &shadow.ForgottenData{}
	return d, readOutput(m, d)
}

// writeNote says what is there of a run.
func (o *Operator) writeNote(log *audit.Log, run, reason string) (*shadow.ForgottenData, error) {
	d := &shadow.ForgottenData{RunID: run, ForgottenAt: o.Now().UTC(), By: shadow.Printable(o.By), Reason: shadow.Printable(reason),
		Erased: map[string]int{}, Reports: []shadow.FinalDigest{}}
	sealed := false
	for _, m := range log.In {
		d.Erased[m.Name]++
		var c shadow.Commitment
		if m.Name == shadow.EnvelopeSealed && !sealed && audit.Decode(m, &c) == nil {
			d.TaskHash, d.SealedHash, d.DecompositionDigest, sealed = c.TaskHash, c.SealedHash, c.DecompositionDigest, true
		}
	}
	for _, m := range log.Out {
		if !erased(m, run) {
			continue
		}
		d.Erased[m.Name]++
		var rep shadow.Report
		switch {
		case m.Name == shadow.RunScored:
			d.ScoredDigest = shadow.Digest(m.Data)
		case m.Name == shadow.GapReport && audit.Decode(m, &rep) == nil && rep.Swarm.Final:
			d.Reports = append(d.Reports, shadow.FinalDigest{Domain: m.Domain, Cycle: m.Cycle, Digest: shadow.Digest(m.Data)})
		}
	}
	switch {
	case len(d.Erased) == 0:
		return nil, history.ErrNoRun
	case d.ScoredDigest == "":
		return nil, ErrNotFinished
	case !sealed:
		return nil, fmt.Errorf("the commitment of run %s has expired, so no note can name what would be erased: bus.max_age removes the rest of it", run)
	}
	return d, nil
}

// erased says whether a message of OUT goes with its run. Traces stay.
func erased(m *audit.Message, run string) bool {
	switch m.Name {
	case shadow.EnvelopeOpened, shadow.RunForgotten:
		return false
	case shadow.EventRejected:
		return audit.RejectedRun(m) == run
	}
	return m.Run == run
}

// erase erases what is left of a run: what must not be read first, and the
// timers before they can fire for a run that is gone.
func (o *Operator) erase(ctx context.Context, log *audit.Log, run string) error {
	bucket, err := o.JS.KeyValue(ctx, layout.BucketEnvelopes)
	if err != nil {
		return fmt.Errorf("bucket %s: %w", layout.BucketEnvelopes, err)
	}
	// A purge leaves a mark, and would make one where there is nothing.
	if _, err := bucket.Get(ctx, run); err == nil {
		if err := bucket.Purge(ctx, run); err != nil {
			return fmt.Errorf("erasing the envelope: %w", err)
		}
	} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
		return fmt.Errorf("reading the envelope: %w", err)
	}
	out := append(o.RunTimers(run), o.RunOutputs(run)...)
	for _, m := range log.Out {
		if m.Name == shadow.EventRejected && erased(m, run) {
			out = append(out, m.Subject)
		}
	}
	for _, of := range []struct {
		stream   string
		subjects []string
	}{
		{"KV_" + layout.BucketVotes, []string{"$KV." + layout.BucketVotes + "." + run + ".>"}}, // votes quote bundles
		{layout.StreamIn, []string{o.Bundle(run, "*"), o.Fix(run, "*"), o.Decomposition(run), o.Commitment(run)}},
		{layout.StreamOut, out},
	} {
		for _, subject := range of.subjects {
			if err := o.purge(ctx, of.stream, subject); err != nil {
				return err
			}
		}
	}
	return nil
}
