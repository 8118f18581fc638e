package audit

import (
	"bytes"
	"fmt"
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
