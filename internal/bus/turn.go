package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// event handles a decomposition, a bundle or a fix.
func (e *Engine) event(ctx context.Context, m *message) error {
	if err := e.Truncated(); err != nil {
		return err
	}
	in, err := e.take(m)
	if err == nil {
		err = e.processInput(ctx, in)
	} else {
		e.views.arrival(in)
	}
	return e.refused(ctx, in, err)
}

func (e *Engine) processInput(ctx context.Context, in *input) error {
	v, err := e.use(ctx, in.addr.Run, in.Seq, 0)
	if err != nil {
		return err
	}
	defer e.views.release(v)
	if s := in.submission; s != nil && in.delivered == 1 && in.since.IsZero() {
		e.log.Info("received", "run", in.addr.Run, "domain", s.Bundle.Domain, "cycle", s.Cycle, "commander", in.addr.Commander, "sequence", in.Seq)
	}
	ev := &shadow.Event{}
	if arrival := e.views.arrival(in); in.decomposition != nil {
		ev.Decomposition = arrival
	} else {
		ev.Submission = arrival
	}
	return e.process(ctx, v, ev, in)
}

// process does what is due about an event until nothing is. Of a timer, in has
// the message and the address only.
func (e *Engine) process(ctx context.Context, v *runView, ev *shadow.Event, in *input) error {
	for {
		if ev.Submission != nil && !in.since.IsZero() && time.Since(in.since) >= e.cfg.SealWait {
			ev.Overdue = max(e.cfg.SealWait, 1)
		}
		t, err := e.turn(ctx, v, ev, in.message, in.addr)
		if errors.Is(err, errWaiting) || errors.Is(err, errNotYet) {
			e.log.Debug("an event waits", "run", in.addr.Run, "sequence", in.Seq, "for", t.Await.String())
		}
		if err != nil {
			return err
		}
		switch t.Step {
		case shadow.DoSeal:
			err = e.commit(ctx, v, in)
		case shadow.DoSealed:
			return e.armRun(ctx, v)
		case shadow.DoJudge:
			err = e.judgeHolder(ctx, v, &t, in)
		case shadow.DoTimeOut:
			err = e.timeOut(ctx, v, &t)
		case shadow.DoFollow:
			return e.followReport(ctx, v, t.Slot)
		case shadow.DoScore:
			return e.endRun(ctx, v, &t)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// turn finds out what is to be done about an event, and reads what that takes.
// It ends with a step that is none of the reading ones. An event that has to
// wait is held, which is the error then, and one that is rejected is refused.
// The slot of one that is to be judged is taken, until leaveSlot.
func (e *Engine) turn(ctx context.Context, v *runView, ev *shadow.Event, m *message, a shadow.Address) (shadow.Turn, error) {
	for checked := uint64(0); ; {
		t, err := e.views.turn(v, ev, m, a)
		if u, ok := errors.AsType[*unknownAuthorError](err); ok && e.removed(ctx, v, u) {
			continue
		}
		if err != nil {
			return t, err
		}
		switch t.Step {
		case shadow.DoReadCommitment:
			err = e.readCommitment(ctx, v)
		case shadow.DoOpen:
			if _, err = e.sealed(ctx, v); errors.Is(err, errNotSealed) {
				continue
			}
		case shadow.DoReadArrival:
			err = e.readArrival(ctx, t.Holder)
		case shadow.DoReadReport:
			err = e.readReport(ctx, v, t.Slot)
		case shadow.DoWait: // as one waits that does not know how far others are
			err = e.readFloors(ctx, v.RunID, ev)
		case shadow.DoReject:
			if t.Holder == nil || t.Holder.Sequence == checked {
				return t, t.Refusal
			}
			// Its rejection may be stored and not yet followed.
			checked = t.Holder.Sequence
			err = e.checkHolder(ctx, t.Holder, a)
		default:
			return t, nil
		}
		if err != nil {
			return t, err
		}
	}
}

// turn looks at the view once. What has to wait is held under the same lock,
// so that nothing can be stored unseen between the two.
func (vs *views) turn(v *runView, ev *shadow.Event, m *message, a shadow.Address) (shadow.Turn, error) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	for _, unsure := range v.unsure {
		return shadow.Turn{}, unsure
	}
	t := v.Turn(ev)
	judges := t.Step == shadow.DoJudge || t.Step == shadow.DoTimeOut
	switch {
	case judges && v.judging[t.Slot]:
		t.Step, t.Await = shadow.DoWait, shadow.AwaitReport
	case judges:
		v.judging[t.Slot] = true
		return t, nil
	case t.Step != shadow.DoWait:
		return t, nil
	case (ev.Overdue > 0 || ev.Timer != nil) && !ev.Floors && t.Await != shadow.AwaitClock:
		return t, nil // to read the floors
	}
	return t, vs.enqueue(v, m, a, t)
}

// removed says whether no message of an unknown author counts on a subject any more:
// they are removed, or shadowd's own stands there, too.
func (e *Engine) removed(ctx context.Context, v *runView, u *unknownAuthorError) bool {
	own, _, err := firstOwn(ctx, e.store.JS, u.subject, e.cfg.Key)
	if err != nil {
		return false
	}
	e.views.mu.Lock()
	defer e.views.mu.Unlock()
	if own != nil && own.Seq > e.views.out {
		return false // it is followed first
	}
	delete(v.unsure, u.subject)
	return true
}

// leaveSlot ends what turn began, and lets those go on that wait for it.
func (vs *views) leaveSlot(v *runView, slot shadow.Slot) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	delete(v.judging, slot)
	vs.reported(v, slot)
}

// readFloors finds out how far daemons have come, and brings the view up to
// what was stored by then: an acknowledgement comes after the outcome.
func (e *Engine) readFloors(ctx context.Context, run string, ev *shadow.Event) error {
	for _, d := range []struct {
		floor    *uint64
		consumer jetstream.Consumer
	}{{&ev.SealFloor, e.store.Seal}, {&ev.JudgeFloor, e.store.Judge}} {
		info, err := d.consumer.Info(ctx)
		if err != nil {
			return fmt.Errorf("asking for the state of a consumer: %w", err)
		}
		*d.floor = info.AckFloor.Stream
	}
	ev.Floors = true
	return e.current(ctx, run)
}

func (e *Engine) readCommitment(ctx context.Context, v *runView) error {
	m, err := streams.Next(ctx, e.store.JS, layout.StreamIn, e.layout.Commitment(v.RunID), 1)
	if err != nil {
		return err
	}
	if m == nil {
		return fmt.Errorf("the commitment of run %s was stored and cannot be read", v.RunID)
	}
	c := &shadow.Commitment{}
	if err := readOutput(m, c); err != nil {
		return fmt.Errorf("the commitment of run %s cannot be read: %w", v.RunID, err)
	}
	e.views.mu.Lock()
	defer e.views.mu.Unlock()
	v.Commitment, v.Sealed = c, shadow.Place{Sequence: m.Seq, Time: m.Time}
	return nil
}

// readArrival reads the content of an event that stands in a view. What is
// gone is taken out.
func (e *Engine) readArrival(ctx context.Context, a *shadow.Arrival) error {
	m, err := streams.At(ctx, e.store.JS, layout.StreamIn, a.Sequence)
	if err != nil {
		return err
	}
	if m == nil {
		e.views.locked(func() { e.views.rejected(a.Sequence) })
		return nil
	}
	in, _ := e.take(&message{Message: *m}) // what is malformed has no content
	e.views.arrival(in)
	return nil
}

// readReport reads the content of a report that stands in a view. One that is gone
// is taken out, for the next try.
func (e *Engine) readReport(ctx context.Context, v *runView, slot shadow.Slot) error {
	subject := e.layout.GapReport(v.RunID, slot.Domain, slot.Cycle)
	m, err := streams.Last(ctx, e.store.JS, layout.StreamOut, subject)
	if err != nil {
		return err
	}
	if m == nil {
		e.views.locked(func() {
			if r := v.stored[slot]; r != nil && r.Report == nil {
				delete(v.stored, slot)
				delete(v.Reports, slot)
			}
		})
		return fmt.Errorf("%s was stored and cannot be read", subject)
	}
	return e.takeReport(v, slot, m)
}

// takeReport gives a view the content of a report.
func (e *Engine) takeReport(v *runView, slot shadow.Slot, m *streams.Message) error {
	rep, err := e.readStored(m)
	if err != nil {
		return err
	}
	e.views.mu.Lock()
	defer e.views.mu.Unlock()
	r := v.report(slot, m.Seq, m.Time)
	r.Report, r.event, r.own = rep.Report, rep.event, rep.own
	return nil
}

// checkHolder looks in the log whether an event is rejected or removed, on whose
// account another one would be.
func (e *Engine) checkHolder(ctx context.Context, holder *shadow.Arrival, a shadow.Address) error {
	rejected, err := e.rejected(ctx, a.Author, holder.Sequence)
	if !rejected && err == nil {
		var m *streams.Message
		m, err = streams.At(ctx, e.store.JS, layout.StreamIn, holder.Sequence)
		rejected = m == nil && err == nil
	}
	if rejected {
		e.views.locked(func() { e.views.rejected(holder.Sequence) })
	}
	return err
}

// rejected says whether shadowd has rejected an event. What somebody else put
// into OUT is no rejection.
func (e *Engine) rejected(ctx context.Context, author string, seq uint64) (bool, error) {
	m, _, err := firstOwn(ctx, e.store.JS, e.layout.Rejected(author, seq), e.cfg.Key)
	return m != nil, err
}
