package bus

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// run is a run in which something is left to do. Its events are taken into its view
// one at a time, those of an author in the order of the log.
type run struct {
	id string

	// The lock of the session guards these.
	fresh  bool        // nothing of it was read yet
	seal   *commitment // the first that was read
	scored bool
	// tracked: the commitment is among the open ones. committed: it was stored here
	// and is going to be read.
	tracked, committed bool
	decompositions     int // that are queued, under way or waiting
	items              int // of all kinds
	waiting            []*item
	waitingOf          map[string]int // by commander
	tail               chan struct{}  // closed when the last item that was started is folded
	deadlines          []*deadline
	reviews            frontier // those without an outcome
	complete           uint64   // what completes it, if its sum waits for reviews before that

	// loaded: what was stored of it before is in the view.
	loaded atomic.Bool

	mu       sync.Mutex // before the session's
	view     shadow.View
	sealing  bool // an envelope is being written
	scoring  bool // its sum is being stored
	over     bool // its deadline has passed, and all before that is in the view
	awaited  int  // commanders of whom that is not known yet
	followed map[shadow.Slot]bool
	foreign  map[shadow.Slot]bool // slots with a report that is not shadowd's own
}

// commitment is one as it stands in IN.
type commitment struct {
	shadow.Place
	*shadow.Commitment
}

// errParked: the item waits, and is started again when what it waits for is there.
var errParked = errors.New("it waits")

// begin is what the first item of a run waits for.
var begin = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// chain has an item wait for the one that was started before it in the run. The
// lock is held.
func (s *session) chain(it *item) {
	it.before, it.folded = it.run.tail, make(chan struct{})
	it.run.tail = it.folded
}

// fold lets the next item of the run go on.
func (s *session) fold(it *item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	it.fold()
}

func (it *item) fold() {
	if it.folded != nil {
		close(it.folded)
		it.folded = nil
	}
}

// handle brings an item to its end, or lets it wait. What fails is tried again
// until the session ends.
func (s *session) handle(it *item) {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		err := s.guarded(it, func() error { return s.once(it) })
		if errors.Is(err, errParked) {
			return // it may be in other hands already
		}
		if err == nil || s.ctx.Err() != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			it.fold()
			if err == nil {
				s.ended(it)
				s.queue.next()
			}
			return
		}
		s.cfg.Observer.Failed(cmp.Or(it.addr.Name, "run"))
		s.log.Warn("will be tried again", "run", shadow.Printable(it.run.id), "sequence", it.seq, "error", err)
		s.leave(it) // others of its author need not wait for it
		_ = pause(s.ctx, wait)
	}
}

// guarded keeps a fault in what one item does from taking the daemon, and so every
// other run, down.
func (s *session) guarded(it *item, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic while processing", "run", shadow.Printable(it.run.id), "sequence", it.seq, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: panic: %v", errPermanent, p)
		}
	}()
	return do()
}

const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// idle: an item waits for something else than a processor.
func (s *session) idle(it *item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.waits(it)
	s.queue.next()
}

// turnCome waits until the items before one in its run are taken into the view, which
// may take long where reading the run fails.
func (s *session) turnCome(it *item) {
	select {
	case <-it.before:
	default:
		s.idle(it)
		<-it.before
	}
}

// leave: an item takes long, and its author's others need not wait for it.
func (s *session) leave(it *item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.leave(it)
	s.queue.next()
}

// compute does what keeps a processor busy. Only so many do at a time.
func (s *session) compute(f func()) {
	s.cpu <- struct{}{}
	defer func() { <-s.cpu }()
	f()
}

// once handles an item. Its error is errParked, or one after which it is to be
// tried again.
func (s *session) once(it *item) error {
	if it.kind == anEvent {
		return s.event(it)
	}
	s.turnCome(it)
	if err := s.load(it); err != nil {
		return err
	}
	switch it.kind {
	case endOfCycle:
		return s.endCycle(it)
	case endOfRun:
		if err := s.endRun(it); err != nil {
			return err
		}
	case endReached:
		it.run.mu.Lock()
		it.run.awaited--
		it.run.over = it.run.awaited <= 0
		it.run.mu.Unlock()
	}
	it.kind = theOpening // tried again, the run is only scored
	s.fold(it)
	return s.score(it)
}

