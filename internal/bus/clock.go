package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// clock handles a timer that has fired: the end of a cycle or of a run.
// Timers are never cancelled. What counts is what is stored, so one that comes
// late, twice or for nothing does nothing.
func (e *Engine) clock(ctx context.Context, m *message) error {
	a, err := e.layout.Parse(m.subject)
	if err != nil || a.Name != Clock {
		return refuse(shadow.IDMismatch, "not a timer: %.200q", m.subject)
	}
	run, err := e.sealed(ctx, a.Run)
	if err != nil {
		return fmt.Errorf("a timer of run %s: %w", a.Run, err)
	}
	if a.Domain == "" {
		return e.endRun(ctx, run, m)
	}
	return e.endCycle(ctx, run, a, m)
}

// endCycle closes a domain whose fix has not come in time, on the very
// subject that the fix's report would have used: one of the two is stored.
func (e *Engine) endCycle(ctx context.Context, run *sealedRun, a Address, m *message) error {
	dom := run.domain(a.Domain)
	if dom == nil || a.Cycle < 1 {
		return refuse(shadow.IDMismatch, "run %q has no domain %q in cycle %d", a.Run, a.Domain, a.Cycle)
	}
	prev, err := e.report(ctx, run, a.Domain, a.Cycle-1)
	if err != nil {
		return err
	}
	if prev == nil || !prev.Swarm.Hardening.Requested {
		return refuse(shadow.FixNotAsked, "no report asks for the fix that this timer is for")
	}
	rep, err := e.report(ctx, run, a.Domain, a.Cycle)
	if err != nil {
		return err
	}
	if rep == nil {
		sl := &slot{run: run, domain: dom, cycle: a.Cycle, prev: prev, deadline: run.policy().FixDeadline(prev.time)}
		if m.time.Before(sl.deadline) {
			return errWait // the clocks of two servers differ
		}
		if err := e.pending(ctx, sl, e.firstNow); err != nil {
			return err
		}
		rep, err = e.storeReport(ctx, run, shadow.TimedOut(run.policy(), &prev.Report, sl.deadline, run.broken), prev, handedOn(prev.event), 0)
		if err != nil {
			return err
		}
	}
	return e.follow(ctx, run, rep)
}

// pending returns errWait if a submission that takes the slot is in IN: it is
// in time however long its judgement takes. look is first, or firstNow where a
// deadline that has passed decides.
func (e *Engine) pending(ctx context.Context, sl *slot, look func(context.Context, question) (*input, error)) error {
	holder, err := look(ctx, e.submissionOf(sl, nil))
	if err != nil || holder == nil {
		return err
	}
	skipped, err := e.skipped(ctx, e.store.Judge, holder)
	if err != nil {
		return err
	}
	if !skipped {
		return errWait
	}
	// Its outcome may have been stored since it was last looked for.
	rep, err := e.report(ctx, sl.run, sl.domain.Domain, sl.cycle)
	if err == nil && rep != nil {
		err = errWait
	}
	return err
}

// skipped says whether an event without an outcome will never have one: it was
// acknowledged unread while scoring was disabled. An acknowledgement comes
// after the outcome, and the acknowledged floor of its durable is behind it.
func (e *Engine) skipped(ctx context.Context, durable jetstream.Consumer, in *input) (bool, error) {
	info, err := durable.Info(ctx)
	if err != nil {
		return false, fmt.Errorf("asking for the state of a consumer: %w", err)
	}
	return info.AckFloor.Stream >= in.seq, nil
}

// endRun closes a run at its deadline. Domains whose bundle is in IN in time,
// or whose fix is awaited, are waited for; the others are missing.
func (e *Engine) endRun(ctx context.Context, run *sealedRun, m *message) error {
	subject := e.layout.RunScored(run.commitment.RunID)
	scored, err := last(ctx, e.store.Out, subject)
	if scored != nil {
		e.news.seen(subject)
	}
	if scored != nil || err != nil {
		return err
	}
	deadline := run.policy().RunDeadline(run.place.Time)
	if m.time.Before(deadline) {
		return errWait
	}
	finals := make([]*shadow.Report, len(run.domains))
	complete := true
	for i := range run.domains {
		dom := &run.domains[i]
		if finals[i], err = e.finalOf(ctx, run, dom.Domain); err != nil {
			return err
		}
		if finals[i] != nil {
			continue
		}
		rep, err := e.report(ctx, run, dom.Domain, 0)
		if err != nil {
			return err
		}
		if rep != nil {
			return errWait // its fix has a deadline of its own
		}
		if err := e.pending(ctx, &slot{run: run, domain: dom, deadline: deadline}, e.firstNow); err != nil {
			return err
		}
		complete = false
	}
	if complete {
		deadline = time.Time{} // it is not what ended the run
	}
	return e.publishSum(ctx, run, finals, deadline)
}

// errWait: the event's time has not come. It is given back and comes again.
var errWait = errors.New("not yet")
