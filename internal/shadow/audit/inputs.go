package audit

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// settled says whether a message has been acknowledged, so that all that
// follows from it must be stored.
func (r *Run) settled(m *Message) bool {
	switch {
	case m == nil:
		return false
	case m.Stream == Out:
		return m.Sequence <= r.log.Settled.Clock
	case m.Name == shadow.DecompositionDone:
		return m.Sequence <= r.log.Settled.Seal
	}
	return m.Sequence <= r.log.Settled.Judge
}

// outcomes checks that each event has exactly one.
func (r *Run) outcomes() {
	wrong := r.turns()
	for _, m := range r.in {
		if m.Name == shadow.EnvelopeSealed && m.Foreign == "" {
			continue
		}
		r.outcome(m, wrong)
	}
	for seq, rejections := range r.rejections {
		for _, m := range rejections {
			if r.inputs[seq] == nil && !r.expired(shadow.Place{Sequence: seq, Time: m.EventTime}) {
				r.find(m, Undue, fmt.Sprintf("a rejection of the event at %d of IN", seq), "an event there")
			}
		}
	}
}

func (r *Run) outcome(m *Message, wrong map[*Message]string) {
	rejections := r.rejections[m.Sequence]
	place, copied := r.acceptedAs(m)
	switch {
	case len(rejections) > 1:
		r.find(rejections[1], TwoOutcomes, fmt.Sprintf("a second rejection of event %d", m.Sequence), "one")
	case len(rejections) == 1 && place:
		r.find(m, TwoOutcomes, "judged or sealed, and rejected at "+fmt.Sprint(rejections[0].Sequence), "one of the two")
	case len(rejections) == 1 && copied:
		r.find(m, CopyRejected, "rejected, though another copy of it was judged or sealed", "")
	case len(rejections) == 0 && !place && !copied:
		if r.settled(m) {
			r.find(m, NoOutcome, "nothing", "a report or a rejection; events that came while scoring was disabled have neither")
		} else {
			r.find(m, UnderWay, "an event without an outcome so far", "")
		}
	}
	for _, rej := range rejections {
		r.rejection(rej, m, wrong[rej])
	}
}

// acceptedAs says whether an event was accepted in its very place, or as a
// copy of one that was.
func (r *Run) acceptedAs(m *Message) (place, copied bool) {
	if m.Decomposition != nil {
		same := r.commitment != nil && m.Digest == r.com.DecompositionDigest
		return same && m == r.done, same
	}
	if m.Submission == nil {
		return false, false
	}
	rep := r.report(m.Submission.Bundle.Domain, m.Submission.Cycle)
	if rep == nil || rep.Swarm.Hardening.TimedOut || rep.Swarm.CommanderID != m.Commander {
		return false, false
	}
	if rep.Swarm.In.Sequence == m.Sequence {
		return true, false
	}
	return false, rep.Swarm.BundleDigest == m.Digest
}

func (r *Run) report(domain string, cycle int) *report {
	return r.reports[shadow.Slot{Domain: domain, Cycle: cycle}]
}
