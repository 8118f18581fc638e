package audit

import (
	"fmt"
	"maps"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// follow derives what must follow from the reports. Each of it is stored, and
// nothing beside it.
func (r *Run) follow() {
	for _, rep := range r.inOrder() {
		r.signed(rep)
		if r.commitment == nil {
			continue // it has expired
		}
		s := &rep.Swarm
		if s.Hardening.Requested {
			r.expect(rep, shadow.HardeningRequest, s.CommanderID, rep.Cycle+1, encode(shadow.Request(&rep.Report, &r.com.Policy, rep.Time)))
		}
		if notice := shadow.Notice(&rep.Report); notice != nil {
			r.expect(rep, shadow.BundleQuarantined, "", 0, encode(notice))
		}
	}
	if r.commitment == nil {
		return
	}
	r.runScored()
	for _, m := range r.out {
		switch m.Name {
		case shadow.HardeningRequest, shadow.BundleQuarantined, shadow.DomainSettled:
			// That an output is there twice was said already.
			if m.Foreign == "" && !r.due[m.Subject] {
				r.find(m, Undue, m.Subject, "none: no report gives it")
			}
		}
	}
}

// expect checks that an output is stored which follows from a report.
func (r *Run) expect(rep *report, name, commander string, cycle int, want []byte) {
	m := r.one(name, commander, rep.Domain, cycle)
	switch {
	case m != nil:
	case !r.after(rep), r.exam == nil && name == shadow.HardeningRequest: // with a broken seal nobody is asked for a fix
		return
	case r.exam != nil && r.exam.Leaks(string(want)):
		r.find(rep.Message, Withheld, "no "+name, "")
		return
	default:
		r.missing(name, rep.Domain, cycle, fmt.Sprintf("the one that the report at %d gives", rep.Sequence))
		return
	}
	r.same(m, rep.Cause, rep.EventTime, want)
}

// signed checks the signature of a report: final ones have it, and it is of the
// statement that is derived from the report as it is stored.
func (r *Run) signed(rep *report) {
	switch {
	case !rep.Swarm.Final && rep.Signature == "", rep.Unmarked != "":
		return
	case !rep.Swarm.Final:
		r.find(rep.Message, SignatureWrong, "a signature", "none: the report is not final")
		return
	}
	e, err := attest.FromReport(&rep.Report, rep.Data, rep.Signature)
	if err == nil && len(r.log.Signers) > 0 {
		_, _, err = attest.Open(e, r.log.Signers...)
	}
	r.unsigned(rep.Message, err)
}

// unsigned notes why the signature of an output does not hold, if it does not.
func (r *Run) unsigned(m *Message, why error) {
	if why == nil {
		return
	}
	want := "a signature"
	if len(r.log.Signers) > 0 {
		want += " by " + attest.KeyID(r.log.Signers[0]) + ", or one before it"
	}
	r.find(m, SignatureWrong, why.Error(), want)
}

// one finds the first output with an address: of those that shadowd wrote, if there
// is one.
func (r *Run) one(name, commander, domain string, cycle int) (first *Message) {
	for _, m := range r.out {
		is := m.Name == name && m.Commander == commander && m.Domain == domain && m.Cycle == cycle && m.Foreign == ""
		if is && (first == nil || first.Unmarked != "" && m.Unmarked == "") {
			first = m
		}
	}
	return first
}

// after says whether what follows from a report must be stored by now.
func (r *Run) after(rep *report) bool {
	if rep.Swarm.Hardening.TimedOut {
		return r.ended()
	}
	in := r.inputs[rep.Swarm.In.Sequence]
	return in == nil || r.processed(in)
}

// turns goes through OUT as the engine did and asks the very [shadow.View]
// that it asked. Every rejection must be one that the log gave reason for when
// it was stored; wrong has what should have been instead. What is left of the
// view in the end says which submissions take a place.
func (r *Run) turns() (wrong map[*Message]string) {
	v := shadow.NewView(r.ID, r.ticks)
	arrivals := map[uint64]*shadow.Arrival{}
	for _, m := range r.in {
		if m.Foreign != "" || m.Name == shadow.EnvelopeSealed || m.Name == shadow.Tick {
			continue
		}
		a := arrivalOf(m)
		arrivals[m.Sequence] = a
		if m.Name != shadow.ReportReviewed {
			v.Add(m.Source(), a)
		}
	}
	if r.commitment != nil {
		v.Sealed = shadow.Place{Sequence: r.commitment.Sequence, Time: r.commitment.Time}
		v.Commitment, v.Domains = &r.com, r.domains
	}
	wrong = map[*Message]string{}
	for _, m := range r.out {
		switch m.Name {
		case shadow.GapReport:
			if rep := r.report(m.Domain, m.Cycle); rep != nil && rep.Message == m {
				v.Reports[shadow.Slot{Domain: m.Domain, Cycle: m.Cycle}] = rep.stored()
			}
		case shadow.RunReviewed:
			if seq := m.Address.Sequence; m.Foreign == "" && m.Unmarked == "" && r.reviewed[seq] == nil {
				r.reviewed[seq] = m
				var d shadow.ReviewedData
				if m.Unreadable == "" && Decode(m, &d) == nil {
					v.Review(shadow.Slot{Domain: d.Domain, Cycle: d.Review.Cycle}, d.Line())
				}
			}
		case shadow.EventRejected:
			in := r.inputs[m.Address.Sequence]
			a := arrivals[m.Address.Sequence]
			if a == nil || m.Unmarked != "" {
				continue
			}
			var rej shadow.Rejection
			if m.Unreadable == "" && Decode(m, &rej) == nil {
				if want := r.unfounded(&v, a, in, &rej); want != "" {
					wrong[m] = want
				}
			}
			v.Remove(in.Source(), a)
			v.Refused = v.Refused || in.Name == shadow.DecompositionDone
		}
	}
	r.view = &v
	return wrong
}

// turn asks whether it was the turn of a report's event, or of its deadline if the
// event is nil: the same that the engine asks, in the state of the log before the
// report.
func (r *Run) turn(rep, prev *report, in *Message) shadow.Turn {
	v := *r.view
	v.Reports = map[shadow.Slot]*shadow.StoredReport{}
	if prev != nil {
		v.Reports[prev.slot()] = prev.stored()
	}
	if in == nil {
		turn := v.EndOfCycle(rep.slot())
		if turn.Step != shadow.DoTimeOut {
			r.find(rep.Message, Undue, "a missed deadline, stored at "+stamp(rep.Time), said(turn)+"; the deadline is "+stamp(r.deadline(rep.Cycle, prev)))
		}
		return turn
	}
	turn := v.Submission(arrivalOf(in), 0)
	if turn.Step != shadow.DoJudge || turn.Holder.Sequence != rep.Swarm.In.Sequence {
		r.find(rep.Message, Undue, fmt.Sprintf("a report on the event at %d of IN", rep.Swarm.In.Sequence), said(turn))
	}
	return turn
}

// said says what the turn of an event was instead.
func said(t shadow.Turn) string {
	switch {
	case t.Refusal != nil:
		return "none: " + t.Refusal.Error()
	case t.Step == shadow.DoJudge:
		return fmt.Sprintf("one on the event at %d of IN, which came first", t.Holder.Sequence)
	case t.Await == shadow.AwaitReport:
		return fmt.Sprintf("none yet: the report of domain %q, cycle %d, is awaited", t.Slot.Domain, t.Slot.Cycle)
	}
	return "none yet: " + t.Await.String() + " is awaited"
}

func arrivalOf(m *Message) *shadow.Arrival {
	a := &shadow.Arrival{Place: shadow.Place{Sequence: m.Sequence, Time: m.Time}, Malformed: m.Refusal != nil, Commander: m.Commander, Digest: m.Digest}
	if s := m.Submission; s != nil {
		a.Domain, a.BundleID, a.Cycle = s.Bundle.Domain, s.Bundle.BundleID, s.Cycle
	}
	return a
}

// founded says whether an event could be rejected as it was in a state of the
// log, and else what its turn is in the last one. Reports of its own slot may have
// come since it was decided.
func founded(v *shadow.View, in *Message, a *shadow.Arrival, rej *shadow.Rejection) (bool, shadow.Turn) {
	holds, turn := rejects(v, in, a, rej)
	if in.Submission != nil && !holds {
		before := *v
		for _, cycle := range []int{a.Cycle, a.Cycle - 1} {
			slot := shadow.Slot{Domain: a.Domain, Cycle: cycle}
			if rep := v.Reports[slot]; cycle < a.Cycle && rep != nil && rep.In < a.Sequence {
				break // what a fix answers is read before the fix is refused
			}
			before.Reports = maps.Clone(before.Reports)
			delete(before.Reports, slot)
			if holds, _ = rejects(&before, in, a, rej); holds {
				break
			}
		}
	}
	if at := a.Sequence; !holds && (v.Sealed.Sequence == 0 || v.Sealed.Sequence > at) {
		unsealed := shadow.NewView(v.RunID, v.Ticks)
		unsealed.Refused = v.Refused
		for _, d := range v.Decompositions() {
			if d.Sequence <= at {
				unsealed.Add(shadow.Source{}, d)
			}
		}
		holds, _ = rejects(&unsealed, in, a, rej)
	}
	return holds, turn
}

// rejects says whether an event is rejected, for the same reason and in the same words
// (those of run_unknown say how long it waited), and else what its turn is.
func rejects(v *shadow.View, in *Message, a *shadow.Arrival, rej *shadow.Rejection) (_ bool, turn shadow.Turn) {
	if in.Decomposition != nil {
		turn = v.Decomposition(a)
	} else {
		turn = v.Submission(a, 0)
	}
	return turn.Step == shadow.DoReject && turn.Refusal.Reason == rej.Reason && (rej.Reason == shadow.RunUnknown || says(rej, turn.Refusal)), turn
}
