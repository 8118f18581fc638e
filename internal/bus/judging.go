package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// judgeHolder judges the submission that holds a slot, which is another copy of
// the event that is being handled, if it is not that one, and stores the
// report.
func (e *Engine) judgeHolder(ctx context.Context, v *runView, t *shadow.Turn, in *input) error {
	defer e.views.leaveSlot(v, t.Slot)
	began := time.Now()
	if t.Holder.Sequence != in.Seq {
		m, err := streams.At(ctx, e.store.JS, layout.StreamIn, t.Holder.Sequence)
		if err != nil {
			return err
		}
		if m == nil { // it was removed before it was judged
			e.views.locked(func() { e.views.rejected(t.Holder.Sequence) })
			return nil
		}
		if in, err = e.take(&message{Message: *m}); err != nil {
			return err
		}
	}
	run, err := e.sealed(ctx, v)
	if err != nil {
		return err
	}
	ev := shadow.Evidence{
		Submission: in.submission,
		Raw:        in.event.Data(),
		Digest:     in.digest,
		In:         in.place(),
		BeforeSeal: in.Seq < run.place.Sequence,
		Notices:    in.ignored,
		Unwalled:   e.cfg.Settings.WorkspaceIsolation != shadow.IsolationStrict,
	}
	// The bucket is asked while it is judged.
	var unchanged bool
	var g errgroup.Group
	g.Go(func() (err error) {
		unchanged, err = e.unchanged(ctx, v, run)
		return err
	})
	rep, err := e.decide(ctx, v, run, t, ev)
	if asked := g.Wait(); asked != nil || err != nil || rep == nil || !unchanged {
		return errors.Join(err, asked)
	}
	return e.storeReport(ctx, v, run, rep, cloudevent.CauseOf(in.event), time.Since(began))
}

// decide makes the report, or nil if the event has to have its turn again.
func (e *Engine) decide(ctx context.Context, v *runView, run *sealedRun, t *shadow.Turn, ev shadow.Evidence) (*shadow.Report, error) {
	var prev *shadow.Report
	if t.Before != nil {
		prev = t.Before.Report
	}
	if run.exam == nil {
		return shadow.Broken(run.commitment, run.domains, ev, prev, run.broken), nil
	}
	if again, err := e.ask(ctx, v, run, t.Slot, &ev); again || err != nil {
		return nil, err
	}
	return run.exam.Decide(ev, prev, t.Deadline), nil
}

// ask puts what programs leave open to the panel, if there is one, and adds
// what it said to the evidence. If the envelope turns out to have changed, or
// the slot to have its report, nobody is asked and the event has its turn again.
func (e *Engine) ask(ctx context.Context, v *runView, run *sealedRun, slot shadow.Slot, ev *shadow.Evidence) (again bool, err error) {
	if e.cfg.Panel == nil {
		return false, nil
	}
	qs := run.exam.Questions(ev, e.cfg.Controls)
	if len(qs) == 0 {
		return false, nil
	}
	// Judges take minutes and cost, so the bucket and the log are asked for what
	// was not followed yet.
	if unchanged, err := e.unchanged(ctx, v, run); err != nil || !unchanged {
		return !unchanged, err
	}
	m, err := streams.Last(ctx, e.store.JS, layout.StreamOut, e.layout.GapReport(v.RunID, slot.Domain, slot.Cycle))
	if m != nil && err == nil {
		return true, e.readReport(ctx, v, slot)
	}
	if err != nil {
		return false, err
	}
	if ev.Panel, err = e.cfg.Panel.Ask(ctx, qs); err != nil {
		return false, fmt.Errorf("asking the judges: %w", err)
	}
	return false, nil
}