// event handles an event of IN until its outcome is stored.
func (s *session) event(it *item) (err error) {
	if it.msg == nil {
		s.idle(it)
		if it.msg, err = streams.At(s.work, s.store.JS, layout.StreamIn, it.seq); err != nil {
			return err
		}
		if it.msg == nil {
			return nil // somebody removed it
		}
	}
	in := &input{Message: it.msg, addr: it.addr}
	err = s.guarded(it, func() (err error) {
		in, err = takeInput(s.layout, &s.cfg, it.msg)
		return err
	})
	s.turnCome(it)
	if it.doubt {
		own, _, err := firstOwn(s.work, s.store.JS, layout.StreamOut, s.layout.Rejected(it.addr.Author, it.seq), s.cfg.Key)
		if err != nil {
			return err
		}
		it.rejected, it.doubt = own != nil, false
	}
	if it.rejected { // in a session before
		if in.addr.Name == shadow.DecompositionDone {
			s.refusedRun(it.run)
		}
		return nil
	}
	if it.refusal == nil && err == nil {
		err = s.guarded(it, func() error { return s.process(it, in) })
	}
	if errors.Is(err, errParked) {
		return err // it may be in other hands already
	}
	if errors.Is(err, errPermanent) {
		// The error may hold sealed text, unless the message is too large.
		s.log.Error("an event cannot be processed", "run", shadow.Printable(it.run.id), "sequence", it.seq, "error", err)
		why := "shadowd fails on it"
		if errors.Is(err, nats.ErrMaxPayload) {
			why = "its report is larger than the server takes, max_payload: its domain has too many or too long items"
		}
		err = shadow.Refuse(shadow.CannotProcess, "%s", why)
	}
	if refusal, ok := errors.AsType[*shadow.Refusal](err); ok {
		it.refusal = refusal
	}
	if it.refusal != nil {
		err = s.reject(it, in)
	}
	if err == nil {
		reason := shadow.Reason("")
		if it.refusal != nil {
			reason = it.refusal.Reason
		}
		s.cfg.Observer.Settled(it.addr.Name, reason)
	}
	return err
}

