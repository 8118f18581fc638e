package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// storedReport is a gap report as it stands in OUT.
type storedReport struct {
	shadow.Report
	event event.Event
	time  time.Time // when it was stored; zero for one that was just stored
	// own: shadowd wrote it and those that it follows from. Whoever can write
	// into OUT can take the place of a report before shadowd does, and what is
	// signed must not follow from such a one.
	own bool
}

// ownHeader is the header of a report with its [shadow.Mark].
const ownHeader = "Shadowd-Own"

// ownWords are what a report's mark stands for.
func ownWords(subject string, data []byte) string {
	return shadow.Digest(append([]byte(subject+"\n"), data...))
}

// report reads the stored report of a cycle, or nil.
func (e *Engine) report(ctx context.Context, run *sealedRun, domain string, cycle int) (*storedReport, error) {
	subject := e.layout.GapReport(run.commitment.RunID, domain, cycle)
	m, err := last(ctx, e.store.Out, subject)
	if m == nil || err != nil {
		return nil, err
	}
	e.news.seen(subject)
	rep := &storedReport{time: m.time}
	// While a key is rotated, another daemon may have a newer one: then this
	// one waits for it, as with an envelope.
	if rep.own, err = shadow.Marked(m.header.Get(ownHeader), ownWords(m.subject, m.data), e.cfg.Key); err != nil {
		return nil, fmt.Errorf("who wrote %s: %w", subject, err)
	}
	if err := e.readOutput(m, &rep.Report); err != nil {
		return nil, err
	}
	if rep.event, err = Decode(m.header, m.data); err != nil {
		return nil, err
	}
	return rep, nil
}

// storeReport stores a report that follows from prev, if there is one, and
// returns the one that is then stored for the cycle: another worker, or the
// deadline, may have been first. Judging took so long; it is zero where a
// deadline makes the report.
func (e *Engine) storeReport(ctx context.Context, run *sealedRun, rep *shadow.Report, prev *storedReport, c Cause, took time.Duration) (*storedReport, error) {
	data, err := marshal(rep)
	if err != nil {
		return nil, err
	}
	s := &rep.Swarm
	subject := e.layout.GapReport(s.RunID, s.Domain, s.Cycle)
	msg, err := e.output(subject, c, rep.Report.Timestamp, data)
	if err != nil {
		return nil, err
	}
	own := prev == nil || prev.own
	if own {
		mark, err := shadow.Mark(ownWords(subject, msg.Data), e.cfg.Key)
		if err != nil {
			return nil, err
		}
		msg.Header.Set(ownHeader, mark)
	}
	err = e.storeOnce(ctx, msg, subject, func() { e.news.judged(run, rep, took) })
	if err != nil && !errors.Is(err, errStored) {
		return nil, err
	}
	if err == nil {
		e.logReport(rep)
		if s.Final {
			// Nothing depends on when a final report was stored, so it
			// need not be read back.
			ev, err := Decode(msg.Header, msg.Data)
			return &storedReport{Report: *rep, event: ev, own: own}, err
		}
	}
	stored, err := e.report(ctx, run, s.Domain, s.Cycle)
	if err == nil && stored == nil {
		err = fmt.Errorf("%s was stored and cannot be read yet", subject)
	}
	return stored, err
}

func (e *Engine) logReport(rep *shadow.Report) {
	s := &rep.Swarm
	log := e.log.With("run", s.RunID, "domain", s.Domain, "cycle", s.Cycle, "score", rep.Report.ShadowScore.String(), "level", string(rep.Report.Level), "gate", string(s.Gate.Action), "final", s.Final)
	if s.SealBroken != "" {
		log.Error("seal broken: every criterion counts as not passed")
		return
	}
	if c := s.Cost; c != nil {
		log = log.With("questions", len(s.Ballots), "undecided", len(s.Undecided), "calls", c.Calls, "tokens", c.Tokens, "cached", c.Cached)
	}
	log.Info("judged", "advisory", len(s.AdvisoryReasons) > 0)
}

// follow publishes what follows from a stored report, from the report alone:
// after a crash it makes the same again, and what is stored already stands.
func (e *Engine) follow(ctx context.Context, run *sealedRun, rep *storedReport) error {
	if rep.Swarm.Hardening.Requested {
		return e.harden(ctx, run, rep)
	}
	if n := shadow.Notice(&rep.Report); n != nil {
		if err := e.derive(ctx, run, e.layout.Quarantined(n.RunID, n.Domain), rep, n); err != nil {
			return err
		}
	}
	if !rep.Swarm.Final {
		return nil
	}
	if err := e.attest(ctx, run, rep); err != nil {
		return err
	}
	run.keepFinal(&rep.Report)
	return e.sum(ctx, run, rep.Swarm.Domain)
}

