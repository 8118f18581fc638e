package audit

import (
	"bytes"
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// undue are the findings about outputs that no report gives.
var undue = map[string]Code{shadow.HardeningRequest: RequestUnasked, shadow.BundleQuarantined: NoticeUndue, shadow.Attestation: AttestationUndue}

// follow checks that what must follow from the reports is stored, and nothing
// beside it.
func (r *Run) follow() {
	if r.commitment == nil {
		return
	}
	for _, rep := range r.inOrder() {
		if rep.Swarm.Hardening.Requested {
			r.request(rep)
		}
		if rep.Swarm.Final {
			r.notice(rep)
			r.attestation(rep)
		}
	}
	for _, m := range r.out {
		// That an output is there twice was said already.
		if code := undue[m.Name]; code != "" && m.Foreign == "" && !r.due[m.Subject] {
			r.find(m, code, m.Subject, "nothing: no report gives it")
		}
	}
	for _, m := range r.timers {
		r.timerDue(m)
	}
	r.runScored()
}

// derived checks that an output is stored which follows from a report, and
// returns it if its data are not want.
func (r *Run) derived(rep *report, name, commander string, cycle int, want []byte, missing Code) *Message {
	m := r.one(name, commander, rep.Domain, cycle)
	switch {
	case m != nil:
	case !r.after(rep), r.exam == nil && name == shadow.HardeningRequest: // with a broken seal nobody is asked for a fix
		return nil
	case r.exam != nil && r.exam.Leaks(string(want)):
		r.find(rep.Message, Withheld, "no "+name, "")
		return nil
	default:
		r.missing(rep.Domain, rep.Cycle, missing, "no "+name, fmt.Sprintf("the one that the report at %d gives", rep.Sequence))
		return nil
	}
	r.due[m.Subject] = true
	r.caused(m, rep.Cause, rep.EventTime)
	if m.Unreadable != "" || bytes.Equal(m.Data, want) {
		return nil
	}
	return m
}

// differs notes that an output has other data than follow from its report. The
// texts are not repeated: a request quotes failures.
func (r *Run) differs(m *Message, code Code, want []byte) {
	r.find(m, code, "data "+shadow.Digest(m.Data), "data "+shadow.Digest(want))
}

// one finds the first output with an address.
func (r *Run) one(name, commander, domain string, cycle int) *Message {
	for _, m := range r.out {
		if m.Name == name && m.Commander == commander && m.Domain == domain && m.Cycle == cycle && m.Foreign == "" {
			return m
		}
	}
	return nil
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

// request checks the hardening request of a report that asks for a fix.
func (r *Run) request(rep *report) {
	request := shadow.Request(&rep.Report, &r.com.Policy, rep.Time)
	want := encode(request)
	var have shadow.HardeningData
	if m := r.derived(rep, shadow.HardeningRequest, rep.Swarm.CommanderID, rep.Cycle+1, want, RequestMissing); m != nil && Decode(m, &have) == nil {
		if have.Deadline.Equal(request.Deadline) {
			r.differs(m, RequestDiffers, want)
		} else {
			r.find(m, RequestDeadline, stamp(have.Deadline), stamp(request.Deadline))
		}
	}
	if r.after(rep) {
		r.timer(rep.Domain, rep.Cycle+1, request.Deadline)
	}
}

// notice checks the quarantine notice of a final report.
func (r *Run) notice(rep *report) {
	notice := shadow.Notice(&rep.Report)
	if notice == nil {
		return
	}
	want := encode(notice)
	if m := r.derived(rep, shadow.BundleQuarantined, "", 0, want, NoticeMissing); m != nil {
		r.differs(m, NoticeDiffers, want)
	}
}

// timer checks that a deadline has its timer. A run's has no domain.
func (r *Run) timer(domain string, cycle int, deadline time.Time) {
	for _, m := range r.timers {
		if m.Domain == domain && m.Cycle == cycle {
			return // timerDue looks at it
		}
	}
	r.missing(domain, cycle, TimerMissing, "no timer", "one that fires at "+stamp(deadline))
}

// timerDue checks that something asks for a timer, and when.
func (r *Run) timerDue(m *Message) {
	deadline := r.com.Policy.RunDeadline(r.commitment.Time)
	if m.Domain != "" {
		rep := r.report(m.Domain, m.Cycle-1)
		if rep == nil || !rep.Swarm.Hardening.Requested {
			r.find(m, TimerUndue, m.Subject, "no timer: no report asks for that fix")
			return
		}
		deadline = r.com.Policy.FixDeadline(rep.Time)
	}
	switch {
	case m.Fired && m.Time.Before(deadline):
		r.find(m, TimerWrong, "fired at "+stamp(m.Time), "not before "+stamp(deadline))
	case !m.Fired && !m.Schedule.Equal(deadline):
		r.find(m, TimerWrong, "set to "+stamp(m.Schedule), stamp(deadline))
	}
}