// process takes an event into the view of its run and does what is due.
func (s *session) process(it *item, in *input) error {
	r := it.run
	if err := s.load(it); err != nil {
		return err
	}
	if in.review != nil {
		return s.review(it, in)
	}
	if it.arrival == nil && in.submission != nil {
		s.log.Info("received", "run", r.id, "domain", in.submission.Bundle.Domain, "cycle", in.submission.Cycle, "commander", in.addr.Commander, "sequence", in.Seq)
	}
	for {
		t, err := s.turn(it, in)
		if err != nil {
			return err
		}
		if t.Step != shadow.DoOpen {
			s.fold(it)
		}
		switch t.Step {
		case shadow.DoOpen:
			err = s.open(it)
		case shadow.DoSeal:
			defer func() {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.sealing = false
			}()
			return s.commit(it, in)
		case shadow.DoJudge:
			return s.judge(it, in, &t)
		case shadow.DoFollow:
			return s.followStored(it, t.Slot)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// turn says what is to be done about an event. One that has to wait is parked, and
// one that is refused is taken out of the view.
func (s *session) turn(it *item, in *input) (shadow.Turn, error) {
	r := it.run
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		s.takeSeal(r)
		if it.arrival == nil {
			it.arrival = &shadow.Arrival{Place: in.place(), Digest: in.digest, Commander: in.addr.Commander}
			if p := in.submission; p != nil {
				it.arrival.Domain, it.arrival.BundleID, it.arrival.Cycle = p.Bundle.Domain, p.Bundle.BundleID, p.Cycle
			}
			r.view.Add(in.addr.Source(), it.arrival)
		}
		var t shadow.Turn
		if in.decomposition != nil {
			t = r.view.Decomposition(it.arrival)
		} else {
			t = r.view.Submission(it.arrival, s.cfg.SealWait)
		}
		switch {
		case t.Step == shadow.DoReject:
			r.view.Remove(in.addr.Source(), it.arrival)
			return t, t.Refusal
		case t.Step == shadow.DoSeal && r.sealing:
			t = shadow.Turn{Await: shadow.AwaitSeal}
		case t.Step == shadow.DoSeal:
			r.sealing = true
		case t.Step == shadow.DoJudge && t.Holder.Sequence != it.seq:
			t.Step, t.Await = shadow.DoWait, shadow.AwaitReport
		case t.Step == shadow.DoDone:
			r.view.Remove(in.addr.Source(), it.arrival)
		}
		if t.Step != shadow.DoWait {
			return t, nil
		}
		again, refusal := s.park(it, t)
		if refusal != nil {
			r.view.Remove(in.addr.Source(), it.arrival)
			return t, refusal
		}
		if !again {
			return t, errParked
		}
	}
}

// takeSeal takes what was read of the commitment into the view. The run's lock is
// held.
func (s *session) takeSeal(r *run) {
	if r.view.Sealed.Sequence > 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.seal != nil {
		r.view.Sealed, r.view.Commitment = r.seal.Place, r.seal.Commitment
		delete(r.view.Arrivals, shadow.Source{})
	}
}

// park lets an item wait for something to be stored. again: it has been stored
// meanwhile. The run's lock is held.
func (s *session) park(it *item, t shadow.Turn) (again bool, refused *shadow.Refusal) {
	r, a := it.run, it.author
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.Await <= shadow.AwaitSeal && r.seal != nil {
		return true, nil
	}
	if c := it.addr.Commander; c != "" {
		if no := s.cfg.Limits.Waiting(r.waitingOf[c], c, r.id); no != nil {
			return false, no
		}
		if no := s.cfg.Limits.Waiting(a.unknown, c, ""); no != nil && t.Await == shadow.AwaitRun {
			return false, no
		}
		if r.waitingOf == nil {
			r.waitingOf = map[string]int{}
		}
		r.waitingOf[c]++
	}
	it.await, it.unknown = t, t.Await == shadow.AwaitRun
	if it.unknown {
		a.unknown++
	}
	if a.waiting++; a.kept >= perAuthor {
		it.msg = nil
	} else {
		a.kept++
	}
	r.waiting = append(r.waiting, it)
	s.parked++
	s.log.Debug("an event waits", "run", shadow.Printable(r.id), "sequence", it.seq, "for", t.Await.String())
	it.fold()
	s.queue.leave(it)
	if it.unknown {
		s.due(&deadline{at: t.Deadline, behind: it.seq, run: r, kind: anEvent})
	}
	s.queue.next()
	return false, nil
}

// wake starts those waiting items of a run again that what was stored is for. The
// lock is held.
func (s *session) wake(r *run, due func(*item) bool) {
	var left []*item
	for _, it := range r.waiting {
		if !due(it) {
			left = append(left, it)
			continue
		}
		if it.unknown {
			it.unknown = false
			it.author.unknown--
		}
		if c := it.addr.Commander; c != "" {
			r.waitingOf[c]--
		}
		s.parked--
		s.queue.readd(it)
	}
	r.waiting = left
}

// refusedRun notes that a decomposition of a run was rejected.
func (s *session) refusedRun(r *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.view.Refused = true
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake(r, func(it *item) bool { return it.await.Await <= shadow.AwaitSeal })
	s.queue.next()
}

// reject stores the rejection of an event, which takes no place any more. A
// rejection of shadowd's that is there stands.
func (s *session) reject(it *item, in *input) error {
	r, no := it.run, it.refusal
	r.mu.Lock()
	if it.arrival != nil {
		r.view.Remove(in.addr.Source(), it.arrival)
	}
	s.mu.Lock()
	it.fold()
	s.queue.waits(it)
	s.wake(r, func(o *item) bool {
		return it.arrival != nil && o.await.Await == shadow.AwaitReport && o.await.Slot == it.arrival.Slot()
	})
	s.queue.next()
	s.mu.Unlock()
	r.mu.Unlock()
	msg, err := s.rejection(in, no)
	if err == nil {
		_, err = s.out.own(s.work, layout.StreamOut, msg)
	}
	if err != nil {
		return err
	}
	s.log.Warn("event rejected", "subject", shadow.Printable(in.Subject), "sequence", in.Seq, "reason", string(no.Reason), "why", shadow.Printable(no.Message))
	if in.addr.Name == shadow.DecompositionDone {
		s.refusedRun(r)
	}
	return nil
}

// rejection is the message that an event is rejected for a reason.
func (e *Engine) rejection(in *input, no *shadow.Refusal) (*nats.Msg, error) {
	cause := cloudevent.CauseOf(in.event)
	cause.Run = in.addr.Run
	msg, _, err := e.out.output(e.layout.Rejected(in.addr.Author, in.Seq), cause, in.Time, shadow.Rejection{
		Reason:   no.Reason,
		Message:  shadow.Printable(no.Message),
		Limit:    no.Limit,
		Resubmit: no.Reason.Hint(),
		Subject:  shadow.Printable(in.Subject),
		Stream:   layout.StreamIn,
		In:       in.place(),
		EventID:  shadow.Printable(in.event.ID()),
		RunID:    in.addr.Run,
	})
	return msg, err
}
