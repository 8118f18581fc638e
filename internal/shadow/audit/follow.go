package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// follow derives what must follow from the reports. Each of it is stored, and
// nothing beside it.
func (r *Run) follow() {
	if r.commitment == nil {
		return
	}
	for _, rep := range r.inOrder() {
		s := &rep.Swarm
		if s.Hardening.Requested {
			r.expect(rep, shadow.HardeningRequest, s.CommanderID, rep.Cycle+1, encode(shadow.Request(&rep.Report, &r.com.Policy, rep.Time)))
		}
		if notice := shadow.Notice(&rep.Report); notice != nil {
			r.expect(rep, shadow.BundleQuarantined, "", 0, encode(notice))
		}
		if s.Final {
			r.attestation(rep)
		}
	}
	for _, m := range r.out {
		switch m.Name {
		case shadow.HardeningRequest, shadow.BundleQuarantined, shadow.Attestation:
			// That an output is there twice was said already.
			if m.Foreign == "" && !r.due[m.Subject] {
				r.find(m, Undue, m.Subject, "none: no report gives it")
			}
		}
	}
	r.deadlines()
	r.runScored()
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
	r.due[m.Subject] = true
	r.caused(m, rep.Cause, rep.EventTime)
	switch {
	case m.Unreadable != "": // output said so
	case name == shadow.Attestation:
		r.attested(m, want)
	default:
		r.differ(m, Differs, m.Data, want)
	}
}

func (r *Run) attestation(rep *report) {
	r.expect(rep, shadow.Attestation, "", 0, encode(attest.Of(&rep.Report, rep.Data)))
}

// attested checks what is signed, which is derived from the report as it is
// stored: that the report itself is right is a matter of its own.
func (r *Run) attested(m *Message, want []byte) {
	var e attest.Envelope
	if Decode(m, &e) != nil {
		return // output said so
	}
	payload, _ := e.DecodeB64Payload()
	again, err := attest.Rewritten(want, &e)
	switch {
	case !bytes.Equal(payload, want):
		r.differ(m, Differs, payload, want)
	case err != nil || len(e.Signatures) != 1:
		r.find(m, Differs, shadow.Count(len(e.Signatures), "signature"), "1 signature, in base64")
	default:
		r.differ(m, Differs, m.Data, encode(again))
	}
	// In base64 the search through all outputs sees nothing.
	if r.exam != nil && r.exam.Leaks(string(payload)) {
		r.find(m, SealedText, m.Subject+" holds sealed text", "no assertion, expectation, check or decoy")
	}
	if len(r.log.Signers) == 0 {
		return
	}
	if _, _, err := attest.Open(&e, r.log.Signers...); err != nil {
		r.find(m, SignatureWrong, err.Error(), "a signature by "+attest.KeyID(r.log.Signers[0])+", or one before it")
	}
}

// one finds the first output with an address: of those that shadowd wrote, if there
// is one.
func (r *Run) one(name, commander, domain string, cycle int) (first *Message) {
	for _, m := range r.out {
		if m.Name != name || m.Commander != commander || m.Domain != domain || m.Cycle != cycle || m.Foreign != "" {
			continue
		}
		if m.Unmarked == "" {
			return m
		}
		if first == nil {
			first = m
		}
	}
	return first
}

// after says whether what follows from a report must be stored by now.
func (r *Run) after(rep *report) bool {
	if rep.Swarm.Hardening.TimedOut {
		for _, m := range r.timers {
			if m.Fired && m.Domain == rep.Domain && m.Cycle == rep.Cycle {
				return r.settled(m)
			}
		}
		return false
	}
	in := r.inputs[rep.Swarm.In.Sequence]
	return in == nil || r.settled(in)
}

// deadlines checks that each deadline has its timer, which waits or has fired,
// and no other timer is there. The run's own has no domain.
func (r *Run) deadlines() {
	type deadline struct {
		time.Time
		awaited bool // its timer must be there by now
	}
	due := map[shadow.Slot]deadline{{}: {r.com.Policy.RunDeadline(r.commitment.Time), r.settled(r.done)}}
	for _, rep := range r.inOrder() {
		if rep.Swarm.Hardening.Requested {
			due[shadow.Slot{Domain: rep.Domain, Cycle: rep.Cycle + 1}] = deadline{r.com.Policy.FixDeadline(rep.Time), r.after(rep)}
		}
	}
	for _, m := range r.timers {
		slot := shadow.Slot{Domain: m.Domain, Cycle: m.Cycle}
		d, asked := due[slot]
		switch {
		case !asked:
			r.find(m, Undue, m.Subject, "none: no report asks for that fix")
			continue
		case m.Fired && m.Time.Before(d.Time):
			r.find(m, Differs, "fired at "+stamp(m.Time), "not before "+stamp(d.Time))
		case !m.Fired && !m.Schedule.Equal(d.Time):
			r.find(m, Differs, "set to "+stamp(m.Schedule), stamp(d.Time))
		}
		due[slot] = deadline{d.Time, false}
	}
	for slot, d := range due {
		if d.awaited {
			r.missing(shadow.Clock, slot.Domain, slot.Cycle, "a timer that fires at "+stamp(d.Time))
		}
	}
}

