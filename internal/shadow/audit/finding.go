package audit

import (
	"cmp"
	"slices"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Severity tells what makes an audit fail from what it mentions.
type Severity string

// The severities. An audit with notes alone is clean.
const (
	Error Severity = "error"
	Note  Severity = "note"
)

// Finding is something that an audit has to say. It holds no sealed text;
// Stored may quote what others wrote, so whoever prints it escapes it.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Run      string   `json:"run,omitempty"`
	Domain   string   `json:"domain,omitempty"`
	// Event is the name of what the finding is about; timers are "clock".
	Event string `json:"event,omitempty"`
	// Cycle is meant only where Domain is set.
	Cycle int `json:"cycle"`
	// Stream and Sequence are the place of what the finding is about; for the
	// bucket, the sequence is the revision. Zero where something is missing.
	Stream   string `json:"stream,omitempty"`
	Sequence uint64 `json:"sequence,omitempty"`
	// Stored is what is there, Want what should be.
	Stored string `json:"stored"`
	Want   string `json:"want"`
}

// Result is the outcome of an audit. Runs are those that were decomposed: events
// of others are audited too. Errors and Notes count the findings.
type Result struct {
	Runs     int       `json:"runs"`
	Events   int       `json:"events"`
	Outputs  int       `json:"outputs"`
	Errors   int       `json:"errors"`
	Notes    int       `json:"notes"`
	Findings []Finding `json:"findings"`
}

// Sort orders findings by run, domain, cycle and place.
func Sort(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Cycle, b.Cycle),
			cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Code, b.Code))
	})
}

// find notes a finding about a message, or about the run where m is nil.
func (r *Run) find(m *Message, code Code, stored, want string) {
	f := Finding{Code: code, Severity: Codes[code].Severity, Run: r.ID, Stored: stored, Want: want}
	if m != nil {
		f.Domain, f.Cycle, f.Event, f.Stream, f.Sequence = m.Domain, m.Cycle, m.Name, m.Stream, m.Sequence
		if m.Submission != nil {
			f.Domain, f.Cycle = m.Submission.Bundle.Domain, m.Submission.Cycle
		}
	}
	r.findings = append(r.findings, f)
}

// missing notes that an output is not there.
func (r *Run) missing(name, domain string, cycle int, want string) {
	r.find(&Message{Stream: Out, Address: shadow.Address{Name: name, Domain: domain, Cycle: cycle}}, Missing, "nothing", want)
}

// bucket notes a finding about the run's entry of the bucket.
func (r *Run) bucket(code Code, stored, want string) { r.find(r.entry(), code, stored, want) }

// entry is the run's entry of the bucket, as findings name it.
func (r *Run) entry() *Message {
	m := &Message{Stream: "SHADOW_ENVELOPES"}
	if r.sealed != nil {
		m.Sequence = r.sealed.Revision
	}
	return m
}

// some lists the first of many ids.
func some(ids []string) string { return clip.List(ids, 10, ", ") }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
