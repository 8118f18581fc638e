package audit

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
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
	if err := schemas.Validate(m.Name, m.Data); err != nil {
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
		if r.done != nil && m.Name == shadow.EnvelopeSealed {
			quoted = []string{string(r.done.Data)}
		}
		if m.Name != shadow.GapReport && r.exam.Leaks(string(m.Raw), quoted...) {
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
