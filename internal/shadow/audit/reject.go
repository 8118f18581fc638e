package audit

import (
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// rejection checks that a rejection is about its event, and that its reason
// holds as far as it can be derived.
func (r *Run) rejection(m, in *Message) {
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
	if want := r.unfounded(m, in, &rej); want != "" {
		r.find(m, RejectionWrong, string(rej.Reason)+": "+rej.Message, want)
	}
}

// unfounded says why a rejection should not be, or is empty. What depends on
// the configuration of the day, on a queue or on a defect is taken at its word.
func (r *Run) unfounded(m, in *Message, rej *shadow.Rejection) string {
	switch rej.Reason {
	case shadow.CannotProcess:
		return ""
	case shadow.TooLarge:
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
	if f := in.Refusal; f != nil {
		if rej.Reason != f.Reason || rej.Message != shadow.Printable(f.Message) {
			return string(f.Reason) + ": " + f.Message
		}
		return ""
	}
	if in.Decomposition != nil {
		return r.unfoundedSeal(in, rej)
	}
	switch rej.Reason {
	case shadow.NotAnEvent, shadow.InvalidData, shadow.IDMismatch:
		return "no such rejection: the event is well formed"
	case shadow.OtherContent, shadow.CannotSeal:
		return "another reason: it is no decomposition"
	case shadow.TooManyWaiting:
		return ""
	case shadow.RunUnknown, shadow.RunRejected:
		if r.commitment != nil && r.commitment.Sequence < in.Sequence {
			return fmt.Sprintf("no such rejection: the run was sealed at %d", r.commitment.Sequence)
		}
		return ""
	}
	return r.unfoundedSlot(m, in, rej)
}

func (r *Run) unfoundedSeal(in *Message, rej *shadow.Rejection) string {
	switch rej.Reason {
	case shadow.CannotSeal:
		return ""
	case shadow.OtherContent:
		if r.commitment != nil && r.com.DecompositionDigest != in.Digest || r.commitment == nil && r.log.FirstIn > 1 {
			return "" // the other one, or may have expired
		}
		for _, o := range r.named(shadow.DecompositionDone) {
			if o.Sequence < in.Sequence && o.Digest != in.Digest {
				return ""
			}
		}
		return "no such rejection: the run has no other decomposition"
	}
	return "a reason that a decomposition can have"
}

// unfoundedSlot judges the reasons that have to do with the place that a
// submission asks for. r.domains is nil where nothing is known of the run.
func (r *Run) unfoundedSlot(m, in *Message, rej *shadow.Rejection) string {
	b, cycle := &in.Submission.Bundle, in.Submission.Cycle
	if r.commitment == nil || r.domains == nil {
		return ""
	}
	dom := r.domain(b.Domain)
	mine := dom != nil && dom.CommanderID == b.CommanderID
	if rej.Reason == shadow.NotYourDomain {
		if mine {
			return "no such rejection: the domain is this commander's"
		}
		return ""
	}
	if !mine {
		return string(shadow.NotYourDomain)
	}
	rep, prev := r.report(b.Domain, cycle), r.report(b.Domain, cycle-1)
	deadline := r.deadline(cycle, prev)
	switch rej.Reason {
	case shadow.SlotTaken, shadow.FixTaken:
		if (rej.Reason == shadow.FixTaken) != (cycle > 0) {
			return "the other one of slot_taken and fix_taken"
		}
		if rep != nil && rep.Swarm.BundleDigest != in.Digest {
			return ""
		}
		if o := r.first(dom, cycle, prev, deadline); o != nil && o.Digest != in.Digest {
			return ""
		}
		return "no such rejection: no other submission has its place"
	case shadow.FixNotAsked:
		if prev != nil && prev.Swarm.Hardening.Requested && cycle <= r.com.Policy.MaxCycles && prev.Time.Before(m.Time) {
			return fmt.Sprintf("no such rejection: the report at %d asks for the fix", prev.Sequence)
		}
		return ""
	case shadow.FixOtherBundle:
		if prev != nil && prev.Swarm.BundleID == b.BundleID {
			return "no such rejection: it is the bundle that was judged"
		}
		return ""
	case shadow.Late:
		if !in.Time.After(deadline) && (rep == nil || !rep.Swarm.Hardening.TimedOut) {
			return "no such rejection: it was stored at " + stamp(in.Time) + ", the deadline was " + stamp(deadline)
		}
		return ""
	}
	return "a reason that the protocol has"
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
