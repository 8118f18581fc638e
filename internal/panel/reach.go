package panel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Bounds of the small question that shows whether a judge can be reached.
const (
	probeTimeout       = 30 * time.Second
	minPause, maxPause = 2 * time.Second, 30 * time.Second
	// lookEvery is how often a bundle that waits looks whether a judge is back.
	lookEvery = time.Second
)

// reach knows whether a judge can be reached. While it cannot it is asked nothing but the
// small question, by whoever comes first when the pause is over.
type reach struct {
	small   func(context.Context) error // nil: it cannot be asked
	judge   string
	timeout time.Duration
	log     *slog.Logger
	// asking has a place for who puts the small question.
	asking chan struct{}

	mu    sync.Mutex
	why   string    // it is out of reach; empty: it is not
	at    time.Time // the last small question was put
	pause time.Duration
	next  time.Time // the next one is due; known while it is down
	// waits are the bundles that wait, since the first of them began to.
	waits map[*poll]bool
	since time.Time
}

func newReach(j shadow.Judge, name string, timeout time.Duration, log *slog.Logger) *reach {
	r := &reach{judge: name, timeout: timeout, log: log, asking: make(chan struct{}, 1), waits: map[*poll]bool{}}
	if j, ok := j.(Reachable); ok {
		r.small = j.Reachable
	}
	return r
}

// away says why the judge is out of reach, if that is known.
func (r *reach) away() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}

// check tells whether the judge, which could not be asked something a moment ago,
// answers the small question. The error is that of ctx.
func (r *reach) check(ctx context.Context) (up bool, err error) {
	if r.small == nil {
		return true, nil
	}
	failed := time.Now()
	select {
	case r.asking <- struct{}{}:
		return r.put(ctx, failed)
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// look is [reach.check] of who does not wait for others to put the small question.
func (r *reach) look(ctx context.Context) (up bool) {
	select {
	case r.asking <- struct{}{}:
		up, _ = r.put(ctx, time.Time{}) // whose error is that it is over
	default:
	}
	return up
}

// put puts the small question, unless it was put since a time, or is not due, and
// gives back the place of who does.
func (r *reach) put(ctx context.Context, since time.Time) (up bool, err error) {
	defer func() { <-r.asking }()
	start := time.Now()
	r.mu.Lock()
	up = r.why == ""
	known := up && r.at.After(since) || !up && start.Before(r.next)
	r.mu.Unlock()
	if known {
		return up, nil
	}
	within, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	why := r.small(within)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	r.learn(start, why)
	return why == nil, nil
}

// learn keeps what a small question that was put at start has shown.
func (r *reach) learn(start time.Time, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.why = start, ""
	switch {
	case why == nil:
		r.pause = 0
		r.end("a judge is back, and the bundles that waited for it are judged")
		return
	case errors.Is(why, context.DeadlineExceeded):
		r.why = fmt.Sprintf("no answer to a small question within %s", r.timeout)
	default:
		r.why = shadow.Printable(why.Error())
	}
	r.pause = min(max(2*r.pause, minPause), maxPause)
	r.next = time.Now().Add(r.pause)
}

// end ends all waits. The caller holds the lock.
func (r *reach) end(message string) {
	if len(r.waits) > 0 {
		r.log.Info(message, "judge", r.judge, "bundles", len(r.waits), "waited", time.Since(r.since).Round(time.Second))
		clear(r.waits)
	}
}

// join makes a bundle wait, if the judge is not back.
func (r *reach) join(s *poll) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == "" {
		return
	}
	if len(r.waits) == 0 {
		r.since = time.Now()
		r.log.Warn("a judge is out of reach, and bundles wait for it", "judge", r.judge, "reason", r.why)
	}
	r.waits[s] = true
}

// leave ends a bundle's wait.
func (r *reach) leave(s *poll) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waits[s] && len(r.waits) == 1 {
		r.end("no bundle waits any longer for a judge that is out of reach")
	}
	delete(r.waits, s)
}
