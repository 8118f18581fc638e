package bus

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// run is a run in which something is left to do. Its events are taken into its view
// one at a time, those of an author in the order of the log. The lock of the
// session guards it.
type run struct {
	id   string
	view shadow.View

	opening sync.Mutex // held while its envelope is opened

	fresh  bool // nothing of it was read yet
	loaded bool // what was stored of it before is in the view
	// retry is how long its items wait since it cannot be read, and retrying: they do.
	retry     time.Duration
	retrying  bool
	tracked   bool // the commitment is among the open ones
	committed bool // it was stored here and is going to be read
	sealing   bool // an envelope is being written
	items     int  // of all kinds
	waiting   []*item
	waitingOf map[string]int // by commander
	tail      chan struct{}  // closed when the last item that was started is folded
	deadlines []*deadline
	awaited   int  // commanders of whom it is not known what came before the deadline
	over      bool // its deadline has passed, and all before that is in the view
	followed  map[shadow.Slot]bool
	foreign   map[shadow.Slot]bool // slots with a report that is not shadowd's own
	reviews   frontier             // those without an outcome
	complete  uint64               // what completes it, if its sum waits for reviews before that
	scoring   bool                 // its sum is being stored
}

// errParked: the item waits, and is started again when what it waits for is there.
// It may be in other hands already.
var errParked = errors.New("it waits")

// begin is what the first item of a run waits for.
var begin = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// fold lets the next item of the run go on. The lock is held.
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
			return
		}
		if err == nil {
			err = s.turnCome(it)
		}
		if err == nil {
			s.ended(it)
			return
		}
		if s.ctx.Err() != nil {
			return
		}
		s.cfg.Observer.Failed(cmp.Or(it.addr.Name, "run"))
		s.log.Warn("will be tried again", "run", shadow.Printable(it.run.id), "sequence", it.seq, "error", err)
		if s.isStuck(it) {
			return
		}
		s.mu.Lock()
		s.fails(it)
		s.mu.Unlock()
		_ = pause(s.ctx, wait)
	}
}

// isStuck says whether an item failed before it was taken into the view. No other of its
// run goes on without it: all of them wait in the run, which is tried again after a while.
func (s *session) isStuck(it *item) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-it.before:
	default:
		return false
	}
	if it.folded == nil {
		return false
	}
	if r := it.run; !r.retrying {
		wait := min(max(2*r.retry, firstRetry), lastRetry)
		r.retry, r.retrying = wait, true
		s.wg.Go(func() {
			_ = pause(s.ctx, wait)
			s.mu.Lock()
			tail := r.tail // no more of the run are started meanwhile
			s.mu.Unlock()
			select { // those that were started must not overtake the others
			case <-tail:
			case <-s.ctx.Done():
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			r.retrying = false
			s.wake(r, func(it *item) bool { return it.stuck })
		})
	}
	s.stick(it)
	return true
}

// stick has an item wait until its run is tried again. The lock is held.
func (s *session) stick(it *item) {
	it.stuck = true
	s.park(it)
}

// turnCome waits until the items before one in its run are taken into the view.
func (s *session) turnCome(it *item) error {
	select {
	case <-it.before:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// guarded keeps a fault in what one item does from taking the daemon down.
func (s *session) guarded(it *item, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic while processing", "run", shadow.Printable(it.run.id), "sequence", it.seq, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: panic: %v", errPermanent, p)
		}
	}()
	return do()
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
	if err := s.turnCome(it); err != nil {
		return err
	}
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
	}
	s.mu.Lock()
	if it.kind == endReached {
		it.run.awaited--
		it.run.over = it.run.awaited <= 0
	}
	it.kind = theOpening // tried again, the run is only scored
	it.fold()
	s.mu.Unlock()
	return s.score(it)
}

