package audit

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
	"github.com/swarmspeed/shadowd/schemas"
)

// outputs checks what shadowd stored one by one: each once, each the event
// that its subject asks for, each valid under its schema.
func (r *Run) outputs() {
	seen := map[string]bool{}
	for _, m := range r.out {
		r.output(m, seen)
	}
	for _, m := range r.in {
		if m.Name == shadow.EnvelopeSealed {
			r.output(m, seen)
		}
	}
}

func (r *Run) output(m *Message, seen map[string]bool) {
	switch {
	case m.Foreign != "":
		r.find(m, ForeignOutput, m.Subject, m.Foreign)
		return
	case seen[m.Subject]:
		r.find(m, StoredTwice, m.Subject+" again", "one message on it, stored once")
		return
	case m.Unreadable != "":
		r.find(m, BadEvent, m.Unreadable, "a CloudEvent")
		return
	}
	seen[m.Subject] = true
	if want := shadow.Type(m.Name); m.ID != m.WantID || m.Type != want {
		r.find(m, BadEvent, fmt.Sprintf("id %q, type %q", m.ID, m.Type), fmt.Sprintf("id %q, type %q", m.WantID, want))
	}
	if err := schemas.Validate(m.Name, m.Data); err != nil {
		r.find(m, BadData, err.Error(), "data that keep the schema of "+m.Name)
	}
}

// caused checks which event an output says that it comes from, and of what
// time it is: both follow from what caused it.
func (r *Run) caused(m *Message, cause string, at time.Time) {
	if m.Unreadable == "" && (m.Cause != cause || !m.EventTime.Equal(at)) {
		r.find(m, BadEvent, fmt.Sprintf("causationid %q, time %s", m.Cause, stamp(m.EventTime)), fmt.Sprintf("causationid %q, time %s", cause, stamp(at)))
	}
}

// leaks searches everything but the gap reports for sealed text. A rejection
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
		if done := r.decompositionDone(); done != nil && m.Name == shadow.EnvelopeSealed {
			quoted = []string{string(done.Data)}
		}
		if m.Name != shadow.GapReport && r.exam.Leaks(string(m.Raw), quoted...) {
			r.find(m, SealedText, m.Subject+" holds sealed text", "no assertion, expectation, check or decoy")
		}
	}
}

// find notes a finding about a message, or about the run where m is nil.
func (r *Run) find(m *Message, code Code, stored, want string) {
	f := Finding{Code: code, Severity: Codes[code].Severity, Run: r.ID, Stored: stored, Want: want}
	if m != nil {
		f.Domain, f.Cycle, f.Stream, f.Sequence = m.Domain, m.Cycle, m.Stream, m.Sequence
		if m.Submission != nil {
			f.Domain, f.Cycle = m.Submission.Bundle.Domain, m.Submission.Cycle
		}
	}
	r.findings = append(r.findings, f)
}

// missing notes that something about a domain's cycle is not there.
func (r *Run) missing(domain string, cycle int, code Code, stored, want string) {
	r.find(&Message{Stream: Out, Address: Address{Domain: domain, Cycle: cycle}}, code, stored, want)
}

// bucket notes a finding about the run's entry of the bucket.
func (r *Run) bucket(code Code, stored, want string) {
	m := &Message{Stream: "SHADOW_ENVELOPES"}
	if r.sealed != nil {
		m.Sequence = r.sealed.Revision
	}
	r.find(m, code, stored, want)
}

// differ notes a finding if two values are not the same.
func differ[T comparable](r *Run, m *Message, code Code, what string, stored, want T) {
	if stored != want {
		r.find(m, code, fmt.Sprintf("%s is %v", what, stored), fmt.Sprint(want))
	}
}

// same notes a finding if a stored report and a derived one do not say the same
// of something. What of gives is shown as JSON, if it is no string.
func (r *Run) same(rep *report, want *shadow.Report, code Code, of func(*shadow.Report) any) {
	text := func(rep *shadow.Report) string {
		if s, ok := of(rep).(string); ok {
			return s
		}
		return string(encode(of(rep)))
	}
	if have, want := text(&rep.Report), text(want); have != want {
		r.find(rep.Message, code, have, want)
	}
}

// Decode reads the data of a message that was readable.
func Decode(m *Message, v any) error { return json.Unmarshal(m.Data, v) }

// encode writes data the way that shadowd stores them, or is nil.
func encode(v any) []byte {
	data, _ := shadow.Encode(v)
	return data
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// some lists the first of many ids.
func some(ids []string) string { return clip.List(ids, 10, ", ") }
