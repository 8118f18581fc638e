package bus

import (
	"sync"
	"time"
)

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
	// unknown are the events of runs that nobody has decomposed, by commander
	// and sequence in IN. They are limited over all runs: run ids are free.
	unknown map[string]map[uint64]bool
	// noSeal is when a run was last seen to have no seal.
	noSeal map[string]time.Time
	swept  time.Time
}

type waiter struct{ run, commander string }

type waitingEvent struct {
	first, last time.Time
	// slot is the key of the slot whose judgement it waits for, or empty.
	slot string
}

// unsealedFor is how long a run that had no seal is taken to have none still.
// All its waiting events come again and again, ahead of everybody's new ones;
// if each of them asked the server, thousands would leave it no time for
// anything else.
const unsealedFor = 100 * time.Millisecond

// goneAfter is when an event that has not come again is forgotten: another
// daemon has settled it.
const goneAfter = 4 * longestWait

func newWaitingBook(most int, sealWait time.Duration) *waitingBook {
	return &waitingBook{most: most, sealWait: sealWait, now: time.Now, queues: map[waiter]map[uint64]*waitingEvent{}, unknown: map[string]map[uint64]bool{}, noSeal: map[string]time.Time{}}
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
	queue[in.seq] = &waitingEvent{first: now, last: now}
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
				w.forget(key.commander, seq)
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

// enterUnknown notes that an event waits for a run that nobody has decomposed,
// or returns false if its commander has too many that do.
func (w *waitingBook) enterUnknown(in *input) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := in.addr.Commander
	if !w.unknown[c][in.seq] && len(w.unknown[c]) >= w.most {
		return false
	}
	if w.unknown[c] == nil {
		w.unknown[c] = map[uint64]bool{}
	}
	w.unknown[c][in.seq] = true
	return true
}

// known notes that the run of an event has its decomposition: that event and
// those that its commander has waiting beside it take no place of unknown runs
// any more. Those are not all looked at while the run is being sealed.
func (w *waitingBook) known(in *input) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := in.addr
	if len(w.unknown[a.Commander]) == 0 {
		return
	}
	for seq := range w.queues[waiter{a.Run, a.Commander}] {
		w.forget(a.Commander, seq)
	}
}

func (w *waitingBook) forget(commander string, seq uint64) {
	delete(w.unknown[commander], seq)
	if len(w.unknown[commander]) == 0 {
		delete(w.unknown, commander)
	}
}

// unsealed notes that a run with waiting events has no seal yet.
func (w *waitingBook) unsealed(run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noSeal[run] = w.now()
}

// behind notes that an event waits for the judgement of a slot.
func (w *waitingBook) behind(in *input, slot string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ev := w.queues[waiter{in.addr.Run, in.addr.Commander}][in.seq]; ev != nil {
		ev.slot = slot
	}
}

// again says whether a redelivered event need not even be read: it has been
// taken in, and it waits for a judgement that is under way, or it may still
// wait and its run had no seal a moment ago.
func (w *waitingBook) again(a Address, seq uint64, judging func(slot string) bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	ev := w.queues[waiter{a.Run, a.Commander}][seq]
	if ev == nil {
		return false
	}
	noSeal := now.Sub(ev.first) < w.sealWait && now.Sub(w.noSeal[a.Run]) < unsealedFor
	if !noSeal && (ev.slot == "" || !judging(ev.slot)) {
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
	w.forget(a.Commander, seq)
	delete(w.queues[key], seq)
	if len(w.queues[key]) == 0 {
		delete(w.queues, key)
	}
}
