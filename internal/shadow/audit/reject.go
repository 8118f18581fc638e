package audit

import (
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

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
	if rej.Reason == shadow.CannotProcess {
		r.caused(m, "", in.Time) // the event was not even read
	} else {
		r.caused(m, in.ID, in.Time)
	}
	if want != "" {
		r.find(m, RejectionWrong, string(rej.Reason)+": "+rej.Message, want)
	}
}

// unfounded says why a rejection should not be, or is empty. What depends on
// the configuration of the day, on a queue or on a defect is taken at its word.
func (r *Run) unfounded(v *shadow.View, a *shadow.Arrival, in *Message, rej *shadow.Rejection) string {
	switch rej.Reason {
	case shadow.CannotProcess:
		return ""
	case shadow.TooLarge:
		return unfoundedSize(in, rej)
	}
	if f := in.Refusal; f != nil {
		if rej.Reason != f.Reason || rej.Message != shadow.Printable(f.Message) {
			return string(f.Reason) + ": " + f.Message
		}
		return ""
	}
	ev := &shadow.Event{Submission: a}
	if in.Decomposition != nil {
		ev = &shadow.Event{Decomposition: a}
	}
	switch {
	case rej.Reason == shadow.CannotSeal && ev.Decomposition != nil, rej.Reason == shadow.TooManyWaiting && ev.Submission != nil:
		return ""
	case r.log.FirstIn > 1 && r.done == nil, r.commitment != nil && r.domains == nil:
		return "" // what it rests on has expired, or was never right
	}
	holds, turn := founded(v, ev, rej)
	switch {
	case holds:
		return ""
	case turn.Step == shadow.DoReject:
		return string(turn.Reason) + ": " + turn.Message
	}
	return "no such rejection: the log gives no reason for it"
}

func unfoundedSize(in *Message, rej *shadow.Rejection) string {
	if in.Submission == nil {
		return "another reason: it is no bundle"
	}
	size, allowed := 0, 0
	_, err := fmt.Sscanf(rej.Message, "the bundle's content has %d bytes, %d are allowed", &size, &allowed)
	if n := len(in.Submission.Bundle.Content); err != nil || size != n || n <= allowed {
		return fmt.Sprintf("no such rejection: the content has %d bytes", n)
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
