package bus

import (
	"context"
	"sync"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// awaitSeal decides about a submission whose run is not sealed: wait for the
// seal for as long as it takes, wait a while for a run that nobody has
// decomposed yet, or refuse.
func (e *Engine) awaitSeal(ctx context.Context, in *input) error {
	run := in.submission.RunID
	since, ok := e.waiting.enter(run, in.seq)
	if !ok {
		return refuse(shadow.TooManyWaiting, "%d events of run %q wait for its seal already", e.waiting.most, run)
	}
	subject := e.layout.Decomposition(run)
	any, err := next(ctx, e.store, subject, 1)
	if err != nil {
		return err
	}
	if any == nil {
		if since >= e.cfg.SealWait {
			return refuse(shadow.RunUnknown, "no decomposition of run %q came within %s", run, e.cfg.SealWait)
		}
		e.waiting.unsealed(run)
		return errWait
	}
	good, err := e.first(ctx, subject, nil, func(*input) bool { return true })
	if err != nil {
		return err
	}
	if good == nil {
		if since == 0 {
			return errWait // one that is being rejected may be followed by a good one
		}
		return refuse(shadow.RunRejected, "the decomposition of run %q was rejected", run)
	}
	e.waiting.unsealed(run)
	return errWait
}

// awaitReport decides about a fix whose domain has no report of the cycle
// before. It overtook the report if a submission for that cycle is in IN, and
// waits; else it waits a while for one.
func (e *Engine) awaitReport(ctx context.Context, run *sealedRun, in *input) error {
	since, ok := e.waiting.enter(in.submission.RunID, in.seq)
	if !ok {
		return refuse(shadow.TooManyWaiting, "%d events of run %q wait already", e.waiting.most, in.submission.RunID)
	}
	if since < e.cfg.SealWait {
		return errWait
	}
	before := &slot{
		run:      run,
		domain:   run.domain(in.submission.Bundle.Domain),
		cycle:    in.submission.Cycle - 1,
		deadline: run.policy().RunDeadline(run.place.Time),
	}
	if before.cycle == 0 {
		if err := e.pending(ctx, before); err != nil {
			return err
		}
	}
	return refuse(shadow.FixNotAsked, "nothing was submitted in cycle %d that it could fix", in.submission.Cycle-1)
}

// waitingBook knows which events of a run wait, and since when. It counts
// from when this process first saw them, so that an event is not refused for
// the time that the daemon was down.
type waitingBook struct {
	most     int           // events per run
	sealWait time.Duration // after which an event is looked at anew each time
	now      func() time.Time

	mu    sync.Mutex
	byRun map[string]*waitingRun
}

type waitingRun struct {
	since map[uint64]time.Time // by sequence in IN
	// unsealed is when the run was last seen to have no seal.
	unsealed time.Time
}

// unsealedFor is how long a run that had no seal is taken to have none still.
// All its waiting events come again and again, ahead of everybody's new ones;
// if each of them asked the server, thousands would leave it no time for
// anything else.
const unsealedFor = 100 * time.Millisecond

func newWaitingBook(most int, sealWait time.Duration) *waitingBook {
	return &waitingBook{most: most, sealWait: sealWait, now: time.Now, byRun: map[string]*waitingRun{}}
}

// enter notes an event and returns how long it has waited, or false if its
// run has too many waiting.
func (w *waitingBook) enter(run string, seq uint64) (since time.Duration, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.byRun[run]
	if r == nil {
		r = &waitingRun{since: map[uint64]time.Time{}}
		w.byRun[run] = r
	}
	if first, there := r.since[seq]; there {
		return w.now().Sub(first), true
	}
	if len(r.since) >= w.most {
		return 0, false
	}
	r.since[seq] = w.now()
	return 0, true
}

// unsealed notes that a run with waiting events has no seal yet.
func (w *waitingBook) unsealed(run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.byRun[run]; r != nil {
		r.unsealed = w.now()
	}
}

// again says whether a redelivered event need not even be read: it has been
// taken in, it may still wait, and its run had no seal a moment ago.
func (w *waitingBook) again(run string, seq uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.byRun[run]
	if r == nil {
		return false
	}
	first, there := r.since[seq]
	return there && w.now().Sub(first) < w.sealWait && w.now().Sub(r.unsealed) < unsealedFor
}

// leave forgets an event that has its outcome.
func (w *waitingBook) leave(run string, seq uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.byRun[run]
	if r == nil {
		return
	}
	delete(r.since, seq)
	if len(r.since) == 0 {
		delete(w.byRun, run)
	}
}
