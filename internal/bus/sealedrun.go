package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/cloudevents/sdk-go/v2/event"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// sealedRun is a run whose envelope is stored and committed to.
type sealedRun struct {
	revision   uint64 // of the envelope in the bucket
	commitment *shadow.Commitment
	place      shadow.Place    // of the commitment, in IN
	domains    []shadow.Domain // as withoutTexts leaves them
	// exam judges by the envelope; broken says why it must not be trusted.
	// One of the two is set.
	exam   *shadow.Exam
	size   int64 // of the exam, in bytes
	broken string
	// lastSeen is the state of the bucket from before the envelope was last seen, or
	// was stored.
	lastSeen atomic.Pointer[bucketState]
}

func (r *sealedRun) policy() *shadow.Policy { return &r.commitment.Policy }

// errNotSealed: the run has no envelope and commitment yet. It means wait,
// never a broken seal.
var errNotSealed = errors.New("the run is not sealed")

// NewestEnvelope is the envelope that was stored last, encrypted, or nil. Marks
// of deleted envelopes and probes do not count. Many of them may be stored
// after it, so the search goes back in growing steps.
func NewestEnvelope(ctx context.Context, s *layout.Store) (newest []byte, err error) {
	const stream, ofRuns = "KV_" + layout.BucketEnvelopes, "$KV." + layout.BucketEnvelopes + ".*"
	last, err := streams.Last(ctx, s.JS, stream, ofRuns)
	if last == nil || err != nil {
		return nil, err
	}
	for end, back := last.Seq, uint64(1); end > 0 && newest == nil; back *= 2 {
		from := end - min(back, end)
		for seq := from + 1; seq <= end; seq++ {
			m, err := streams.Next(ctx, s.JS, stream, ofRuns, seq)
			if err != nil {
				return nil, err
			}
			if m == nil || m.Seq > end {
				break
			}
			if seq = m.Seq; m.Header.Get("KV-Operation") == "" {
				newest = m.Data
			}
		}
		end = from
	}
	return newest, nil
}

// sealed returns a run ready to judge, whose commitment is in its view. The
// envelope is decrypted, hashed and compared with the commitment once per
// stored revision.
func (e *Engine) sealed(ctx context.Context, v *runView) (*sealedRun, error) {
	var before uint64
	e.views.locked(func() { before = v.revision })
	r, ok := e.runs.Get(v.RunID)
	if !ok {
		// A run's bundles tend to come together; one of them opens the
		// envelope for all.
		found, err, _ := e.opening.Do(v.RunID, func() (any, error) { return e.open(ctx, v) })
		if err != nil {
			return nil, err
		}
		r = found.(*sealedRun)
	}
	e.views.mu.Lock()
	defer e.views.mu.Unlock()
	if r == nil {
		v.NoEnvelope = v.revision == before // else one was stored meanwhile
		return nil, errNotSealed
	}
	if v.revision > r.revision {
		return nil, fmt.Errorf("the envelope of %s has changed while it was opened", v.RunID)
	}
	v.revision, v.Domains = r.revision, r.domains
	e.keepOpen(v.RunID, r)
	return r, nil
}

// keepOpen keeps a run for its next bundle, and drops those that were not used
// for the longest time where all together are too large. The lock of the views
// is held.
func (e *Engine) keepOpen(run string, r *sealedRun) {
	if known, _ := e.runs.Peek(run); known != r {
		e.runs.Remove(run)
		e.runsSize.Add(r.size)
		e.runs.Add(run, r)
	}
	for e.runsSize.Load() > runsBytes && e.runs.Len() > 1 {
		e.runs.RemoveOldest()
	}
}

// withoutTexts are the domains without what the exam alone reads: a view keeps
// them longer.
func withoutTexts(domains []shadow.Domain) []shadow.Domain {
	all := slices.Clone(domains)
	for i := range all {
		all[i].TaskBrief, all[i].SubTasks, all[i].Deliverables, all[i].Constraints = "", nil, nil, nil
	}
	return all
}

