package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// storedReport is a gap report as it stands in OUT.
type storedReport struct {
	*shadow.StoredReport
	report *shadow.Report
	event  event.Event
	// own: shadowd wrote it and those that it follows from. Whoever can write into OUT
	// may be first, and what is signed must not follow from that.
	own bool
}

// readStored reads a report as it stands in OUT.
func (s *session) readStored(m *streams.Message) (*storedReport, error) {
	rep := &storedReport{report: &shadow.Report{}}
	var err error
	// While a key is rotated, another daemon may have a newer one: then this
	// one waits for it, as with an envelope.
	if rep.own, err = isOwn(m, s.cfg.Key); err != nil {
		return nil, err
	}
	if rep.event, err = readOutput(m, rep.report); err != nil {
		return nil, err
	}
	rep.StoredReport = shadow.Stored(rep.report, shadow.Place{Sequence: m.Seq, Time: m.Time})
	if !rep.own {
		rep.Ended = 0 // nothing waits for what somebody else names
	}
	return rep, nil
}

// reportAt reads the report of a slot, which is there.
func (s *session) reportAt(r *run, slot shadow.Slot) (*storedReport, error) {
	subject := s.layout.GapReport(r.id, slot.Domain, slot.Cycle)
	m, err := streams.Next(s.work, s.store.JS, layout.StreamOut, subject, 1)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, notIn(subject)
	}
	return s.readStored(m)
}

// judge judges the submission that takes a slot, and stores the report.
func (s *session) judge(it *item, in *input, t *shadow.Turn) error {
	began, r := time.Now(), it.run
	run, err := s.open(r)
	if err != nil {
		return err
	}
	var prev *shadow.Report
	if t.Before != nil {
		before, err := s.reportAt(r, shadow.Slot{Domain: t.Slot.Domain, Cycle: t.Slot.Cycle - 1})
		if err != nil {
			return err
		}
		prev = before.report
	}
	ev := shadow.Evidence{
		Submission: in.submission,
		Raw:        in.event.Data(),
		Digest:     in.digest,
		In:         in.place(),
		BeforeSeal: in.Seq < r.view.Sealed.Sequence, // which has been set and stays
		Notices:    in.ignored,
		Unwalled:   s.cfg.Settings.WorkspaceIsolation != shadow.IsolationStrict,
	}
	var rep *shadow.Report
	if run.exam == nil {
		rep = shadow.Broken(run.commitment, run.domains, ev, prev, run.broken)
	} else {
		if err := s.ask(it, in, run, &ev); err != nil {
			return err
		}
		s.compute(func() { rep = run.exam.Decide(ev, prev, t.Deadline) })
	}
	return s.storeReport(it, run, t.Slot, rep, cloudevent.CauseOf(in.event), time.Since(began))
}

// ask puts what programs leave open to the panel, and adds what it said to the evidence.
func (s *session) ask(it *item, in *input, run *sealedRun, ev *shadow.Evidence) error {
	if s.cfg.Panel == nil {
		return nil
	}
	if it.said != nil { // its report could not be stored
		ev.Panel = *it.said
		return nil
	}
	qs := run.exam.Questions(ev, s.cfg.Controls)
	if len(qs) == 0 {
		return nil
	}
	asked, err := s.asks(it, in)
	if err != nil {
		return err
	}
	defer asked()
	ctx, end := s.patience(it, in)
	defer end()
	if ev.Panel, err = s.cfg.Panel.Ask(ctx, qs); err != nil {
		return fmt.Errorf("asking the judges: %w", err)
	}
	it.said = &ev.Panel
	return nil
}

// patience ends the wait for judges that are out of reach by a tick, also one that came
// while no daemon was there.
func (s *session) patience(it *item, in *input) (ctx context.Context, end func()) {
	if s.cfg.Patience <= 0 {
		return s.ctx, func() {}
	}
	d := &deadline{at: in.Time.Add(s.cfg.Patience), behind: in.Seq, run: it.run, kind: noPatience, over: make(chan time.Time), index: -1}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due(d)
	return shadow.WithPatience(s.ctx, d.over), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.deadlines.remove(d)
		it.run.deadlines = slices.DeleteFunc(it.run.deadlines, func(o *deadline) bool { return o == d })
	}
}

