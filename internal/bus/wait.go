package bus

import (
	"context"
	"errors"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// awaitSeal decides about a submission whose run is not sealed: wait for the
// seal for as long as it takes, wait a while for a run that nobody has
// decomposed yet, or refuse.
func (e *Engine) awaitSeal(ctx context.Context, in *input) error {
	run := in.submission.RunID
	since, ok := e.waiting.enter(in)
	if !ok {
		return e.unlessSealed(ctx, run, refuse(shadow.TooManyWaiting, "%d events of commander %q wait for the seal of run %q already", e.waiting.most, in.addr.Commander, run))
	}
	decomposition := e.decompositionOf(run, nil)
	good, err := e.first(ctx, decomposition)
	if err != nil {
		return err
	}
	if good != nil {
		skipped, err := e.skipped(ctx, e.store.Seal, good)
		if err != nil {
			return err
		}
		if !skipped {
			e.waiting.known(in)
			e.waiting.unsealed(run)
			return errWait
		}
	}
	any, err := next(ctx, e.store, e.layout.Decomposition(run), 1)
	if err == nil && any != nil && good == nil {
		// It may have been stored between the two looks.
		if good, err = e.firstNow(ctx, decomposition); good != nil {
			return errWait
		}
	}
	switch {
	case err != nil:
		return err
	case any != nil && good == nil && since > 0:
		// At first sight its rejection may be under way, and a better one
		// behind it.
		return e.unlessSealed(ctx, run, refuse(shadow.RunRejected, "the decomposition of run %q was rejected", run))
	case since >= e.cfg.SealWait:
		return e.unlessSealed(ctx, run, refuse(shadow.RunUnknown, "no decomposition of run %q came within %s", run, e.cfg.SealWait))
	case any == nil && !e.waiting.enterUnknown(in):
		return e.unlessSealed(ctx, run, refuse(shadow.TooManyWaiting, "%d events of commander %q wait already for runs that nobody has decomposed", e.waiting.most, in.addr.Commander))
	}
	e.waiting.unsealed(run)
	return errWait
}

// unlessSealed refuses, unless the run was sealed while the refusal was found:
// then the event is looked at again.
func (e *Engine) unlessSealed(ctx context.Context, run string, r *refusal) error {
	_, err := e.sealed(ctx, run)
	if errors.Is(err, errNotSealed) {
		return r
	}
	if err == nil {
		err = errWait
	}
	return err
}

// awaitReport decides about a fix whose domain has no report of the cycle
// before. It overtook the report if a submission for that cycle is in IN, and
// waits; else it waits a while for one.
func (e *Engine) awaitReport(ctx context.Context, run *sealedRun, in *input) error {
	since, ok := e.waiting.enter(in)
	if !ok {
		return refuse(shadow.TooManyWaiting, "%d events of commander %q in run %q wait already", e.waiting.most, in.addr.Commander, in.submission.RunID)
	}
	if since < e.cfg.SealWait {
		return errWait
	}
	before := &slot{run: run, domain: run.domain(in.submission.Bundle.Domain), cycle: in.submission.Cycle - 1}
	before.deadline = run.policy().RunDeadline(run.place.Time)
	if before.cycle > 0 {
		prev, err := e.report(ctx, run, before.domain.Domain, before.cycle-1)
		if err != nil {
			return err
		}
		if prev == nil || !prev.Swarm.Hardening.Requested {
			return refuse(shadow.FixNotAsked, "there was no cycle %d that it could fix", before.cycle)
		}
		before.prev, before.deadline = prev, run.policy().FixDeadline(prev.time)
	}
	if err := e.pending(ctx, before, e.first); err != nil {
		return err
	}
	return refuse(shadow.FixNotAsked, "nothing was submitted in cycle %d that it could fix", before.cycle)
}