// harden asks the commander for a fix and sets its deadline.
func (e *Engine) harden(ctx context.Context, run *sealedRun, rep *storedReport) error {
	h := shadow.Request(&rep.Report, run.policy(), rep.time)
	// With a broken seal nobody is asked for anything, but the deadline has to
	// close the domain.
	if run.exam != nil {
		if err := e.derive(ctx, run, e.layout.HardeningRequest(h.CommanderID, h.RunID, h.Domain, h.Cycle), rep, h); err != nil {
			return err
		}
	}
	l := e.layout
	return e.arm(ctx, l.DomainTimer(h.RunID, h.Domain, h.Cycle), l.DomainFired(h.RunID, h.Domain, h.Cycle), l.DomainClock(h.RunID, h.Domain, h.Cycle), h.Deadline)
}

// derive stores an output that follows from a report, with the report's time
// and cause. What holds sealed text is withheld: messages that give a
// criterion away have been replaced when they were written, so it would be a
// defect, and a gap in the outputs is better than a leak.
func (e *Engine) derive(ctx context.Context, run *sealedRun, subject string, rep *storedReport, v any) error {
	data, err := marshal(v)
	if err != nil {
		return err
	}
	if e.withheld(run, subject, data) {
		return nil
	}
	msg, err := e.output(subject, handedOn(rep.event), rep.event.Time(), data)
	if err != nil {
		return err
	}
	return e.storeIfNew(ctx, msg, subject)
}

// withheld says whether an output holds sealed text.
func (e *Engine) withheld(run *sealedRun, subject string, data []byte) bool {
	if run.exam == nil || !run.exam.Leaks(string(data)) {
		return false
	}
	e.news.withheld(subject)
	e.log.Error("an output is withheld, for it holds sealed text", "subject", subject)
	return true
}

// sum publishes run-scored once every domain of the run is final. It looks at
// the other domains from the one after justDone on and stops at the first that
// is not final, which costs one read for all but the last domain.
func (e *Engine) sum(ctx context.Context, run *sealedRun, justDone string) error {
	n, start := len(run.domains), 0
	for i := range run.domains {
		if run.domains[i].Domain == justDone {
			start = i
		}
	}
	finals := make([]*shadow.Report, n)
	for k := range n {
		i := (start + k) % n
		rep, err := e.finalOf(ctx, run, run.domains[i].Domain)
		if err != nil || rep == nil {
			return err
		}
		finals[i] = rep
	}
	return e.publishSum(ctx, run, finals, time.Time{})
}

// finalOf returns a domain's final report, or nil if it has none yet.
func (e *Engine) finalOf(ctx context.Context, run *sealedRun, domain string) (*shadow.Report, error) {
	if rep := run.final(domain); rep != nil {
		return rep, nil
	}
	for cycle := 0; ; cycle++ {
		rep, err := e.report(ctx, run, domain, cycle)
		if err != nil || rep == nil {
			return nil, err
		}
		if rep.Swarm.Final {
			run.keepFinal(&rep.Report)
			return &rep.Report, nil
		}
	}
}

// publishSum stores run-scored. Its time is that of the last report in it, or
// the run's deadline if that ended it, so that every daemon writes the same.
func (e *Engine) publishSum(ctx context.Context, run *sealedRun, finals []*shadow.Report, at time.Time) error {
	c := Cause{ID: eventID(e.layout, e.layout.Commitment(run.commitment.RunID))}
	for _, rep := range finals {
		if rep != nil && rep.Report.Timestamp.After(at) {
			at = rep.Report.Timestamp
		}
	}
	sum := shadow.Sum(&run.commitment, run.domains, finals)
	data, err := marshal(sum)
	if err != nil {
		return err
	}
	subject := e.layout.RunScored(sum.RunID)
	msg, err := e.output(subject, c, at, data)
	if err != nil {
		return err
	}
	err = e.storeOnce(ctx, msg, subject)
	if errors.Is(err, errStored) {
		return nil
	}
	if err == nil {
		e.log.Info("run scored", "run", sum.RunID, "median", sum.Median.String(), "level", string(sum.Level), "incomplete", sum.Incomplete)
	}
	return err
}
