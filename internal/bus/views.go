package bus

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// views follow IN and OUT and keep one view of each run that is under way. All
// of it is behind one lock, so that nobody decides between two looks at the
// log; see doc.go.
type views struct {
	layout layout.Subjects
	key    nkeys.KeyPair
	waits  waitQueue

	mu       sync.Mutex
	runs     map[string]*runView
	arrivals map[uint64]*arrival // of all runs, by sequence in IN
	// early are rejections of events that were not followed yet, with an error
	// where nobody here can tell who wrote one.
	early  map[uint64]*unknownAuthorError
	scored int // views of runs that are scored
	// dropped: views of runs that are not scored were dropped.
	dropped bool
	// in and out are how far the streams were followed.
	in, out uint64
	// moved is closed and made anew whenever something was followed.
	moved chan struct{}
	// needed is the highest sequence of IN that was asked for; wanted is
	// closed and made anew when it grows. So IN is not followed far ahead of
	// what is being decided.
	needed uint64
	wanted chan struct{}
}

const (
	// viewsKept is how many views there may be, some 2 KB each, and
	// scoredKept how many of them of runs that are scored.
	viewsKept  = 32768
	scoredKept = 1024
	// earlyKept bounds views.early.
	earlyKept = 65536
	// followAhead is how far IN is followed ahead of what was asked for.
	followAhead = 262_144
	// followTimeout is how long a decision waits until the log was followed
	// up to its event.
	followTimeout = 10 * time.Second
)

func newViews(l layout.Subjects, c *Config) *views {
	return &views{
		layout: l, key: c.Key, waits: waitQueue{limits: c.Limits, unknown: map[string]int{}},
		runs: map[string]*runView{}, arrivals: map[uint64]*arrival{}, early: map[uint64]*unknownAuthorError{},
		moved: make(chan struct{}), wanted: make(chan struct{}),
	}
}

// release ends what [Engine.use] began.
func (vs *views) release(v *runView) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	v.users--
}

// locked does something behind the lock. A panic in it leaves no lock behind: one
// event may fail.
func (vs *views) locked(f func()) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	f()
}

// reach waits until the log was followed up to the sequences.
func (vs *views) reach(ctx context.Context, in, out uint64) error {
	var late <-chan time.Time
	for {
		vs.mu.Lock()
		ok, moved := vs.in >= in && vs.out >= out, vs.moved
		vs.mu.Unlock()
		if ok {
			return nil
		}
		if late == nil {
			t := time.NewTimer(followTimeout)
			defer t.Stop()
			late = t.C
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		case <-late:
			vs.mu.Lock()
			defer vs.mu.Unlock()
			return fmt.Errorf("the log was followed up to %d of %s and %d of %s only", vs.in, layout.StreamIn, vs.out, layout.StreamOut)
		}
	}
}

// need lets IN be followed up to a sequence and some way beyond.
func (vs *views) need(in uint64) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if in > vs.needed {
		vs.needed = in
		close(vs.wanted)
		vs.wanted = make(chan struct{})
	}
}

// waitNeeded waits until a sequence of IN is near enough to what is needed.
func (vs *views) waitNeeded(ctx context.Context, in uint64) {
	for {
		vs.mu.Lock()
		ok, wanted := in <= vs.needed+followAhead, vs.wanted
		vs.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-wanted:
		case <-ctx.Done():
			return
		}
	}
}

// of returns the view of a run. If it is new, IN is followed for it from behind
// the sequence on. The lock is held.
func (vs *views) of(run string, in uint64) *runView {
	v := vs.runs[run]
	if v == nil {
		if len(vs.runs) >= viewsKept {
			vs.dropIdle(viewsKept / 8)
		}
		v = newRunView(run, in)
		vs.runs[run] = v
	}
	return v
}

// dropIdle drops n views that nobody uses, those of scored runs first.
func (vs *views) dropIdle(n int) {
	for _, scored := range []bool{true, false} {
		for run, v := range vs.runs {
			if n == 0 {
				return
			}
			if v.users > 0 || v.Scored != scored {
				continue
			}
			if scored {
				vs.scored--
			}
			for _, list := range v.Arrivals {
				for _, a := range list {
					delete(vs.arrivals, a.Sequence)
				}
			}
			delete(vs.runs, run)
			vs.dropped = vs.dropped || !scored
			n--
		}
	}
}

// advance notes how far a stream was followed.
func (vs *views) advance(position *uint64, seq uint64) {
	*position = max(*position, seq)
	close(vs.moved)
	vs.moved = make(chan struct{})
}

// followIn takes in a message of IN, whose data is not there.
func (vs *views) followIn(ctx context.Context, m *message) (a shadow.Address) {
	vs.waitNeeded(ctx, m.Seq)
	a, err := vs.layout.Parse(m.Subject)
	vs.mu.Lock()
	defer vs.mu.Unlock()
	defer vs.advance(&vs.in, m.Seq)
	if err != nil || m.Seq <= vs.in {
		return a
	}
	v := vs.of(a.Run, m.Seq-1)
	unsure, early := vs.early[m.Seq]
	delete(vs.early, m.Seq)
	switch {
	case a.Name == shadow.EnvelopeSealed:
		vs.sealed(v, shadow.Place{Sequence: m.Seq, Time: m.Time})
	case early && unsure == nil:
		vs.refused(v, a.Name)
	case early:
		v.unsure[unsure.subject] = unsure
		fallthrough
	default:
		vs.arrived(v, a, m)
	}
	return a
}

