package audit

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// follow checks that what must follow from the reports is stored, and nothing
// beside it.
func (r *Run) follow() {
	if r.commitment == nil {
		return
	}
	due := map[*Message]bool{}
	for _, name := range slices.Sorted(maps.Keys(r.reports)) {
		for _, cycle := range slices.Sorted(maps.Keys(r.reports[name])) {
			rep := r.reports[name][cycle]
			if rep.Swarm.Hardening.Requested {
				r.request(rep, due)
			}
			if rep.Swarm.Final {
				r.notice(rep, due)
				r.attestation(rep, due)
			}
		}
	}
	for _, m := range r.out {
		switch {
		case m.Foreign != "" || due[m]:
		case m.Name == shadow.HardeningRequest && r.twice(m, due) == nil:
			r.find(m, RequestUnasked, m.Subject, "no request")
		case m.Name == shadow.BundleQuarantined && r.twice(m, due) == nil:
			r.find(m, NoticeUndue, m.Subject, "no notice")
		case m.Name == shadow.Attestation && r.twice(m, due) == nil:
			r.find(m, AttestationUndue, m.Subject, "no attestation: no report of the domain is final")
		}
	}
	for _, m := range r.timers {
		r.timerDue(m)
	}
	r.runScored()
}

// twice is the message that is due on the subject of m, or nil: that m is
// there too was said already.
func (r *Run) twice(m *Message, due map[*Message]bool) *Message {
	for o := range due {
		if o.Subject == m.Subject {
			return o
		}
	}
	return nil
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
func (r *Run) request(rep *report, due map[*Message]bool) {
	s, p := &rep.Swarm, &r.com.Policy
	want := shadow.Request(&rep.Report, p, rep.Time)
	m := r.one(shadow.HardeningRequest, s.CommanderID, rep.Domain, rep.Cycle+1)
	if m != nil {
		due[m] = true
		r.caused(m, rep.Cause, rep.EventTime)
		r.requestData(m, want)
	} else if r.after(rep) && r.exam != nil {
		if r.exam.Leaks(string(encode(want))) {
			r.find(rep.Message, RequestWithheld, "no hardening request", "")
		} else {
			r.missing(rep.Domain, rep.Cycle+1, RequestMissing, "no hardening request", fmt.Sprintf("the one that the report at %d gives", rep.Sequence))
		}
	}
	if r.after(rep) {
		r.timer(rep.Domain, rep.Cycle+1, want.Deadline)
	}
}

func (r *Run) requestData(m *Message, want *shadow.HardeningData) {
	if m.Unreadable != "" || bytes.Equal(m.Data, encode(want)) {
		return
	}
	var have shadow.HardeningData
	if Decode(m, &have) != nil {
		return // output said so
	}
	if !have.Deadline.Equal(want.Deadline) {
		r.find(m, RequestDeadline, stamp(have.Deadline), stamp(want.Deadline))
		if have.Deadline = want.Deadline; bytes.Equal(encode(have), encode(want)) {
			return
		}
	}
	r.find(m, RequestDiffers, fmt.Sprintf("%d issues, cycle %d, data %s", len(have.Issues), have.Cycle, shadow.Digest(m.Data)),
		fmt.Sprintf("%d issues, cycle %d, data %s", len(want.Issues), want.Cycle, shadow.Digest(encode(want))))
}

// notice checks the quarantine notice of a final report.
func (r *Run) notice(rep *report, due map[*Message]bool) {
	want := shadow.Notice(&rep.Report)
	if want == nil {
		return
	}
	m := r.one(shadow.BundleQuarantined, "", rep.Domain, 0)
	switch {
	case m == nil && r.after(rep) && (r.exam == nil || !r.exam.Leaks(string(encode(want)))):
		r.missing(rep.Domain, rep.Cycle, NoticeMissing, "no bundle-quarantined", fmt.Sprintf("the one that the report at %d gives", rep.Sequence))
	case m != nil:
		due[m] = true
		r.caused(m, rep.Cause, rep.EventTime)
		if m.Unreadable == "" && !bytes.Equal(m.Data, encode(want)) {
			r.find(m, NoticeDiffers, "data "+shadow.Digest(m.Data), "data "+shadow.Digest(encode(want)))
		}
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
