package audit

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// processed says whether all that follows from an event must be stored.
func (r *Run) processed(m *Message) bool { return m != nil && m.Sequence <= r.log.Floor.Events }

// ended says whether all that follows from the run must be stored.
func (r *Run) ended() bool {
	return r.scored != nil || r.commitment != nil && r.commitment.Sequence < r.log.Floor.Runs
}

// outcomes checks that each event has exactly one.
func (r *Run) outcomes() {
	wrong := r.turns()
	for _, m := range r.in {
		if m.Name != shadow.EnvelopeSealed && m.Name != shadow.Tick || m.Foreign != "" {
			r.outcome(m, wrong)
		}
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
		if r.processed(m) {
			r.find(m, NoOutcome, "nothing", "a report or a rejection")
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
		return m.Review != nil && r.reviewed[m.Sequence] != nil, false
	}
	rep := r.report(m.Submission.Bundle.Domain, m.Submission.Cycle)
	if rep == nil || rep.Swarm.Hardening.TimedOut || rep.Swarm.CommanderID != m.Commander {
		return false, false
	}
	place = rep.Swarm.In.Sequence == m.Sequence
	return place, !place && rep.Swarm.BundleDigest == m.Digest
}

func (r *Run) report(domain string, cycle int) *report {
	return r.reports[shadow.Slot{Domain: domain, Cycle: cycle}]
}

// outputs checks what shadowd stored one by one: each once, each the event
// that its subject asks for, each valid under its schema.
func (r *Run) outputs() {
	seen := map[string]bool{}
	for _, m := range r.out {
		r.output(m, seen)
	}
	for _, m := range r.in {
		if m.Name == shadow.EnvelopeSealed || m.Name == shadow.Tick {
			r.output(m, seen)
		}
	}
}

func (r *Run) output(m *Message, seen map[string]bool) {
	if m.Unmarked != "" {
		r.find(m, NotOwn, m.Unmarked, "the mark that the envelope key here makes of it")
	}
	switch {
	case m.Foreign != "":
		r.find(m, BadOutput, m.Subject, m.Foreign)
		return
	case seen[m.Subject]:
		r.find(m, StoredTwice, m.Subject+" again", "one message on it, stored once")
		return
	case m.Unreadable != "":
		r.find(m, BadOutput, m.Unreadable, "a CloudEvent")
		return
	}
	seen[m.Subject] = m.Unmarked == "" // behind what is forged shadowd may store its own
	if want := shadow.Type(m.Name); m.ID != m.WantID || m.Type != want {
		r.find(m, BadOutput, fmt.Sprintf("id %q, type %q", m.ID, m.Type), fmt.Sprintf("id %q, type %q", m.WantID, want))
	}
	if err := shadow.Validate(m.Name, m.Data); err != nil {
		r.find(m, BadOutput, err.Error(), "data that keep the schema of "+m.Name)
	}
}

// caused checks which event an output says that it comes from, and of what
// time it is: both follow from what caused it.
func (r *Run) caused(m *Message, cause string, at time.Time) {
	if m.Unreadable == "" && (m.Cause != cause || !m.EventTime.Equal(at)) {
		r.find(m, BadOutput, fmt.Sprintf("causationid %q, time %s", m.Cause, stamp(m.EventTime)), fmt.Sprintf("causationid %q, time %s", cause, stamp(at)))
	}
}

// leaks searches everything but the gap reports, and their reviews, for sealed text. A rejection
// quotes the event that it is about, whose author may have guessed well.
func (r *Run) leaks() {
	if r.exam == nil {
		return
	}
	for _, m := range append(r.out[:len(r.out):len(r.out)], r.commitments()...) {
		var quoted []string
		if in := r.inputs[m.Address.Sequence]; in != nil && m.Name == shadow.EventRejected {
			quoted = []string{in.ID, in.Subject, string(in.Data)}
		}
		// The notices of a commitment name fields of the decomposition.
		if r.done != nil && m.Name == shadow.EnvelopeSealed {
			quoted = []string{string(r.done.Data)}
		}
		if m.Name != shadow.GapReport && m.Name != shadow.RunReviewed && r.exam.Leaks(string(m.Raw), quoted...) {
			r.find(m, SealedText, m.Subject+" holds sealed text", "no assertion, expectation, check or decoy")
		}
	}
}

// Decode reads the data of a message that was readable.
func Decode(m *Message, v any) error { return json.Unmarshal(m.Data, v) }

// encode writes data the way that shadowd stores them, or is nil.
func encode(v any) []byte {
	data, _ := shadow.Encode(v)
	return data
}

// rejection checks that a rejection is about its event; want is what should be
// in its place, if anything.
func (r *Run) rejection(m, in *Message, want string) {
	var rej shadow.Rejection
	if m.Unreadable != "" || Decode(m, &rej) != nil {
		return // output said so
	}
	same := rej.In.Sequence == in.Sequence && rej.In.Time.Equal(in.Time) && rej.Stream == In && rej.Subject == shadow.Printable(in.Subject) &&
		rej.RunID == in.Run && m.Author == in.Author && rej.Resubmit == rej.Reason.Hint()
	if !same {
		r.find(m, RejectionPlace, fmt.Sprintf("%s at %d, %s, run %q, for %q", rej.Subject, rej.In.Sequence, stamp(rej.In.Time), rej.RunID, m.Author),
			fmt.Sprintf("%s at %d, %s, run %q, for %q, with the hint of its reason", shadow.Printable(in.Subject), in.Sequence, stamp(in.Time), in.Run, in.Author))
	}
	cause := in.ID
	if rej.Reason == shadow.CannotProcess && m.Cause == "" {
		cause = "" // it may not even have been read
	}
	r.caused(m, cause, in.Time)
	if want != "" {
		r.find(m, RejectionWrong, string(rej.Reason)+": "+rej.Message, want)
	}
}

// unfounded says why a rejection should not be, or is empty. What depends on
// the configuration of the day, on a queue or on a defect is taken at its word.
func (r *Run) unfounded(v *shadow.View, a *shadow.Arrival, in *Message, rej *shadow.Rejection) string {
	switch rej.Reason {
	case shadow.CannotProcess, shadow.TooManyWaiting:
		return ""
	case shadow.TooLarge:
		return unfoundedSize(in, rej)
	}
	switch f := in.Refusal; {
	case f != nil && !says(rej, f):
		return f.Error()
	case f != nil, rej.Reason == shadow.CannotSeal && in.Decomposition != nil:
		return ""
	case r.log.FirstIn > 1 && r.done == nil, r.commitment != nil && r.domains == nil:
		return "" // what it rests on has expired, or was never right
	case in.Review != nil:
		return r.unfoundedReview(v, in, rej)
	}
	holds, turn := founded(v, in, a, rej)
	switch {
	case holds:
		return ""
	case turn.Refusal != nil:
		return turn.Refusal.Error()
	}
	return "no such rejection: the log gives no reason for it"
}

// says reports whether a rejection is by a refusal.
func says(rej *shadow.Rejection, f *shadow.Refusal) bool {
	return f != nil && rej.Reason == f.Reason && rej.Limit == f.Limit && rej.Message == shadow.Printable(f.Message)
}

func unfoundedSize(in *Message, rej *shadow.Rejection) string {
	if in.Submission == nil {
		return "another reason: it is no bundle"
	}
	b := &in.Submission.Bundle
	content := shadow.Limits{ContentBytes: rej.Limit}
	shown := shadow.Limits{ContentBytes: len(b.Content), JudgedBytes: rej.Limit}
	if !says(rej, content.Bundle(b)) && !says(rej, shown.Bundle(b)) {
		return fmt.Sprintf("no such rejection: the content has %d bytes, and the bundle takes %d to show to a judge", len(b.Content), b.ShownBytes())
	}
	return ""
}

// deadline is the last moment at which a submission of a cycle is in time;
// the zero time where that is not known.
func (r *Run) deadline(cycle int, prev *report) time.Time {
	switch {
	case cycle == 0:
		return r.com.Policy.RunDeadline(r.commitment.Time)
	case prev != nil:
		return r.com.Policy.FixDeadline(prev.Time)
	}
	return time.Time{}
}