// turns goes through OUT as the engine did and asks the very [shadow.View.Turn]
// that it asked. Every rejection must be one that the log gave reason for when
// it was stored; wrong has what should have been instead. What is left of the
// view in the end says which submissions take a place.
func (r *Run) turns() (wrong map[*Message]string) {
	v := shadow.NewView(r.ID)
	arrivals := map[uint64]*shadow.Arrival{}
	backlogs := map[string]*backlog{}
	for _, m := range r.in {
		if m.Foreign != "" || m.Name == shadow.EnvelopeSealed {
			continue
		}
		a := arrivalOf(m)
		arrivals[m.Sequence] = a
		v.Add(m.Source(), a)
		if backlogs[m.Commander] == nil {
			backlogs[m.Commander] = &backlog{}
		}
		backlogs[m.Commander].arrived = append(backlogs[m.Commander].arrived, m.Time)
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
				if c := backlogs[rep.Swarm.CommanderID]; c != nil {
					c.settled = append(c.settled, m.Time)
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
				want := ""
				if rej.Reason == shadow.TooManyWaiting && r.log.FirstIn <= 1 { // else some may have expired
					want = backlogs[in.Commander].unfounded(&v, in, m, &rej)
				} else if rej.Reason != shadow.TooManyWaiting {
					want = r.unfounded(&v, a, in, &rej)
				}
				if want != "" {
					wrong[m] = want
				}
			}
			v.Remove(in.Source(), a)
			backlogs[in.Commander].settled = append(backlogs[in.Commander].settled, m.Time)
			v.Refused = v.Refused || in.Name == shadow.DecompositionDone
		}
	}
	r.view = &v
	return wrong
}

// turn asks whether it was the turn of a report's event, or of its timer: the
// same that the engine asks, in the state of the log before the report.
func (r *Run) turn(rep, prev *report, ev *shadow.Event) {
	v := *r.view
	v.Reports = map[shadow.Slot]*shadow.StoredReport{}
	if prev != nil {
		v.Reports[prev.slot()] = prev.stored()
	}
	turn := v.Turn(ev)
	judge := turn.Step == shadow.DoJudge && turn.Holder.Sequence == rep.Swarm.In.Sequence
	if !judge && turn.Step != shadow.DoTimeOut {
		what, want := fmt.Sprintf("a report on the event at %d of IN", rep.Swarm.In.Sequence), said(turn)
		if ev.Timer != nil {
			what, want = "a missed deadline, stored at "+stamp(rep.Time), want+"; the deadline is "+stamp(r.deadline(rep.Cycle, prev))
		}
		r.find(rep.Message, Undue, what, want)
	}
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
	a := &shadow.Arrival{Place: shadow.Place{Sequence: m.Sequence, Time: m.Time}, Read: true, Malformed: m.Refusal != nil, Commander: m.Commander, Digest: m.Digest}
	if s := m.Submission; s != nil {
		a.Domain, a.BundleID, a.Cycle = s.Bundle.Domain, s.Bundle.BundleID, s.Cycle
	}
	return a
}

// founded says whether an event could be rejected as it was in a state of the
// log, and else what its turn is in the last one. An engine may not have
// followed OUT to its end, nor IN beyond the event.
func founded(v *shadow.View, ev *shadow.Event, rej *shadow.Rejection) (bool, shadow.Turn) {
	holds, turn := rejects(v, ev, rej)
	if a := ev.Submission; !holds && a != nil {
		before := *v
		for _, cycle := range []int{a.Cycle, a.Cycle - 1} {
			slot := shadow.Slot{Domain: a.Domain, Cycle: cycle}
			if rep := v.Reports[slot]; cycle < a.Cycle && rep != nil && rep.Report.Swarm.In.Sequence < a.Sequence {
				break // what a fix answers is read before the fix is refused
			}
			before.Reports = maps.Clone(before.Reports)
			delete(before.Reports, slot)
			if holds, _ = rejects(&before, ev, rej); holds {
				break
			}
		}
	}
	if at := cmp.Or(ev.Submission, ev.Decomposition).Sequence; !holds && (v.Sealed.Sequence == 0 || v.Sealed.Sequence > at) {
		unsealed := shadow.NewView(v.RunID)
		unsealed.Refused = v.Refused
		for _, d := range v.Decompositions() {
			if d.Sequence <= at {
				unsealed.Add(shadow.Source{}, d)
			}
		}
		holds, _ = rejects(&unsealed, ev, rej)
	}
	return holds, turn
}

// rejects says whether an event is rejected, for the same reason and in the
// same words, and else what its turn is. It may have waited, and what was
// acknowledged unread while scoring was disabled is waited for by nobody.
func rejects(v *shadow.View, ev *shadow.Event, rej *shadow.Rejection) (_ bool, turn shadow.Turn) {
	for _, floor := range []uint64{math.MaxUint64, 0} {
		for _, overdue := range []time.Duration{time.Second, 0} {
			ev.SealFloor, ev.JudgeFloor, ev.Overdue = floor, floor, overdue
			turn = v.Turn(ev)
			// How long it waited is in the message of run_unknown alone.
			if turn.Step == shadow.DoReject && turn.Refusal.Reason == rej.Reason && (rej.Reason == shadow.RunUnknown || says(rej, turn.Refusal)) {
				return true, turn
			}
		}
	}
	return false, turn
}
