package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

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
