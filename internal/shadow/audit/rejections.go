package audit

import (
	"fmt"
	"slices"
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
		if !says(rej, f) {
			return f.Error()
		}
		return ""
	}
	ev := &shadow.Event{Submission: a}
	if in.Decomposition != nil {
		ev = &shadow.Event{Decomposition: a}
	}
	switch {
	case rej.Reason == shadow.CannotSeal && ev.Decomposition != nil:
		return ""
	case r.log.FirstIn > 1 && r.done == nil, r.commitment != nil && r.domains == nil:
		return "" // what it rests on has expired, or was never right
	}
	holds, turn := founded(v, ev, rej)
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

// backlog is when the events of a commander in a run were stored, and when those
// that have an outcome got it.
type backlog struct{ arrived, settled []time.Time }

// unfounded says why an event should not be called one too many. What had its
// outcome before the event was stored did not wait beside it.
func (c *backlog) unfounded(v *shadow.View, in, m *Message, rej *shadow.Rejection) string {
	n, limits := rej.Limit, shadow.Limits{WaitingPerRun: rej.Limit}
	unknown := says(rej, limits.Waiting(n, in.Commander, ""))
	switch {
	case n == 0, in.Name == shadow.DecompositionDone, !unknown && !says(rej, limits.Waiting(n, in.Commander, in.Run)):
		return "no such rejection"
	case unknown:
		for _, d := range v.Decompositions() {
			if !d.Malformed && d.Sequence < in.Sequence {
				return fmt.Sprintf("no such rejection: the run was decomposed at %d", d.Sequence)
			}
		}
		return "" // how many wait in other runs is taken at its word
	}
	if others := before(c.arrived, m.Time) - before(c.settled, in.Time) - 1; others < n {
		return fmt.Sprintf("no such rejection: at most %d others of the commander can have waited in the run", others)
	}
	return ""
}

// before counts the times, which are in order, that are before t.
func before(times []time.Time, t time.Time) int {
	n, _ := slices.BinarySearchFunc(times, t, time.Time.Compare)
	return n
}

func unfoundedSize(in *Message, rej *shadow.Rejection) string {
	if in.Submission == nil {
		return "another reason: it is no bundle"
	}
	limits := shadow.Limits{ContentBytes: rej.Limit}
	if !says(rej, limits.Bundle(&in.Submission.Bundle)) {
		return fmt.Sprintf("no such rejection: the content has %d bytes", len(in.Submission.Bundle.Content))
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
