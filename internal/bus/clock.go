package bus

import (
	"context"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// clock handles a timer that has fired: the end of a cycle or of a run.
// Timers are never cancelled. What counts is what is stored, so one that comes
// late, twice or for nothing does nothing.
func (e *Engine) clock(ctx context.Context, m *message) error {
	if err := e.Truncated(); err != nil {
		return err
	}
	a, err := e.layout.Parse(m.Subject)
	if err != nil || a.Name != shadow.Clock {
		return shadow.Refuse(shadow.IDMismatch, "not a timer: %.200q", m.Subject)
	}
	if err := e.current(ctx, a.Run); err != nil {
		return err
	}
	v, err := e.use(ctx, a.Run, 0, m.Seq)
	if err != nil {
		return err
	}
	defer e.views.release(v)
	ev := &shadow.Event{Timer: &shadow.Timer{Slot: shadow.Slot{Domain: a.Domain, Cycle: a.Cycle}, Fired: m.Time}}
	return e.process(ctx, v, ev, &input{message: m, addr: a})
}

// timeOut closes a domain whose fix has not come in time, on the very subject
// that the fix's report would have used: one of the two is stored.
func (e *Engine) timeOut(ctx context.Context, v *runView, t *shadow.Turn) error {
	defer e.views.leaveSlot(v, t.Slot)
	run, err := e.sealed(ctx, v)
	if err != nil {
		return err
	}
	if unchanged, err := e.unchanged(ctx, v, run); err != nil || !unchanged {
		return err
	}
	var before storedReport
	e.views.locked(func() { before = *v.stored[shadow.Slot{Domain: t.Slot.Domain, Cycle: t.Slot.Cycle - 1}] })
	rep := shadow.TimedOut(run.policy(), before.Report, t.Deadline, run.broken)
	return e.storeReport(ctx, v, run, rep, cloudevent.InheritedCause(before.event), 0)
}

// endRun closes a run at its deadline, with domains that are missing.
func (e *Engine) endRun(ctx context.Context, v *runView, t *shadow.Turn) error {
	run, err := e.sealed(ctx, v)
	if err != nil {
		return err
	}
	var finals []*shadow.Report
	var complete bool
	e.views.locked(func() { finals, _, complete = v.Finals() })
	if complete {
		t.Deadline = time.Time{} // it is not what ended the run
	}
	return e.publishSum(ctx, run, finals, t.Deadline)
}
