package bus

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

const (
	// followBack is how many messages of IN an engine follows that were stored
	// before it began, at most. What stands before is read when it is needed.
	followBack = 200_000
	// clockSkew is how far the clocks of servers may differ.
	clockSkew = time.Minute
	// followRetry is how long a follower waits after a failure.
	followRetry = time.Second
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
	in := &reader{stream: layout.StreamIn, next: from, deliver: func(m *message) {
		e.ahead.followed(m, e.views.followIn(ctx, m))
	}}
	out := &reader{stream: layout.StreamOut, since: since, deliver: func(m *message) {
		if a := e.views.followOut(m); a.Name == shadow.RunScored {
			e.runs.Remove(a.Run) // nothing more is judged
		}
	}, subjects: append(l.Wildcards(shadow.GapReport, shadow.RunScored, shadow.EventRejected, shadow.RunForgotten), l.FiredTimers()...)}
	if since.IsZero() {
		out.next = 1
	}
	kv := &reader{stream: "KV_" + layout.BucketEnvelopes, next: bucket.CachedInfo().State.LastSeq + 1, deliver: e.followEnvelopes}
	e.views.startAt(from - 1)
	e.ahead.delivered(from - 1)
	followers := []*reader{in, out, kv}
	e.followers.Store(&followers)
	var wg sync.WaitGroup
	for _, f := range followers {
		f.js, f.follow, f.headersOnly = e.store.JS, true, true
		wg.Go(func() {
			for ctx.Err() == nil {
				if err := f.session(ctx); err != nil && ctx.Err() == nil {
					e.log.Warn("following the log", "stream", f.stream, "error", err)
					select {
					case <-ctx.Done():
					case <-time.After(followRetry):
					}
				}
			}
		})
	}
	wg.Go(func() { e.ahead.run(ctx) })
	return wg.Wait, nil
}

// startAt notes the sequence of IN behind which it is followed.
func (vs *views) startAt(in uint64) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.in, vs.needed = in, in
}

// followFrom is where to begin: IN at the first event that has no outcome, if
// that is not too far back, and OUT at what can have followed from it.
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
	m, err := next(ctx, e.store, ">", from)
	if m != nil {
		since = m.time
	}
	return from, since.Add(-clockSkew), err
}

// infoOf is a consumer that can be asked for its state.
type infoOf interface {
	Info(context.Context) (*jetstream.ConsumerInfo, error)
}

// current waits until all was followed that IN and OUT held when it was called.
func (e *Engine) current(ctx context.Context) error {
	followers := e.followers.Load()
	if followers == nil {
		return fmt.Errorf("the log is not followed yet")
	}
	ctx, cancel := context.WithTimeout(ctx, followPatience)
	defer cancel()
	info, err := e.store.In.Info(ctx)
	if err != nil {
		return fmt.Errorf("stream %s: %w", layout.StreamIn, err)
	}
	e.views.need(info.State.LastSeq)
	// IN is followed whole, so its last message must come.
	for i, last := range []uint64{info.State.LastSeq, 0} {
		f := (*followers)[i]
		if err := f.current(ctx, last); err != nil {
			return fmt.Errorf("following %s: %w", f.stream, err)
		}
	}
	return nil
}

// current waits until a reader that follows has delivered all that its stream
// holds, up to the message last at least: the server's count of what is pending
// may be behind what it has stored.
func (r *reader) current(ctx context.Context, last uint64) error {
	for idle := 0; ; {
		s := r.now.Load()
		if s != nil {
			n := s.got.Load()
			info, err := s.consumer.Info(ctx)
			if err == nil && info.Delivered.Consumer == n && s.got.Load() == n {
				// What does not come cannot be read, or was erased.
				if idle++; info.NumPending == 0 && info.Delivered.Stream >= last || idle == stuckAfter {
					return nil
				}
			}
		}
		pause := currentPause
		if idle > 0 {
			pause = readPause
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// currentPause is how long one waits for a follower that has more in hand.
const currentPause = time.Millisecond
