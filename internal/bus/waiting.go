package bus

import (
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// waitingRoom keeps the events that wait for something to be stored. They stay
// in hand and go on the moment that it is followed. How many may wait is
// bounded: those of one commander in one run, so that no commander can take up
// the room of its colleagues; those of one commander in all runs that nobody
// has decomposed, since run ids are free; and all together. It is guarded by
// the lock of [views].
type waitingRoom struct {
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

// hold lets an event wait, refuses it, or returns errWait for one that is to
// come again. After errHeld the message belongs to whoever it goes on with.
func (vs *views) hold(v *runView, m *message, a shadow.Address, t shadow.Turn) error {
	w := &vs.room
	if m.loop == nil || t.Await == shadow.AwaitClock {
		return errWait
	}
	m.author = a.Commander
	key := waitKey{m.author, m.Seq}
	if old := v.waiting[key]; old != nil { // the server lost patience, or it was handled ahead
		w.leave(v, old)
		w.taken(old)
		old.loop.leases.drop(old.raw)
		m.since, m.unknown, old.unknown = old.since, old.unknown, false
	}
	if a.Commander != "" {
		if r := w.admit(v, m, a, t); r != nil {
			return r
		}
	}
	if w.events >= waitingEvents || w.bytes+len(m.Data) > waitingBytes {
		return errWait
	}
	if m.since.IsZero() {
		m.since = time.Now()
	}
	m.turn = t
	v.waiting[key] = m
	v.users++
	v.crowd[m.author]++
	w.events++
	w.bytes += len(m.Data)
	left := w.limits.SealWait - time.Since(m.since)
	if left <= 0 { // what it waits for wakes it; to look at it takes questions to the server
		left = w.limits.SealWait
	}
	m.timer = time.AfterFunc(max(left, shortestWait), func() {
		vs.mu.Lock()
		defer vs.mu.Unlock()
		if v.waiting[key] == m {
			vs.room.goOn(v, m)
		}
	})
	return errHeld
}

// admit refuses an event whose commander has too many waiting. The one whose
// judgement the others wait for is never refused: a refused event takes no
// slot.
func (w *waitingRoom) admit(v *runView, m *message, a shadow.Address, t shadow.Turn) error {
	c := a.Commander
	if m.since.IsZero() && (t.Holder == nil || t.Holder.Sequence != m.Seq) {
		if r := w.limits.Waiting(v.crowd[c], c, v.RunID); r != nil {
			return r
		}
	}
	switch {
	case t.Await != shadow.AwaitRun:
		w.known(m, c)
	case !m.unknown:
		if r := w.limits.Waiting(w.unknown[c], c, ""); r != nil {
			return r
		}
		m.unknown = true
		w.unknown[c]++
	}
	return nil
}

// known notes that an event waits for no unknown run any more.
func (w *waitingRoom) known(m *message, commander string) {
	if !m.unknown {
		return
	}
	m.unknown = false
	if w.unknown[commander]--; w.unknown[commander] == 0 {
		delete(w.unknown, commander)
	}
}

// decomposed notes that a run has a decomposition.
func (w *waitingRoom) decomposed(v *runView) {
	for _, m := range v.waiting {
		w.known(m, m.author)
	}
}

// wake lets those go on that something holds of.
func (w *waitingRoom) wake(v *runView, of func(*message) bool) {
	for _, m := range v.waiting {
		if of(m) {
			w.goOn(v, m)
		}
	}
}

func (w *waitingRoom) goOn(v *runView, m *message) {
	w.leave(v, m)
	m.loop.push(m)
}

// serve has an event served that has not waited.
func (vs *views) serve(m *message) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.room.events++
	m.loop.push(m)
}

// leave takes an event out of its view.
func (w *waitingRoom) leave(v *runView, m *message) {
	m.timer.Stop()
	delete(v.waiting, waitKey{m.author, m.Seq})
	v.users--
	if v.crowd[m.author]--; v.crowd[m.author] == 0 {
		delete(v.crowd, m.author)
	}
}

// taken notes that an event that has waited is at work on.
func (w *waitingRoom) taken(m *message) {
	w.events--
	w.bytes -= len(m.Data)
}

// settled forgets an event that has its outcome or is given back.
func (vs *views) settled(m *message) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.room.known(m, m.author)
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
		l.tell()
	}
	vs.room.taken(m)
	return m
}

// empty returns the events of a loop that still wait.
func (vs *views) empty(l *loop) (waited []*message) {
	vs.mu.Lock()
	for _, v := range vs.runs {
		for _, m := range v.waiting {
			if m.loop == l {
				vs.room.goOn(v, m)
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
	l.tell()
}

func (l *loop) tell() {
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
	return e.views.room.events
}
