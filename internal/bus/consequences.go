package bus

import (
	"context"
	"errors"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// storedReport is a gap report as it stands in OUT.
type storedReport struct {
	shadow.StoredReport
	event event.Event
	// own: shadowd wrote it and those that it follows from. Whoever can write
	// into OUT can take the place of a report before shadowd does, and what is
	// signed must not follow from such a one.
	own bool
}

// readStored reads a report as it stands in OUT.
func (e *Engine) readStored(m *streams.Message) (*storedReport, error) {
	rep := &storedReport{StoredReport: shadow.StoredReport{Sequence: m.Seq, Time: m.Time, Report: &shadow.Report{}}}
	var err error
	// While a key is rotated, another daemon may have a newer one: then this
	// one waits for it, as with an envelope.
	if rep.own, err = isOwn(m, e.cfg.Key); err != nil {
		return nil, err
	}
	rep.event, err = readEvent(m, rep.Report)
	return rep, err
}

// storeReport stores a report, unless another worker, or the deadline, was
// first. In the end the view has the one that is stored. Judging took so long;
// it is zero where a deadline makes the report.
func (e *Engine) storeReport(ctx context.Context, v *runView, run *sealedRun, rep *shadow.Report, c cloudevent.Cause, took time.Duration) error {
	slot := shadow.Slot{Domain: rep.Swarm.Domain, Cycle: rep.Swarm.Cycle}
	subject := e.layout.GapReport(v.RunID, slot.Domain, slot.Cycle)
	msg, ev, err := e.output(subject, c, rep.Report.Timestamp, rep)
	if err != nil {
		return err
	}
	own := e.views.ownBefore(v, slot)
	if !own {
		msg.Header.Del(ownHeader)
	}
	seq, err := e.storeOnce(ctx, msg, subject, func() { e.notifier.judged(run, rep, took, c.TraceParent) })
	if errors.Is(err, errStored) {
		return e.readReport(ctx, v, slot)
	}
	if err != nil {
		return err
	}
	e.logReport(rep)
	if err := e.views.reach(ctx, 0, seq); err != nil {
		return err
	}
	e.views.locked(func() {
		if r := v.stored[slot]; r != nil && r.Sequence == seq {
			r.Report, r.event, r.own = rep, ev, own
		}
	})
	return nil
}

// ownBefore says whether shadowd wrote the report of the cycle before, or
// there is none.
func (vs *views) ownBefore(v *runView, slot shadow.Slot) bool {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	slot.Cycle--
	return slot.Cycle < 0 || v.stored[slot] != nil && v.stored[slot].own
}

func (e *Engine) logReport(rep *shadow.Report) {
	s := &rep.Swarm
	log := e.log.With("run", s.RunID, "domain", s.Domain, "cycle", s.Cycle, "score", rep.Report.ShadowScore.String(), "verdict", string(s.Verdict), "gate", string(s.Gate.Action), "final", s.Final)
	if s.SealBroken != "" {
		log.Error("seal broken: every criterion counts as not passed")
		return
	}
	if c := s.Cost; c != nil {
		log = log.With("questions", len(s.Ballots), "undecided", len(s.Undecided()), "calls", c.Calls, "tokens", c.Tokens, "cached", c.Cached)
	}
	if len(s.Notices) > 0 {
		log = log.With("notices", s.Notices)
	}
	what := "judged"
	if s.Hardening.TimedOut {
		what = "no fix came in time"
	}
	log.Info(what, "advisory", len(s.AdvisoryReasons) > 0)
}

// followReport publishes what follows from the report of a slot, which the
// view has with its content. It follows from the report alone: after a crash
// the same is made again, and what is stored already stands.
func (e *Engine) followReport(ctx context.Context, v *runView, slot shadow.Slot) error {
	var rep storedReport
	var done bool
	e.views.locked(func() { rep, done = *v.stored[slot], v.followed[slot] })
	if done {
		return nil
	}
	run, err := e.sealed(ctx, v)
	if err != nil {
		return err
	}
	if rep.Report.Swarm.Hardening.Requested {
		err = e.harden(ctx, run, &rep)
	} else {
		err = e.conclude(ctx, v, run, &rep)
	}
	if err != nil {
		return err
	}
	e.views.locked(func() { v.followed[slot] = true })
	return nil
}

// conclude publishes what follows from a report that asks for nothing.
func (e *Engine) conclude(ctx context.Context, v *runView, run *sealedRun, rep *storedReport) error {
	var g errgroup.Group // together: none depends on another
	if n := shadow.Notice(rep.Report); n != nil {
		g.Go(func() error { return e.derive(ctx, run, e.layout.Quarantined(n.RunID, n.Domain), rep, n) })
	}
	if rep.Report.Swarm.Final {
		g.Go(func() error { return e.attest(ctx, rep) })
		g.Go(func() error { return e.sum(ctx, v, run) })
	}
	return g.Wait()
}

// harden asks the commander for a fix and sets its deadline, both together: the
// deadline follows from the report, whichever is stored first.
func (e *Engine) harden(ctx context.Context, run *sealedRun, rep *storedReport) error {
	h := shadow.Request(rep.Report, run.policy(), rep.Time)
	var g errgroup.Group
	// With a broken seal nobody is asked for anything, but the deadline has to
	// close the domain.
	if run.exam != nil {
		g.Go(func() error {
			return e.derive(ctx, run, e.layout.HardeningRequest(h.CommanderID, h.RunID, h.Domain, h.Cycle), rep, h)
		})
	}
	g.Go(func() error { return e.arm(ctx, e.layout.DomainTimer(h.RunID, h.Domain, h.Cycle), h.Deadline) })
	return g.Wait()
}

// derive stores an output that follows from a report, with the report's time
// and cause. What holds sealed text is withheld: messages that give a
// criterion away have been replaced when they were written, so it would be a
// defect, and a gap in the outputs is better than a leak.
func (e *Engine) derive(ctx context.Context, run *sealedRun, subject string, rep *storedReport, v any) error {
	msg, ev, err := e.output(subject, cloudevent.InheritedCause(rep.event), rep.event.Time(), v)
	if err != nil || e.withheld(run, subject, ev.Data()) {
		return err
	}
	return e.storeIfNew(ctx, msg, subject)
}

// withheld says whether an output holds sealed text.
func (e *Engine) withheld(run *sealedRun, subject string, data []byte) bool {
	if run.exam == nil || !run.exam.Leaks(string(data)) {
		return false
	}
	e.notifier.withheld(subject)
	e.log.Error("an output is withheld, for it holds sealed text", "subject", subject)
	return true
}
