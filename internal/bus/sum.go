package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// sum publishes run-scored once every domain of the run is final.
func (e *Engine) sum(ctx context.Context, v *runView, run *sealedRun) error {
	for {
		e.views.mu.Lock()
		finals, unread, complete := v.Finals()
		scored := v.Scored
		later := unread != nil && v.judging[*unread] // who stores that report here sums up behind it
		e.views.mu.Unlock()
		if scored || !complete || later {
			return nil
		}
		if unread == nil {
			return e.publishSum(ctx, run, finals, time.Time{})
		}
		if err := e.readReport(ctx, v, *unread); err != nil {
			return err
		}
	}
}

// publishSum stores run-scored. Its time follows from the log, so that every
// daemon writes the same. A view that has lost its domains meanwhile, with the
// envelope, gives no finals: of those nobody scores a run.
func (e *Engine) publishSum(ctx context.Context, run *sealedRun, finals []*shadow.Report, deadline time.Time) error {
	if len(finals) != len(run.domains) {
		return fmt.Errorf("run %s has lost its envelope while it was scored", run.commitment.RunID)
	}
	c := cloudevent.Cause{ID: e.layout.EventID(e.layout.Commitment(run.commitment.RunID))}
	sum := shadow.Sum(run.commitment, run.domains, finals)
	subject := e.layout.RunScored(sum.RunID)
	msg, _, err := e.output(subject, c, shadow.ScoredAt(finals, deadline), sum)
	if err != nil {
		return err
	}
	stored, err := e.storeOwn(ctx, msg)
	if stored {
		e.log.Info("run scored", "run", sum.RunID, "median", sum.Median.String(), "verdict", string(sum.Verdict), "incomplete", sum.Incomplete)
	}
	return err
}