// event handles an event of IN until its outcome is stored.
func (s *session) event(it *item) (err error) {
	if it.msg == nil {
		if it.msg, err = streams.At(s.work, s.store.JS, layout.StreamIn, it.seq); it.msg == nil || err != nil {
			return err // without one, somebody removed it
		}
	}
	if it.replayed {
		own, _, err := firstOwn(s.work, s.store.JS, layout.StreamOut, s.layout.Rejected(it.addr.Author, it.seq), s.cfg.Key)
		if err == nil && own != nil {
			err = s.turnCome(it)
		}
		if err != nil {
			return err
		}
		if own != nil {
			s.refused(it)
			return nil
		}
		it.replayed = false
	}
	in := &input{Message: it.msg, addr: it.addr}
	err = s.guarded(it, func() (err error) {
		s.compute(func() { in, err = takeInput(s.layout, &s.cfg, it.msg) })
		if ended := s.turnCome(it); ended != nil {
			return ended
		}
		if err == nil && it.refusal == nil {
			err = s.process(it, in)
		}
		return err
	})
	if errors.Is(err, errParked) {
		return err
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
	reason := shadow.Reason("")
	if it.refusal != nil {
		reason, err = it.refusal.Reason, s.reject(it, in)
	}
	if err == nil {
		s.cfg.Observer.Processed(it.addr.Name, reason)
	}
	return err
}

// process takes an event into the view of its run and does what is due.
func (s *session) process(it *item, in *input) error {
	if err := s.load(it); err != nil {
		return err
	}
	if in.review != nil {
		return s.review(it, in)
	}
	if p := in.submission; p != nil && it.arrival == nil {
		s.log.Info("received", "run", p.RunID, "domain", p.Bundle.Domain, "cycle", p.Cycle, "commander", in.addr.Commander, "sequence", in.Seq)
	}
	for {
		t, err := s.turn(it, in)
		if err != nil {
			return err
		}
		switch t.Step {
		case shadow.DoOpen:
			if _, err := s.open(it.run); err != nil {
				return err
			}
		case shadow.DoSeal:
			if again, err := s.commit(it, in); !again {
				return err
			}
			if err := s.load(it); err != nil {
				return err
			}
		case shadow.DoJudge:
			return s.judge(it, in, &t)
		case shadow.DoFollow:
			return s.followStored(it, t.Slot)
		default:
			return nil
		}
	}
}

// turn says what is to be done about an event. One that has to wait is parked, and
// one that is refused, needs nothing or has its report is taken out of the view.
func (s *session) turn(it *item, in *input) (t shadow.Turn, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := it.run
	if it.arrival == nil {
		it.arrival = &shadow.Arrival{Place: in.place(), Digest: in.digest, Commander: in.addr.Commander}
		if p := in.submission; p != nil {
			it.arrival.Domain, it.arrival.BundleID, it.arrival.Cycle = p.Bundle.Domain, p.Bundle.BundleID, p.Cycle
		}
		r.view.Add(in.addr.Source(), it.arrival)
	}
	if in.decomposition != nil {
		t = r.view.Decomposition(it.arrival)
	} else {
		t = r.view.Submission(it.arrival, s.cfg.SealWait)
	}
	switch {
	case t.Step == shadow.DoOpen:
		return t, nil
	case t.Step == shadow.DoReject:
		err = t.Refusal
	case t.Step == shadow.DoSeal && r.sealing:
		t = shadow.Turn{Await: shadow.AwaitSeal}
	case t.Step == shadow.DoSeal:
		r.sealing = true
	case t.Step == shadow.DoJudge && t.Holder.Sequence != it.seq:
		t.Step, t.Await = shadow.DoWait, shadow.AwaitReport
	}
	if t.Step == shadow.DoWait {
		err = s.wait(it, t)
	}
	if t.Step == shadow.DoDone || t.Step == shadow.DoFollow || err != nil && !errors.Is(err, errParked) {
		r.view.Remove(in.addr.Source(), it.arrival)
	}
	it.fold()
	r.retry = 0
	return t, err
}

// wait parks an event, and returns errParked, or that too many of its commander wait. The
// lock is held.
func (s *session) wait(it *item, t shadow.Turn) error {
	r, a := it.run, it.author
	it.await, it.unknown = t, t.Await == shadow.AwaitRun
	if c := it.addr.Commander; c != "" {
		no := s.cfg.Limits.Waiting(r.waitingOf[c], c, r.id)
		if no == nil && it.unknown {
			no = s.cfg.Limits.Waiting(a.unknown, c, "")
		}
		if no != nil {
			return no
		}
		if r.waitingOf == nil {
			r.waitingOf = map[string]int{}
		}
		r.waitingOf[c]++
		it.counted = true
	}
	s.log.Debug("an event waits", "run", shadow.Printable(r.id), "sequence", it.seq, "for", t.Await.String())
	s.park(it)
	if it.unknown {
		a.unknown++
		s.due(&deadline{at: t.Deadline, behind: it.seq, run: r, kind: anEvent})
	}
	return errParked
}

// refused notes that an event was rejected, if it is a decomposition.
func (s *session) refused(it *item) {
	if it.addr.Name == shadow.DecompositionDone {
		s.mu.Lock()
		defer s.mu.Unlock()
		it.run.view.Refused = true
	}
}

// reject stores the rejection of an event, which takes no place any more.
func (s *session) reject(it *item, in *input) error {
	if err := s.turnCome(it); err != nil {
		return err
	}
	s.mu.Lock()
	if it.arrival != nil {
		it.run.view.Remove(in.addr.Source(), it.arrival)
		s.wakeFor(it.run, it.arrival.Slot())
	}
	it.fold()
	s.mu.Unlock()
	no := it.refusal
	msg, err := s.rejection(in, no)
	if err == nil {
		_, err = s.out.own(s.work, layout.StreamOut, msg)
	}
	if err != nil {
		return err
	}
	s.log.Warn("event rejected", "subject", shadow.Printable(in.Subject), "sequence", in.Seq, "reason", string(no.Reason), "why", shadow.Printable(no.Message))
	s.refused(it)
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
