package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

const (
	// followBack is how many messages of IN an engine follows that were stored
	// before it began, at most. What stands before is read when it is needed.
	followBack = 200_000
	// clockSkew is how far the clocks of servers may differ.
	clockSkew = time.Minute
)

// follow follows the streams until ctx ends. Each is delivered without its
// data. Wait waits for the followers' end.
func (e *Engine) follow(ctx context.Context) (wait func(), err error) {
	from, since, err := e.followFrom(ctx)
	if err != nil {
		return nil, err
	}
	bucket, err := e.store.JS.Stream(ctx, "KV_"+layout.BucketEnvelopes)
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", layout.BucketEnvelopes, err)
	}
	l := e.layout
	in := &streams.Reader{Stream: layout.StreamIn, Next: from, Deliver: func(s *streams.Message) {
		m := &message{Message: *s}
		e.lookahead.followed(m, e.views.followIn(ctx, m))
	}}
	out := &streams.Reader{Stream: layout.StreamOut, Since: since, Deliver: func(m *streams.Message) {
		if a := e.views.followOut(&message{Message: *m}); a.Name == shadow.RunScored {
			e.runs.Remove(a.Run) // it is opened again if anything more is judged
		}
	}, Subjects: append(l.Wildcards(shadow.GapReport, shadow.RunScored, shadow.EventRejected), l.FiredTimers()...)}
	if since.IsZero() {
		out.Next = 1
	}
	kv := &streams.Reader{Stream: "KV_" + layout.BucketEnvelopes, Next: bucket.CachedInfo().State.LastSeq + 1, Deliver: e.followEnvelopes}
	e.views.startAt(from - 1)
	e.lookahead.noteDelivery(from - 1)
	followers := []*streams.Reader{in, out, kv}
	e.followers.Store(&followers)
	var wg sync.WaitGroup
	for _, f := range followers {
		f.JS, f.Follow, f.HeadersOnly = e.store.JS, true, true
		wg.Go(func() {
			f.Run(ctx, func(err error) {
				e.log.Warn("the log cannot be followed, will be tried again", "stream", f.Stream, "error", err)
			})
		})
	}
	wg.Go(func() { e.lookahead.run(ctx) })
	return wg.Wait, nil
}

// startAt notes the sequence of IN behind which it is followed.
func (vs *views) startAt(in uint64) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.in, vs.needed = in, in
}

// followFrom is where to begin: IN at the first event that has no outcome, if
// that is not too far back, and OUT at what can have followed from it, or at its
// beginning where a server's clock went back meanwhile.
func (e *Engine) followFrom(ctx context.Context) (from uint64, since time.Time, err error) {
	info, err := e.store.In.Info(ctx)
	if err != nil {
		return 0, since, fmt.Errorf("stream %s: %w", layout.StreamIn, err)
	}
	state := info.State
	from = state.LastSeq + 1
	for _, c := range []jetstream.Consumer{e.store.Seal, e.store.Judge} {
		info, err := c.Info(ctx)
		if err != nil {
			return 0, since, fmt.Errorf("asking for the state of a consumer: %w", err)
		}
		if info.NumPending > 0 || info.NumAckPending > 0 {
			from = min(from, info.AckFloor.Stream+1)
		}
	}
	from = max(from, state.FirstSeq, state.LastSeq-min(state.LastSeq, followBack), 1)
	if state.LastSeq == 0 {
		return from, since, nil
	}
	since = state.LastTime
	m, err := streams.Next(ctx, e.store.JS, layout.StreamIn, ">", from)
	switch {
	case m == nil || m.Seq > state.LastSeq: // it has come since
	case m.Time.After(since):
		return from, time.Time{}, err
	default:
		since = m.Time
	}
	return from, since.Add(-clockSkew), err
}

