package bus

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// awaitSeal decides about a submission whose run is not sealed: wait for the
// seal for as long as it takes, wait a while for a run that nobody has
// decomposed yet, or refuse.
func (e *Engine) awaitSeal(ctx context.Context, in *input) error {
	run := in.submission.RunID
	since, ok := e.waiting.enter(in)
	if !ok {
		return e.unlessSealed(ctx, run, refuse(shadow.TooManyWaiting, "%d events of commander %q wait for the seal of run %q already", e.waiting.most, in.addr.Commander, run))
	}
	good, err := e.first(ctx, e.decompositionOf(run, nil))
	if err != nil {
		return err
	}
	if good != nil {
		skipped, err := e.skipped(ctx, e.store.Seal, good)
		if err != nil {
			return err
		}
		if !skipped {
			e.waiting.unsealed(run)
			return errWait
		}
	}
	any, err := next(ctx, e.store, e.layout.Decomposition(run), 1)
	switch {
	case err != nil:
		return err
	case any != nil && good == nil && since > 0:
		// At first sight its rejection may be under way, and a better one
		// behind it.
		return e.unlessSealed(ctx, run, refuse(shadow.RunRejected, "the decomposition of run %q was rejected", run))
	case since >= e.cfg.SealWait:
		return e.unlessSealed(ctx, run, refuse(shadow.RunUnknown, "no decomposition of run %q came within %s", run, e.cfg.SealWait))
	}
	e.waiting.unsealed(run)
	return errWait
}

// unlessSealed refuses, unless the run was sealed while the refusal was found:
// then the event is looked at again.
func (e *Engine) unlessSealed(ctx context.Context, run string, r *refusal) error {
	_, err := e.sealed(ctx, run)
	if errors.Is(err, errNotSealed) {
		return r
	}
	if err == nil {
		err = errWait
	}
	return err
}

// awaitReport decides about a fix whose domain has no report of the cycle
// before. It overtook the report if a submission for that cycle is in IN, and
// waits; else it waits a while for one.
func (e *Engine) awaitReport(ctx context.Context, run *sealedRun, in *input) error {
	since, ok := e.waiting.enter(in)
	if !ok {
		return refuse(shadow.TooManyWaiting, "%d events of commander %q in run %q wait already", e.waiting.most, in.addr.Commander, in.submission.RunID)
	}
	if since < e.cfg.SealWait {
		return errWait
	}
	before := &slot{run: run, domain: run.domain(in.submission.Bundle.Domain), cycle: in.submission.Cycle - 1}
	before.deadline = run.policy().RunDeadline(run.place.Time)
	if before.cycle > 0 {
		prev, err := e.report(ctx, run, before.domain.Domain, before.cycle-1)
		if err != nil {
			return err
		}
		if prev == nil || !prev.Swarm.Hardening.Requested {
			return refuse(shadow.FixNotAsked, "there was no cycle %d that it could fix", before.cycle)
		}
		before.prev, before.deadline = prev, run.policy().FixDeadline(prev.time)
	}
	if err := e.pending(ctx, before); err != nil {
		return err
	}
	return refuse(shadow.FixNotAsked, "nothing was submitted in cycle %d that it could fix", before.cycle)
}

// waitingBook knows which events wait, and since when. It counts from when
// this process first saw them, so that an event is not refused for the time
// that the daemon was down. The limit is per run and commander, so that no
// commander can take up the room of its colleagues.
type waitingBook struct {
	most     int           // events of one commander in one run
	sealWait time.Duration // after which an event is looked at anew each time
	now      func() time.Time

	mu     sync.Mutex
	queues map[waiter]map[uint64]*waitingEvent // by sequence in IN
	// noSeal is when a run was last seen to have no seal.
	noSeal map[string]time.Time
	swept  time.Time
}

type waiter struct{ run, commander string }

type waitingEvent struct{ first, last time.Time }

// unsealedFor is how long a run that had no seal is taken to have none still.
// All its waiting events come again and again, ahead of everybody's new ones;
// if each of them asked the server, thousands would leave it no time for
// anything else.
const unsealedFor = 100 * time.Millisecond

// goneAfter is when an event that has not come again is forgotten: another
// daemon has settled it.
const goneAfter = 4 * longestWait

func newWaitingBook(most int, sealWait time.Duration) *waitingBook {
	return &waitingBook{most: most, sealWait: sealWait, now: time.Now, queues: map[waiter]map[uint64]*waitingEvent{}, noSeal: map[string]time.Time{}}
}

// enter notes an event and returns how long it has waited, or false if its
// commander has too many waiting.
func (w *waitingBook) enter(in *input) (since time.Duration, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sweep()
	key, now := waiter{in.addr.Run, in.addr.Commander}, w.now()
	queue := w.queues[key]
	if ev := queue[in.seq]; ev != nil {
		ev.last = now
		return now.Sub(ev.first), true
	}
	if len(queue) >= w.most {
		return 0, false
	}
	if queue == nil {
		queue = map[uint64]*waitingEvent{}
		w.queues[key] = queue
	}
	queue[in.seq] = &waitingEvent{now, now}
	return 0, true
}

// sweep forgets, now and then, what has not come again.
func (w *waitingBook) sweep() {
	now := w.now()
	if now.Sub(w.swept) < goneAfter {
		return
	}
	w.swept = now
	for key, queue := range w.queues {
		for seq, ev := range queue {
			if now.Sub(ev.last) > goneAfter {
				delete(queue, seq)
			}
		}
		if len(queue) == 0 {
			delete(w.queues, key)
		}
	}
	for run, at := range w.noSeal {
		if now.Sub(at) > unsealedFor {
			delete(w.noSeal, run)
		}
	}
}

// unsealed notes that a run with waiting events has no seal yet.
func (w *waitingBook) unsealed(run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noSeal[run] = w.now()
}

// again says whether a redelivered event need not even be read: it has been
// taken in, it may still wait, and its run had no seal a moment ago.
func (w *waitingBook) again(a Address, seq uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	ev := w.queues[waiter{a.Run, a.Commander}][seq]
	if ev == nil || now.Sub(ev.first) >= w.sealWait || now.Sub(w.noSeal[a.Run]) >= unsealedFor {
		return false
	}
	ev.last = now
	return true
}

// leave forgets an event that has its outcome.
func (w *waitingBook) leave(a Address, seq uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := waiter{a.Run, a.Commander}
	delete(w.queues[key], seq)
	if len(w.queues[key]) == 0 {
		delete(w.queues, key)
	}
}