// unchanged asks the bucket whether the envelope of a run is still the one that
// was opened: a change may be stored that is not followed yet. If it is not, it
// judges nothing any more. Where nothing has left the bucket since it was last
// seen, it is there.
func (e *Engine) unchanged(ctx context.Context, v *runView, r *sealedRun) (bool, error) {
	state, err := e.bucket.state(ctx, e.store.JS)
	if err != nil {
		return false, err
	}
	if lastSeen := r.lastSeen.Load(); lastSeen != nil && *lastSeen == state {
		return true, nil
	}
	entry, err := e.entry(ctx, v.RunID)
	if err != nil {
		return false, err
	}
	if entry != nil && entry.Revision() == r.revision {
		r.lastSeen.Store(&state)
		return true, nil
	}
	e.views.mu.Lock()
	defer e.views.mu.Unlock()
	if opened, ok := e.runs.Peek(v.RunID); ok && opened == r {
		e.runs.Remove(v.RunID)
		v.Domains = nil
	}
	return false, nil
}

// open opens the envelope of a run, or returns nil if there is none.
func (e *Engine) open(ctx context.Context, v *runView) (*sealedRun, error) {
	state, err := e.bucket.state(ctx, e.store.JS)
	if err != nil {
		return nil, err
	}
	entry, err := e.entry(ctx, v.RunID)
	if entry == nil || err != nil {
		return nil, err
	}
	r := &sealedRun{revision: entry.Revision()}
	r.lastSeen.Store(&state)
	e.views.locked(func() { r.commitment, r.place = v.Commitment, v.Sealed })
	if r.commitment == nil {
		return nil, errNotSealed
	}
	envelope, err := shadow.Decrypt(entry.Value(), e.cfg.Key)
	if err == nil {
		r.exam, err = shadow.NewExam(envelope, r.commitment, e.checks)
	}
	if errors.Is(err, shadow.ErrSealBroken) {
		r.broken = err.Error()
		e.notifier.broken(v.RunID, r.revision)
		e.log.Error("seal broken", "run", v.RunID, "reason", r.broken)
		r.domains, err = e.committedDomains(ctx, v.RunID, r.commitment.DecompositionDigest)
		return r, err
	}
	if err != nil {
		return nil, fmt.Errorf("opening the envelope of %s: %w", v.RunID, err)
	}
	r.domains, r.size = withoutTexts(envelope.Domains), r.exam.Size()
	return r, nil
}

// followEnvelopes takes in that an envelope was stored, or deleted: one that
// was opened before judges nothing any more.
func (e *Engine) followEnvelopes(m *streams.Message) {
	run := m.Subject[len("$KV."+layout.BucketEnvelopes+"."):]
	e.views.mu.Lock()
	defer e.views.mu.Unlock()
	v := e.views.runs[run]
	if v != nil && v.revision < m.Seq {
		v.revision, v.Domains = m.Seq, nil
		if v.NoEnvelope = m.Header.Get("KV-Operation") != ""; !v.NoEnvelope {
			e.views.waits.wake(v, func(m *message) bool { return m.turn.Await == shadow.AwaitSeal })
		}
	}
	if r, ok := e.runs.Peek(run); ok && r.revision < m.Seq {
		e.runs.Remove(run)
	}
}

// committedDomains reads the domains of a run from the decomposition in the
// log, for when the envelope cannot be believed.
func (e *Engine) committedDomains(ctx context.Context, run, digest string) ([]shadow.Domain, error) {
	for seq := uint64(1); ; seq++ {
		m, err := streams.Next(ctx, e.store.JS, layout.StreamIn, e.layout.Decomposition(run), seq)
		if err != nil {
			return nil, err
		}
		if m == nil {
			return nil, fmt.Errorf("run %s: the decomposition that was committed to is not in %s", run, layout.StreamIn)
		}
		in, err := e.take(&message{Message: *m})
		if seq = m.Seq; err != nil || in.digest != digest {
			continue
		}
		if rejected, err := e.rejected(ctx, in.addr.Author, in.Seq); err != nil {
			return nil, err
		} else if !rejected {
			return withoutTexts(in.decomposition.Domains), nil
		}
	}
}

// readOutput decodes the data of one of shadowd's own stored events.
func readOutput(m *streams.Message, into any) error {
	_, err := readEvent(m, into)
	return err
}

// readEvent is readOutput, and gives the event too.
func readEvent(m *streams.Message, into any) (event.Event, error) {
	ev, err := cloudevent.Decode(m.Header, m.Data)
	if err == nil {
		err = json.Unmarshal(ev.Data(), into)
	}
	if err != nil {
		err = fmt.Errorf("message %d on %s: %w", m.Seq, m.Subject, err)
	}
	return ev, err
}