// timeOut closes a domain whose fix has not come in time, on the very subject
// that the fix's report would have used: one of the two is stored.
func (s *session) timeOut(it *item, t *shadow.Turn) error {
	run, err := s.open(it.run)
	if err != nil {
		return err
	}
	before, err := s.reportAt(it.run, shadow.Slot{Domain: t.Slot.Domain, Cycle: t.Slot.Cycle - 1})
	if err != nil {
		return err
	}
	rep := shadow.TimedOut(&run.commitment.Policy, before.report, t.Deadline, t.Tick, run.broken)
	return s.storeReport(it, run, t.Slot, rep, cloudevent.InheritedCause(before.event), 0)
}

// storeReport stores a report, unless one stands there, and then what follows from
// the one that stands. Judging took so long, 0 where a deadline makes the report.
func (s *session) storeReport(it *item, run *sealedRun, slot shadow.Slot, rep *shadow.Report, c cloudevent.Cause, took time.Duration) error {
	r := it.run
	subject := s.layout.GapReport(r.id, slot.Domain, slot.Cycle)
	data, err := shadow.Encode(rep)
	if err != nil {
		return err
	}
	s.mu.Lock()
	own := slot.Cycle == 0 || !r.foreign[shadow.Slot{Domain: slot.Domain, Cycle: slot.Cycle - 1}]
	s.mu.Unlock()
	if own && rep.Swarm.Final && s.cfg.Signer != nil {
		if c.Signature, err = s.cfg.Signer.SignReport(rep, data); err != nil {
			return err
		}
	}
	msg, ev, err := s.out.event(subject, c, rep.Report.Timestamp, data)
	if err != nil {
		return err
	}
	if !own {
		msg.Header.Del(ownHeader)
		s.log.Error("a report is not signed, for it follows from one that shadowd did not write", "subject", subject)
	}
	seq, err := s.out.store(s.work, msg, 0)
	var stored *storedReport
	switch {
	case errors.Is(err, errStored):
		stored, err = s.reportAt(r, slot)
	case err == nil:
		s.judged(run, rep, took, c.TraceParent)
		stored = &storedReport{report: rep, event: ev, own: own}
		var at time.Time
		if rep.Swarm.Hardening.Requested { // its time is that of the fix's deadline
			var m *streams.Message
			if m, err = streams.At(s.work, s.store.JS, layout.StreamOut, seq); m != nil {
				at = m.Time
			} else if err == nil {
				err = notIn(subject)
			}
		}
		stored.StoredReport = shadow.Stored(rep, shadow.Place{Sequence: seq, Time: at})
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	r.take(slot, stored)
	s.wakeFor(r, slot)
	s.mu.Unlock()
	return s.follow(it, slot, stored)
}

func (s *session) judged(run *sealedRun, rep *shadow.Report, took time.Duration, parent string) {
	if rep.Swarm.SealBroken != "" && run.broken == "" {
		s.cfg.Observer.SealBroken(BrokenDecoy)
	}
	s.cfg.Observer.Judged(rep, took, parent)
	w := &rep.Swarm
	log := s.log.With("run", w.RunID, "domain", w.Domain, "cycle", w.Cycle, "score", rep.Report.ShadowScore.String(), "verdict", string(w.Verdict), "gate", string(w.Gate.Action), "final", w.Final)
	if w.SealBroken != "" {
		log.Error("seal broken: every criterion counts as not passed")
		return
	}
	if c := w.Cost; c != nil {
		log = log.With("questions", len(w.Ballots), "undecided", len(w.Undecided()), "calls", c.Calls, "tokens", c.Tokens)
	}
	if len(w.Notices) > 0 {
		log = log.With("notices", w.Notices)
	}
	what := "judged"
	if w.Hardening.TimedOut {
		what = "no fix came in time"
	}
	log.Info(what, "advisory", len(w.AdvisoryReasons) > 0)
}

// followStored stores what follows from the report that stands in a slot, if that
// is not done.
func (s *session) followStored(it *item, slot shadow.Slot) error {
	r := it.run
	s.mu.Lock()
	done, scored := r.followed[slot], r.view.Scored
	s.mu.Unlock()
	switch {
	case scored:
		return nil
	case done:
		return s.score(it) // that may be what failed
	}
	if _, err := s.open(it.run); err != nil {
		return err
	}
	rep, err := s.reportAt(r, slot)
	if err != nil {
		return err
	}
	return s.follow(it, slot, rep)
}

// follow stores what follows from a report. It follows from the report alone, and is
// stored behind it: after a crash the same is made again.
func (s *session) follow(it *item, slot shadow.Slot, rep *storedReport) error {
	r := it.run
	run, err := s.open(r)
	if err != nil {
		return err
	}
	if rep.Requested {
		// With a broken seal nobody is asked for anything, but the deadline has to
		// close the domain.
		if run.exam != nil {
			h := shadow.Request(rep.report, &run.commitment.Policy, rep.Time)
			err = s.derive(run, s.layout.HardeningRequest(h.CommanderID, h.RunID, h.Domain, h.Cycle), rep, h)
		}
		if err == nil {
			s.awaitFix(r, slot, rep.StoredReport)
		}
	} else if n := shadow.Notice(rep.report); n != nil {
		err = s.derive(run, s.layout.Quarantined(n.RunID, n.Domain), rep, n)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	r.follows(slot)
	s.mu.Unlock()
	return s.score(it)
}

// follows notes that all is stored that follows from a report.
func (r *run) follows(slot shadow.Slot) {
	if r.followed == nil {
		r.followed = map[shadow.Slot]bool{}
	}
	r.followed[slot] = true
}

// derive stores an output that follows from a report, with the report's time and cause.
// What holds sealed text is withheld: it is a defect, and a gap is better than a leak.
func (s *session) derive(run *sealedRun, subject string, rep *storedReport, v any) error {
	msg, ev, err := s.out.output(subject, cloudevent.InheritedCause(rep.event), rep.event.Time(), v)
	if err != nil {
		return err
	}
	if run.exam != nil && run.exam.Leaks(string(ev.Data())) {
		s.cfg.Observer.Withheld()
		s.log.Error("an output is withheld, for it holds sealed text", "subject", subject)
		return nil
	}
	_, err = s.out.own(s.work, layout.StreamOut, msg)
	return err
}

// score ends the run of an item if it is time: commanders learn that nothing more is
// asked of them, and run-scored is stored, last of all.
func (s *session) score(it *item) error {
	r := it.run
	s.mu.Lock()
	t := r.view.EndOfRun()
	if t.Step == shadow.DoOpen {
		s.mu.Unlock()
		if _, err := s.open(it.run); err != nil {
			return err
		}
		s.mu.Lock()
		t = r.view.EndOfRun()
	}
	now := t.Step == shadow.DoScore && !r.scoring && (t.Deadline.IsZero() || r.over)
	for slot := range r.view.Reports { // run-scored is the last of all
		now = now && r.followed[slot]
	}
	now = now && !s.postpone(r, shadow.Complete(t.Finals, t.Tick))
	r.scoring = r.scoring || now
	s.mu.Unlock()
	if !now {
		return nil
	}
	err := s.storeSum(r.view.Commitment, r.view.Domains, &t)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.scoring = false; err == nil {
		s.scored(r)
	}
	return err
}

// storeSum stores what ends a run. Its time follows from the log.
func (s *session) storeSum(c *shadow.Commitment, domains shadow.Domains, t *shadow.Turn) error {
	cause := cloudevent.Cause{ID: s.layout.EventID(s.layout.Commitment(c.RunID))}
	at := shadow.ScoredAt(t.Finals, t.Deadline)
	for _, d := range shadow.SettledDomains(c.RunID, domains, at) {
		msg, _, err := s.out.output(s.layout.Settled(d.CommanderID, c.RunID), cause, at, d)
		if err == nil {
			_, err = s.out.own(s.work, layout.StreamOut, msg)
		}
		if err != nil {
			return err
		}
	}
	sum := shadow.Sum(c, domains, t.Finals, t.Tick)
	msg, _, err := s.out.output(s.layout.RunScored(c.RunID), cause, at, sum)
	if err != nil {
		return err
	}
	stored, err := s.out.own(s.work, layout.StreamOut, msg)
	if stored {
		s.log.Info("run scored", "run", sum.RunID, "median", sum.Median.String(), "verdict", string(sum.Verdict), "incomplete", sum.Incomplete)
	}
	return err
}

// notIn is the error for a message that is stored and cannot be read.
func notIn(subject string) error { return fmt.Errorf("%s was stored and cannot be read", subject) }
