package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// judge handles a bundle (cycle 0) or a fix (cycle 1 and up).
func (e *Engine) judge(ctx context.Context, m *message) error {
	if a, err := e.layout.Parse(m.subject); err == nil && m.redelivered && e.waiting.again(a, m.seq, e.beingJudged) {
		return errWait
	}
	in, err := e.take(m)
	if err == nil {
		err = e.submit(ctx, in)
	}
	return e.refused(ctx, in, err)
}

// submit sees to it that the cycle that a submission is for has its report,
// and that what follows from the report is published. Which submission a
// report is about depends on the log alone: it is the first one in IN that
// fits. So all daemons, in whatever order they get the events, agree.
func (e *Engine) submit(ctx context.Context, in *input) error {
	sub := in.submission
	run, err := e.sealed(ctx, sub.RunID)
	if errors.Is(err, errNotSealed) {
		return e.awaitSeal(ctx, in)
	}
	if err != nil {
		return err
	}
	e.waiting.known(in)
	sl, err := e.slotOf(ctx, run, in)
	if err != nil {
		return err
	}
	rep, err := e.report(ctx, sl.run, sl.domain.Domain, sl.cycle)
	if err != nil {
		return err
	}
	if rep == nil {
		if rep, err = e.decide(ctx, sl, in); err != nil {
			return err
		}
	}
	if err := sl.settled(in, rep); err != nil {
		return err
	}
	return e.follow(ctx, run, rep)
}

// slot is the place that one submission can take: a cycle of a domain.
type slot struct {
	run    *sealedRun
	domain *shadow.Domain
	cycle  int
	// prev is the report of the cycle before and deadline the moment up to
	// which the slot's submission is in time.
	prev     *storedReport
	deadline time.Time
}

// slotOf finds the slot of a submission, or refuses the submission if it has
// none. A fix that is here before the report that asks for it has to wait.
func (e *Engine) slotOf(ctx context.Context, run *sealedRun, in *input) (*slot, error) {
	b := &in.submission.Bundle
	sl := &slot{run: run, domain: run.domain(b.Domain), cycle: in.submission.Cycle}
	if sl.domain == nil || sl.domain.CommanderID != b.CommanderID {
		return nil, refuse(shadow.NotYourDomain, "run %q does not give domain %q to commander %q", in.submission.RunID, b.Domain, b.CommanderID)
	}
	if sl.cycle == 0 {
		sl.deadline = run.policy().RunDeadline(run.place.Time)
		return sl, nil
	}
	if most := run.policy().MaxCycles; sl.cycle > most {
		if most == 0 {
			return nil, refuse(shadow.FixNotAsked, "this run has no hardening")
		}
		return nil, refuse(shadow.FixNotAsked, "cycle %d: this run has at most %d", sl.cycle, most)
	}
	prev, err := e.report(ctx, run, b.Domain, sl.cycle-1)
	if err != nil {
		return nil, err
	}
	if prev == nil {
		return nil, e.awaitReport(ctx, run, in)
	}
	if !prev.Swarm.Hardening.Requested {
		return nil, refuse(shadow.FixNotAsked, "the report of cycle %d asks for no fix", sl.cycle-1)
	}
	sl.prev, sl.deadline = prev, run.policy().FixDeadline(prev.time)
	return sl, sl.sameBundle(in)
}

func (sl *slot) sameBundle(in *input) error {
	if got, want := in.submission.Bundle.BundleID, sl.prev.Swarm.BundleID; got != want {
		return refuse(shadow.FixOtherBundle, "the fix is of bundle %q, but bundle %q was judged", got, want)
	}
	return nil
}

// fits says whether an event could take the slot: the right domain, cycle and
// bundle, stored in time.
func (sl *slot) fits(in *input) bool {
	s := in.submission
	return s != nil && s.Bundle.Domain == sl.domain.Domain && s.Bundle.CommanderID == sl.domain.CommanderID &&
		s.Cycle == sl.cycle && !in.time.After(sl.deadline) && (sl.prev == nil || sl.sameBundle(in) == nil)
}

// name tells the slot from others of its commander in the run.
func (sl *slot) name() string { return fmt.Sprintf("%s/%d", sl.domain.Domain, sl.cycle) }

// key tells the slot from all others.
func (sl *slot) key() string { return sl.run.commitment.RunID + " " + sl.name() }

