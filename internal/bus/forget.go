package bus

import (
	"context"
	"fmt"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// Forget erases a finished run: its envelope, its events and what shadowd said
// about it, rejections and timers included. A signed note of counts and hashes
// stays in OUT, beside the run's openings. Until the run is finished it is
// ErrNotFinished: a run-scored that shadowd did not write does not count.
//
// The note is stored first. So a crash never leaves a run half erased without
// a word; doing it again finds the note, keeps it and erases what is left.
// Only the note makes a run count as finished that has lost its run-scored.
//
// Removed is how many of its messages were not overwritten in the server's files,
// since they were too many.
func (o *Operator) Forget(ctx context.Context, run, reason string) (note *shadow.ForgottenData, removed int, err error) {
	if err = o.mayErase(ctx); err != nil {
		return nil, 0, err
	}
	if _, _, err := firstOwn(ctx, o.JS, o.RunScored(run), o.Key); err != nil {
		return nil, 0, err
	}
	log, err := readLog(ctx, o.Subjects, o.JS, o.Key, run)
	if err != nil {
		return nil, 0, err
	}
	if note, err = o.note(ctx, log, run, reason); err != nil {
		return nil, 0, err
	}
	removed, err = o.erase(ctx, log, run)
	return note, removed, err
}

// mayErase says whether the server lets anybody erase what a run can leave.
func (o *Operator) mayErase(ctx context.Context) error {
	for _, name := range []string{layout.StreamIn, layout.StreamOut, bucketEnvelopes, bucketVotes} {
		s, err := o.JS.Stream(ctx, name)
		if err != nil {
			return fmt.Errorf("stream %s: %w", name, err)
		}
		if s.CachedInfo().Config.DenyDelete {
			return fmt.Errorf("%w: stream %s has deny_delete, which no server takes back", ErrMayNotErase, name)
		}
	}
	return nil
}

// The streams of the two buckets. Votes quote bundles.
const (
	bucketEnvelopes = "KV_" + layout.BucketEnvelopes
	bucketVotes     = "KV_" + layout.BucketVotes
)

// note returns the note of a run, which it stores if there is none.
func (o *Operator) note(ctx context.Context, log *audit.Log, run, reason string) (*shadow.ForgottenData, error) {
	note, err := o.ownNote(ctx, run)
	if note != nil || err != nil {
		return note, err
	}
	if note, err = o.writeNote(log, run, reason); err != nil {
		return nil, err
	}
	if o.Signer != nil {
		if err := o.Signer.SignNote(note); err != nil {
			return nil, err
		}
	}
	e, msg, err := o.trace(o.Forgotten(run), note.ForgottenAt, note)
	if err == nil {
		_, err = e.storeOwn(ctx, msg)
	}
	if err != nil {
		return nil, err
	}
	return o.ownNote(ctx, run) // another operator may have been first
}

// ownNote is [Operator.Note], but for one that somebody else wrote.
func (o *Operator) ownNote(ctx context.Context, run string) (*shadow.ForgottenData, error) {
	m, _, err := firstOwn(ctx, o.JS, o.Forgotten(run), o.Key)
	if m == nil || err != nil {
		return nil, err
	}
	d := &shadow.ForgottenData{}
	return d, readOutput(m, d)
}

// Note reads the note that a forgotten run left, or nil. It takes it at its word.
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
		case m.Unmarked != "": // the note vouches for what shadowd wrote
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

// maxOverwrite is how many messages of a run are overwritten, one by one: the
// server writes a file of up to 8 MiB anew for each. It is more than a run of 500
// domains has. What a flood left beyond is only removed.
const maxOverwrite = 4096

// erase erases what is left of a run, its envelope first, and says how many of
// its messages were removed without being overwritten. A plain removal would leave
// the bytes in the server's files, those of the newest file for ever.
func (o *Operator) erase(ctx context.Context, log *audit.Log, run string) (removed int, err error) {
	for n := 0; ; {
		stored, err := o.stored(ctx, log, run)
		if err != nil {
			return removed, err
		}
		gone := false
		for _, m := range stored {
			n++
			found, err := o.remove(ctx, m.stream, m.sequence, n > maxOverwrite)
			if err != nil {
				return removed, err
			}
			if gone = gone || !found; found && n > maxOverwrite {
				removed++
			}
		}
		if !gone {
			return removed, nil
		}
		// What is gone may be a timer that has fired meanwhile.
		if log, err = readLog(ctx, o.Subjects, o.JS, nil, run); err != nil {
			return removed, err
		}
	}
}

// place is where a message stands.
type place struct {
	stream   string
	sequence uint64
}

// stored is where all is that is to be erased of a run.
func (o *Operator) stored(ctx context.Context, log *audit.Log, run string) (all []place, err error) {
	if e := log.Envelopes[run]; e != nil {
		all = append(all, place{bucketEnvelopes, e.Revision})
	}
	err = streams.Read(ctx, o.JS, bucketVotes, []string{"$KV." + layout.BucketVotes + "." + run + ".>"}, func(m *streams.Message) error {
		all = append(all, place{bucketVotes, m.Seq})
		return nil
	})
	for _, m := range log.In {
		all = append(all, place{layout.StreamIn, m.Sequence})
	}
	for _, m := range log.Out {
		if erased(m, run) {
			all = append(all, place{layout.StreamOut, m.Sequence})
		}
	}
	return all, err
}

// remove removes a message, and unless plain has the server overwrite it first.
// It says whether there was one.
func (o *Operator) remove(ctx context.Context, stream string, seq uint64, plain bool) (bool, error) {
	s, err := o.JS.Stream(ctx, stream)
	if err != nil {
		return false, fmt.Errorf("stream %s: %w", stream, err)
	}
	remove := s.SecureDeleteMsg
	if plain {
		remove = s.DeleteMsg
	}
	if err = remove(ctx, seq); err == nil {
		return true, nil
	}
	if m, missing := streams.At(ctx, o.JS, stream, seq); m == nil && missing == nil {
		return false, nil
	}
	return false, fmt.Errorf("erasing message %d of %s: %w", seq, stream, err)
}
