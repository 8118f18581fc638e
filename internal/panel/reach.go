package panel

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Bounds of the small question that shows whether a judge can be reached.
const (
	probeTimeout       = 30 * time.Second
	minPause, maxPause = 2 * time.Second, 30 * time.Second
)

// reach knows whether a judge can be reached. While it is known that it cannot,
// it is asked nothing but the small question, by whoever comes when the pause is
// over. While bundles wait for it one goroutine asks for all of them.
type reach struct {
	small   func(context.Context) error // nil: it cannot be asked
	judge   string
	timeout time.Duration
	log     *slog.Logger
	// asking is held while the small question is put, by one at a time.
	asking chan struct{}

	mu    sync.Mutex
	down  bool
	why   string
	at    time.Time // the last small question was put
	pause time.Duration
	next  time.Time // the next one is due; known while it is down
	// wakes are told when the judge is back: one for each waiting bundle.
	wakes map[chan struct{}]bool
	since time.Time // bundles wait
	// prober asks while there are wakes.
	prober *prober
}

type prober struct {
	stop context.CancelFunc
	done chan struct{}
}

func newReach(j shadow.Judge, name string, timeout time.Duration, log *slog.Logger) *reach {
	r := &reach{judge: name, timeout: timeout, log: log, asking: make(chan struct{}, 1), wakes: map[chan struct{}]bool{}}
	if j, ok := j.(Reachable); ok {
		r.small = j.Reachable
	}
	return r
}

// available tells whether the judge may be asked. The error is that of ctx.
func (r *reach) available(ctx context.Context) (bool, error) {
	if !r.isDown() {
		return true, nil
	}
	return r.check(ctx)
}

// check tells whether the judge, which could not be asked something a moment
// ago, answers the small question. The error is that of ctx.
func (r *reach) check(ctx context.Context) (up bool, err error) {
	if r.small == nil {
		return true, nil
	}
	failed := time.Now()
	select {
	case r.asking <- struct{}{}:
		defer func() { <-r.asking }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	start := time.Now()
	r.mu.Lock()
	known := r.down && start.Before(r.next) || !r.down && r.at.After(failed)
	up = !r.down
	r.mu.Unlock()
	if known {
		return up, nil
	}
	within, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	why := r.put(within)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	r.learn(start, why)
	return why == nil, nil
}

// put puts the small question. A panic is an answer of none.
func (r *reach) put(ctx context.Context) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	return r.small(ctx)
}

// learn keeps what a small question that was put at start has shown.
func (r *reach) learn(start time.Time, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.down = start, why != nil
	if !r.down {
		r.pause = 0
		r.end("a judge is back, and the bundles that waited for it are judged")
		return
	}
	r.why = shadow.Printable(why.Error())
	if errors.Is(why, context.DeadlineExceeded) {
		r.why = "timeout"
	}
	r.pause = min(max(2*r.pause, minPause), maxPause)
	r.next = time.Now().Add(r.pause)
}

// end tells all waiting bundles and stops the prober. The caller holds the lock.
func (r *reach) end(message string) {
	if r.prober == nil {
		return
	}
	r.log.Info(message, "judge", r.judge, "bundles", len(r.wakes), "waited", time.Since(r.since).Round(time.Second))
	for wake := range r.wakes {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
	clear(r.wakes)
	r.prober.stop()
	r.prober = nil
}

// join makes a bundle wait, if it does not yet: wake, which has room for one, is
// told when the judge is back.
func (r *reach) join(ctx context.Context, wake chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.down {
		select {
		case wake <- struct{}{}:
		default:
		}
		return
	}
	r.wakes[wake] = true
	if r.prober != nil {
		return
	}
	r.since = time.Now()
	r.log.Warn("a judge is out of reach, and bundles wait for it", "judge", r.judge, "reason", r.why)
	// The bundle that came first may leave before the others.
	probing, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.prober = &prober{stop, make(chan struct{})}
	go r.probe(probing, r.prober.done)
}

// leave ends a bundle's wait. The last one waits for the prober to end.
func (r *reach) leave(wake chan struct{}) {
	r.mu.Lock()
	p := r.prober
	if !r.wakes[wake] || len(r.wakes) > 1 {
		delete(r.wakes, wake)
		r.mu.Unlock()
		return
	}
	r.end("no bundle waits any longer for a judge that is out of reach")
	r.mu.Unlock()
	<-p.done
}

// probe puts the small question whenever it is due, until the judge is back or
// nobody waits.
func (r *reach) probe(ctx context.Context, done chan struct{}) {
	defer close(done)
	for {
		r.mu.Lock()
		timer := time.NewTimer(time.Until(r.next))
		r.mu.Unlock()
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		if up, err := r.check(ctx); up || err != nil {
			return
		}
	}
}

func (r *reach) isDown() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.down
}

func (r *reach) reason() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}

// waiting says how many bundles wait for the judge.
func (r *reach) waiting() Wait {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Wait{r.judge, r.why, r.since, len(r.wakes)}
}