// subject is where the slot's submissions are published.
func (sl *slot) subject(l Layout) string {
	run := sl.run.commitment.RunID
	if sl.cycle == 0 {
		return l.Bundle(run, sl.domain.CommanderID)
	}
	return l.Fix(run, sl.domain.CommanderID)
}

// decide judges the submission that takes the slot and stores the report. It
// returns the report that is stored in the end, which may be another's.
func (e *Engine) decide(ctx context.Context, sl *slot, in *input) (*storedReport, error) {
	holder, err := e.first(ctx, e.submissionOf(sl, in))
	if err != nil {
		return nil, err
	}
	// A late copy of an event that was also stored in time is the same event.
	same := holder != nil && holder.digest == in.digest
	switch {
	case !same && in.time.After(sl.deadline):
		return nil, refuse(shadow.Late, "it was stored at %s, the deadline was %s", stamp(in.time), stamp(sl.deadline))
	case holder == nil:
		return nil, refuse(shadow.Late, "it was rejected before")
	case !same:
		return nil, sl.taken(holder.submission.Bundle.BundleID, holder.seq)
	}
	// Judges take minutes and cost. Copies of the event that come meanwhile
	// wait outside, or enough of them would take all workers from everybody.
	if _, others := e.judging.LoadOrStore(sl.key(), nil); others {
		return nil, e.awaitJudgement(sl, in, holder)
	}
	defer e.judging.Delete(sl.key())
	return e.judgeHolder(ctx, sl, holder)
}

// judgeHolder judges the submission that holds a slot.
func (e *Engine) judgeHolder(ctx context.Context, sl *slot, holder *input) (*storedReport, error) {
	began := time.Now()
	ev := shadow.Evidence{
		Submission: holder.submission,
		Raw:        holder.event.Data(),
		Digest:     holder.digest,
		In:         holder.place(),
		BeforeSeal: holder.seq < sl.run.place.Sequence,
		Unwalled:   e.cfg.Settings.WorkspaceIsolation != shadow.IsolationStrict,
	}
	var prev *shadow.Report
	if sl.prev != nil {
		prev = &sl.prev.Report
	}
	var rep *shadow.Report
	if sl.run.exam != nil {
		if stored, err := e.ask(ctx, sl, &ev); stored != nil || err != nil {
			return stored, err
		}
		rep = sl.run.exam.Decide(ev, prev, sl.deadline)
	} else {
		rep = shadow.Broken(&sl.run.commitment, sl.run.domains, ev, prev, sl.run.broken)
	}
	return e.storeReport(ctx, sl.run, rep, sl.prev, CauseOf(holder.event), time.Since(began))
}

// ask puts what the checks leave open to the panel, if there is one, and adds
// what it said to the evidence. If the slot turns out to have its report, that
// is returned and nobody is asked.
func (e *Engine) ask(ctx context.Context, sl *slot, ev *shadow.Evidence) (*storedReport, error) {
	if e.cfg.Panel == nil {
		return nil, nil
	}
	qs := sl.run.exam.Questions(ev)
	if len(qs) == 0 {
		return nil, nil
	}
	// It may have come since the slot was looked at, from a copy of the event.
	stored, err := e.report(ctx, sl.run, sl.domain.Domain, sl.cycle)
	if stored != nil || err != nil {
		return stored, err
	}
	if ev.Panel, err = e.cfg.Panel.Ask(ctx, qs); err != nil {
		return nil, fmt.Errorf("asking the judges: %w", err)
	}
	return nil, nil
}

// settled refuses a submission whose slot went to another one.
func (sl *slot) settled(in *input, rep *storedReport) error {
	switch {
	case rep.Swarm.Hardening.TimedOut:
		return refuse(shadow.Late, "the deadline was %s", stamp(sl.deadline))
	case rep.Swarm.BundleDigest != in.digest:
		return sl.taken(rep.Swarm.BundleID, rep.Swarm.In.Sequence)
	}
	return nil
}

func (sl *slot) taken(bundle string, seq uint64) error {
	if sl.cycle > 0 {
		return refuse(shadow.FixTaken, "the fix at sequence %d was accepted for cycle %d", seq, sl.cycle)
	}
	return refuse(shadow.SlotTaken, "domain %q has its bundle: %q at sequence %d, whose data are other bytes", sl.domain.Domain, bundle, seq)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
