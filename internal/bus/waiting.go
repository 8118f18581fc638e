package bus

import (
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// waitQueue keeps the events that wait for something to be stored. They are not
// given back to the server, and are handled as soon as it is stored. Three
// bounds hold: for one commander in one run, so that it cannot take the places of
// others; for one commander in all runs without a decomposition, since anybody
// can name such a run; and for all events together. The lock of [views] guards
// it.
type waitQueue struct {
	limits shadow.Limits
	// unknown counts the events of a commander that wait for runs that nobody
	// has decomposed.
	unknown map[string]int
	// events and bytes are what waits in all.
	events, bytes int
}

// Bounds on what waits in all. What is beyond is given back to the server and
// comes again later.
const (
	waitingEvents = 16384
	waitingBytes  = 64 << 20
)

// shortestWait is the least time after which a waiting event is looked at
// again without a cause.
const shortestWait = 100 * time.Millisecond

// waitKey tells deliveries of different events apart: timers, which have no
// author, are of another stream.
type waitKey struct {
	author string
	seq    uint64
}

// enqueue lets an event wait, refuses it, or returns errNotYet for one that is to
// come again. After errWaiting another worker handles the message.
func (vs *views) enqueue(v *runView, m *message, a shadow.Address, t shadow.Turn) error {
	w := &vs.waits
	if m.loop == nil || t.Await == shadow.AwaitClock {
		return errNotYet
	}
	m.author = a.Commander
	key := waitKey{m.author, m.Seq}
	if old := v.waiting[key]; old != nil { // the server delivered it again, or it was handled ahead
		w.leave(v, old)
		w.dequeued(old)
		old.loop.leases.drop(old.raw)
		m.since, m.unknown, old.unknown = old.since, old.unknown, false
	}
	if a.Commander != "" {
		if r := w.admit(v, m, a, t); r != nil {
			return r
		}
	}
	if w.events >= waitingEvents || w.bytes+len(m.Data) > waitingBytes {
		return errNotYet
	}
	if m.since.IsZero() {
		m.since = time.Now()
	}
	m.turn = t
	v.waiting[key] = m
	v.users++
	v.waitingOf[m.author]++
	w.events++
	w.bytes += len(m.Data)
	left := w.limits.SealWait - time.Since(m.since)
	if left <= 0 { // what it waits for wakes it; each look asks the server
		left = w.limits.SealWait
	}
	m.timer = time.AfterFunc(max(left, shortestWait), func() {
		vs.mu.Lock()
		defer vs.mu.Unlock()
		if v.waiting[key] == m {
			vs.waits.resume(v, m)
		}
	})
	return errWaiting
}

// admit refuses an event whose commander has too many waiting. It never refuses
// the event whose judgement the others wait for: a refused event takes no slot.
func (w *waitQueue) admit(v *runView, m *message, a shadow.Address, t shadow.Turn) error {
	c := a.Commander
	if m.since.IsZero() && (t.Holder == nil || t.Holder.Sequence != m.Seq) {
		if r := w.limits.Waiting(v.waitingOf[c], c, v.RunID); r != nil {
			return r
		}
	}
	switch {
	case t.Await != shadow.AwaitRun:
		w.clearUnknown(m, c)
	case !m.unknown:
		if r := w.limits.Waiting(w.unknown[c], c, ""); r != nil {
			return r
		}
		m.unknown = true
		w.unknown[c]++
	}
	return nil
}

// clearUnknown notes that an event no longer waits for an unknown run.
func (w *waitQueue) clearUnknown(m *message, commander string) {
	if !m.unknown {
		return
	}
	m.unknown = false
	if w.unknown[commander]--; w.unknown[commander] == 0 {
		delete(w.unknown, commander)
	}
}

// decomposed notes that a run has a decomposition.
func (w *waitQueue) decomposed(v *runView) {
	for _, m := range v.waiting {
		w.clearUnknown(m, m.author)
	}
}

// wake resumes the waiting events for which of is true.
func (w *waitQueue) wake(v *runView, of func(*message) bool) {
	for _, m := range v.waiting {
		if of(m) {
			w.resume(v, m)
		}
	}
}

func (w *waitQueue) resume(v *runView, m *message) {
	w.leave(v, m)
	m.loop.push(m)
}

// serve gives an event that has not waited to a worker.
func (vs *views) serve(m *message) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.waits.events++
	m.loop.push(m)
}

// leave takes an event out of its view.
func (w *waitQueue) leave(v *runView, m *message) {
	m.timer.Stop()
	delete(v.waiting, waitKey{m.author, m.Seq})
	v.users--
	if v.waitingOf[m.author]--; v.waitingOf[m.author] == 0 {
		delete(v.waitingOf, m.author)
	}
}

// dequeued notes that a worker handles an event that has waited.
func (w *waitQueue) dequeued(m *message) {
	w.events--
	w.bytes -= len(m.Data)
}

// settled forgets an event that has its outcome or is given back.
func (vs *views) settled(m *message) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.waits.clearUnknown(m, m.author)
}

// next returns an event that has waited and may go on, or nil.
func (vs *views) next(l *loop) *message {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if len(l.ready) == 0 {
		return nil
	}
	m := l.ready[0]
	l.ready[0] = nil
	if l.ready = l.ready[1:]; len(l.ready) > 0 {
		l.notify()
	}
	vs.waits.dequeued(m)
	return m
}

// empty returns the events of a loop that still wait.
func (vs *views) empty(l *loop) (waited []*message) {
	vs.mu.Lock()
	for _, v := range vs.runs {
		for _, m := range v.waiting {
			if m.loop == l {
				vs.waits.resume(v, m)
			}
		}
	}
	vs.mu.Unlock()
	for m := vs.next(l); m != nil; m = vs.next(l) {
		waited = append(waited, m)
	}
	return waited
}

// push lets a worker of the loop go on with an event. The lock of [views] is
// held.
func (l *loop) push(m *message) {
	l.ready = append(l.ready, m)
	l.notify()
}

func (l *loop) notify() {
	select {
	case l.signal <- struct{}{}:
	default:
	}
}

// Waiting is how many events wait here: for the seal of their run, for the
// report that they answer, or for a copy that is judged.
func (e *Engine) Waiting() int {
	e.views.mu.Lock()
	defer e.views.mu.Unlock()
	return e.views.waits.events
}