func (vs *views) arrived(v *runView, a shadow.Address, m *message) *arrival {
	x := &arrival{Arrival: &shadow.Arrival{Place: shadow.Place{Sequence: m.Seq, Time: m.Time}, Commander: a.Commander}, view: v, source: a.Source()}
	v.Add(x.source, x.Arrival)
	vs.arrivals[m.Seq] = x
	if a.Name == shadow.DecompositionDone {
		vs.waits.decomposed(v)
	}
	return x
}

// sealed notes the commitment of a run. The first one counts: otherwise a
// second commitment would make every bundle of the run older than its seal.
func (vs *views) sealed(v *runView, at shadow.Place) {
	if v.Sealed.Sequence == 0 {
		v.Sealed = at
		vs.waits.wake(v, func(m *message) bool { return m.turn.Await != shadow.AwaitReport })
	}
}

// refused notes that an event of a run is rejected that is in no list.
func (vs *views) refused(v *runView, name string) {
	if name == shadow.DecompositionDone {
		v.Refused = true
		vs.waits.wake(v, func(m *message) bool { return m.turn.Await == shadow.AwaitSeal || m.turn.Await == shadow.AwaitRun })
	}
}

// followOut takes in a message of OUT, whose data is not there.
func (vs *views) followOut(m *message) (a shadow.Address) {
	a, err := vs.layout.Parse(m.Subject)
	var own bool
	var unsure *unknownAuthorError // where nobody here can tell
	if a.Name == shadow.EventRejected || a.Name == shadow.RunScored {
		digest, err := shadow.Marked(m.Header.Get(ownHeader), m.Subject, vs.key)
		if err != nil {
			unsure = &unknownAuthorError{m.Seq, m.Subject, err}
		}
		own = digest != ""
	}
	vs.mu.Lock()
	defer vs.mu.Unlock()
	defer vs.advance(&vs.out, m.Seq)
	if err != nil || m.Seq <= vs.out {
		return a
	}
	switch a.Name {
	case shadow.GapReport:
		v, slot := vs.of(a.Run, vs.in), shadow.Slot{Domain: a.Domain, Cycle: a.Cycle}
		v.report(slot, m.Seq, m.Time)
		vs.reported(v, slot)
	case shadow.RunScored:
		if own {
			vs.finished(vs.of(a.Run, vs.in))
		}
	case shadow.EventRejected:
		if own || unsure != nil {
			vs.rejectedBy(a.Sequence, unsure)
		}
	}
	return a
}

// reported lets those go on that wait for a report, unless its content is
// about to be known here.
func (vs *views) reported(v *runView, slot shadow.Slot) {
	if !v.judging[slot] {
		vs.waits.wake(v, func(m *message) bool { return m.turn.Await == shadow.AwaitReport && m.turn.Slot == slot })
	}
}

func (vs *views) finished(v *runView) {
	if v.Scored {
		return
	}
	v.Scored = true
	if vs.scored++; vs.scored > scoredKept {
		vs.dropIdle(scoredKept / 8)
	}
}

// rejectedBy notes that an event is rejected; unsure, if nobody here can tell by whom.
func (vs *views) rejectedBy(seq uint64, unsure *unknownAuthorError) {
	switch a := vs.arrivals[seq]; {
	case a == nil && seq > vs.in && len(vs.early) < earlyKept:
		if known, ok := vs.early[seq]; !ok || known != nil { // shadowd's own stands
			vs.early[seq] = unsure
		}
	case a != nil && unsure != nil:
		a.view.unsure[unsure.subject] = unsure
	default:
		vs.rejected(seq)
	}
}

// rejected takes an event out that is rejected, or gone: it takes no slot.
func (vs *views) rejected(seq uint64) {
	a := vs.arrivals[seq]
	if a == nil {
		return
	}
	delete(vs.arrivals, seq)
	first := a.view.Remove(a.source, a.Arrival)
	if a.source == (shadow.Source{}) {
		vs.refused(a.view, shadow.DecompositionDone)
	} else if first {
		vs.waits.wake(a.view, func(m *message) bool {
			return m.turn.Await == shadow.AwaitReport && (!a.Read || m.turn.Slot == shadow.Slot{Domain: a.Domain, Cycle: a.Cycle})
		})
	}
}

// arrival notes the content of an event that is being handled and returns what
// the view has of it.
func (vs *views) arrival(in *input) *shadow.Arrival {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	x := &shadow.Arrival{Place: in.place(), Commander: in.addr.Commander}
	if a := vs.arrivals[in.Seq]; a != nil {
		x = a.Arrival
	}
	in.describe(x)
	return x
}

func (in *input) describe(x *shadow.Arrival) {
	if x.Read {
		return
	}
	x.Read, x.Malformed, x.Digest = true, in.malformed, in.digest
	if s := in.submission; s != nil {
		x.Domain, x.BundleID, x.Cycle = s.Bundle.Domain, s.Bundle.BundleID, s.Cycle
	}
}