// current waits until all was followed that IN held when it was called, and the
// reports of a run.
func (e *Engine) current(ctx context.Context, run string) error {
	followers := e.followers.Load()
	if followers == nil {
		return fmt.Errorf("the log is not followed yet")
	}
	ctx, cancel := context.WithTimeout(ctx, followTimeout)
	defer cancel()
	info, err := e.store.In.Info(ctx)
	if err != nil {
		return fmt.Errorf("stream %s: %w", layout.StreamIn, err)
	}
	e.views.need(info.State.LastSeq)
	out, err := e.store.Out.Info(ctx, jetstream.WithSubjectFilter(e.layout.RunWildcard(shadow.GapReport, run)))
	if err != nil {
		return fmt.Errorf("stream %s: %w", layout.StreamOut, err)
	}
	// IN is followed whole, so its last message must come.
	if err := (*followers)[0].Current(ctx, info.State.LastSeq); err != nil {
		return fmt.Errorf("following %s: %w", layout.StreamIn, err)
	}
	if v := e.views.misses(run, out.State.Subjects); v != nil {
		return e.loadOut(ctx, v)
	}
	return nil
}

// misses returns the view of a run if it has not all of some reports: a server
// that follows OUT may be behind, or have begun too far on where its clock went back.
func (vs *views) misses(run string, reports map[string]uint64) *runView {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	v := vs.runs[run]
	for subject := range reports {
		a, err := vs.layout.Parse(subject)
		if err == nil && v != nil && v.Reports[shadow.Slot{Domain: a.Domain, Cycle: a.Cycle}] == nil {
			return v
		}
	}
	return nil
}

// checkTruncated holds the end of IN against the newest outputs that name an
// event of it, and all that were stored since its last event: outcomes are not
// stored in the order of their events, so the newest may name an early one. Those
// of events that IN has lost were stored after all that it still has. What is not
// known as shadowd's own keeps no engine from starting.
func (e *Engine) checkTruncated(ctx context.Context) error {
	info, err := e.store.In.Info(ctx)
	if err != nil {
		return fmt.Errorf("stream %s: %w", layout.StreamIn, err)
	}
	end, since := info.State.LastSeq, info.State.LastTime
	check := func(m *streams.Message) error {
		seq := e.named(m)
		if seq <= end {
			return nil
		}
		if own, _ := isOwn(m, e.cfg.Key); !own { // it may be forged
			return nil
		}
		info, err := e.store.In.Info(ctx) // another daemon may be at work
		if err != nil {
			return fmt.Errorf("stream %s: %w", layout.StreamIn, err)
		}
		end = info.State.LastSeq
		return streams.CheckEnd(layout.StreamIn, end, seq)
	}
	outputs := e.layout.Wildcards(shadow.EventRejected, shadow.GapReport)
	for _, subject := range outputs {
		m, err := streams.Last(ctx, e.store.JS, layout.StreamOut, subject)
		if err == nil && m != nil {
			err = check(m)
		}
		if err != nil {
			return err
		}
	}
	err = streams.ReadSince(ctx, e.store.JS, layout.StreamOut, outputs, since, check)
	if _, damaged := errors.AsType[*streams.UnreadableError](err); damaged {
		return nil // what can be read was looked at
	}
	return err
}

// named is the sequence of the event of IN that an output names, or 0 if it cannot
// be read.
func (e *Engine) named(m *streams.Message) uint64 {
	a, err := e.layout.Parse(m.Subject)
	if err != nil || a.Name == shadow.EventRejected {
		return a.Sequence
	}
	var rep struct {
		Swarm struct {
			In struct{ Sequence uint64 }
		}
	}
	if readOutput(m, &rep) != nil {
		return 0
	}
	return rep.Swarm.In.Sequence
}

// Truncated is why a stream that the engine follows was cut, or nil. From then on
// other events have the sequences of those that it knows, so nothing is decided.
func (e *Engine) Truncated() error {
	if followers := e.followers.Load(); followers != nil {
		for _, f := range *followers {
			if err := f.Err(); errors.Is(err, streams.ErrTruncated) {
				return err
			}
		}
	}
	return nil
}
