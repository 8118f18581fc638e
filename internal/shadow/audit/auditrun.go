// Package audit derives again what is stored of a run and lists the
// differences. It is pure: its input is what was read of the bus, its output
// are findings.
//
// An audit derives what OUT should hold, by the functions that the engine itself
// decides by, and compares bytes. An output is missing, it is undue, or it
// differs; compare.go words the difference for all of them. One file a step:
//
//	auditrun.go  what was read, split by run
//	events.go    each output is one that shadowd writes; each event has exactly one outcome
//	seals.go     the commitment, its decomposition and the envelope; openings
//	reports.go   the report of each cycle, and its votes; compare.go what differs
//	follow.go    whose turn it was, by the log; requests, notices and signatures follow from reports
//	scored.go    reviews, and the end of the run
//	finding.go   the findings
//
// An audit guarantees that a clean log gives no error, and that what the
// protocol derives (a verdict, a number, a decision, a deadline, an order) is
// derived again and not believed. It knows shadowd's own rules only: whoever
// holds the envelope key and can write to all streams can forge a whole run,
// and that run would pass. It does not see what expired.
package audit

import (
	"cmp"
	"crypto/ed25519"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Run is what is stored of one run, ready to be audited. The run without an id
// is what belongs to none.
type Run struct {
	ID  string
	log *Log
	// in and out are the run's messages in order.
	in, out []*Message
	// rejections by the sequence of their event.
	rejections map[uint64][]*Message
	inputs     map[uint64]*Message // all of the log
	ticks      *shadow.Ticks       // of all of the log
	sealed     *Sealed

	// What the audit finds out, in the order of the files.
	commitment *Message
	com        shadow.Commitment
	done       *Message // the decomposition that was committed to
	domains    shadow.Domains
	exam       *shadow.Exam
	reports    map[shadow.Slot]*report
	view       *shadow.View // at the end of the log
	scored     *Message
	reviewed   map[uint64]*Message // what follows from a review, by its sequence: the first of each
	due        map[string]bool     // subjects of outputs that a report gives
	findings   []Finding
}

// report is a stored gap report.
type report struct {
	*Message
	shadow.Report
}

func (r *report) slot() shadow.Slot { return shadow.Slot{Domain: r.Domain, Cycle: r.Cycle} }

// before is a report as what the next one follows from; nil for none.
func (r *report) before() *shadow.Report {
	if r == nil {
		return nil
	}
	return &r.Report
}

// stored is a report as views have it; nil for none.
func (r *report) stored() *shadow.StoredReport {
	if r == nil {
		return nil
	}
	return shadow.Stored(&r.Report, shadow.Place{Sequence: r.Sequence, Time: r.Time})
}

// Begun says whether the run was ever decomposed, as far as what is left of it
// tells: events may name a run that nobody has decomposed.
func (r *Run) Begun() bool {
	tells := func(m *Message) bool {
		return m.Name != shadow.BundleComplete && m.Name != shadow.FixSubmitted && m.Name != shadow.ReportReviewed && m.Name != shadow.EventRejected
	}
	return r.ID != "" && (slices.ContainsFunc(r.in, tells) || slices.ContainsFunc(r.out, tells))
}

// Split parts a log by run, in the order of their ids. Runs of one log may be
// audited at the same time.
func Split(l *Log) []*Run {
	runs := map[string]*Run{}
	inputs := make(map[uint64]*Message, len(l.In))
	ticks := &shadow.Ticks{}
	of := func(id string) *Run {
		r := runs[id]
		if r == nil {
			r = &Run{ID: id, log: l, inputs: inputs, ticks: ticks, rejections: map[uint64][]*Message{}, reports: map[shadow.Slot]*report{}, reviewed: map[uint64]*Message{}, due: map[string]bool{}}
			runs[id] = r
		}
		return r
	}
	for _, m := range l.In {
		inputs[m.Sequence] = m
		if m.Name == shadow.Tick && m.Unmarked == "" && m.Foreign == "" {
			ticks.Add(shadow.Place{Sequence: m.Sequence, Time: m.Time})
		}
		r := of(m.Run)
		r.in = append(r.in, m)
	}
	for _, m := range l.Out {
		run := m.Run
		if m.Name == shadow.EventRejected {
			run = rejectedRun(m, inputs)
		}
		r := of(run)
		r.out = append(r.out, m)
		if m.Name == shadow.EventRejected && m.Unmarked == "" { // else it is no outcome, to shadowd neither
			r.rejections[m.Address.Sequence] = append(r.rejections[m.Address.Sequence], m)
		}
	}
	for id, s := range l.Envelopes {
		of(id).sealed = s
	}
	return slices.SortedFunc(maps.Values(runs), func(a, b *Run) int { return cmp.Compare(a.ID, b.ID) })
}

// rejectedRun is the run of the event that a rejection is about. The log is
// asked first: what the rejection says may be wrong.
func rejectedRun(m *Message, inputs map[uint64]*Message) string {
	if in := inputs[m.Address.Sequence]; in != nil {
		return in.Run
	}
	var rej shadow.Rejection
	if Decode(m, &rej) != nil {
		return ""
	}
	return rej.RunID
}

// Audit audits one run.
func (r *Run) Audit() []Finding {
	r.outputs()
	r.scored = r.one(shadow.RunScored, "", "", 0)
	r.readReports()
	r.seal()
	r.openings()
	r.outcomes()
	r.allReports()
	r.follow()
	r.reviews()
	return r.findings
}

// Shared lists runs that have the same task, once they have been audited: a Nexus
// that rolls again until it likes the score leaves this trace.
func Shared(runs []*Run) (findings []Finding) {
	byHash := map[string][]string{}
	for _, r := range runs {
		if h := r.com.TaskHash; h != "" {
			byHash[h] = append(byHash[h], r.ID)
		}
	}
	for _, h := range slices.Sorted(maps.Keys(byHash)) {
		if ids := byHash[h]; len(ids) > 1 {
			findings = append(findings, Finding{Code: SameTask, Severity: Note, Run: ids[0],
				Stored: strconv.Itoa(len(ids)) + " runs of task " + h + ": " + clip.List(ids, 10, ", "), Want: "one run a task, or a reason to repeat it"})
		}
	}
	return findings
}

// Gaps notes where messages are gone that had not expired. Whoever removes an event with
// all that followed from it leaves no other trace.
func (l *Log) Gaps() (findings []Finding) {
	for _, s := range []struct {
		name  string
		count uint64
	}{{In, l.GapsIn}, {Out, l.GapsOut}} {
		if s.count > 0 {
			findings = append(findings, Finding{Code: Removed, Severity: Note, Stream: s.name,
				Stored: "no message at " + strconv.FormatUint(s.count, 10) + " of its sequences", Want: "a message at each, or somebody who says what was removed and why"})
		}
	}
	return findings
}

// The names of the streams, as messages have them.
const (
	In  = "IN"
	Out = "OUT"
)

// Log is what is stored of one or more runs.
type Log struct {
	// In and Out are the streams' messages, in order.
	In, Out []*Message
	// Envelopes are the bucket's, by run.
	Envelopes map[string]*Sealed
	// FirstIn and FirstOut are the sequences below which messages of the
	// streams may have expired: 1 where they are kept for ever.
	FirstIn, FirstOut uint64
	// GapsIn and GapsOut are how many sequences of the streams behind these have no message.
	GapsIn, GapsOut uint64
	// KeptSince is the moment before which messages of IN may have expired;
	// zero where they are kept for ever.
	KeptSince time.Time
	// Signers are the keys that final reports may be signed with; none: their
	// signatures are not checked.
	Signers []ed25519.PublicKey
	// Floor is how far shadowd had come before the log was read.
	Floor Floor
}

// Floor is how far shadowd has come: every event of IN up to Events has its outcome,
// and the runs that were committed to before Runs are scored. Out is the end of OUT.
type Floor struct{ Events, Runs, Out uint64 }

// Sealed is an entry of the bucket.
type Sealed struct {
	// Envelope was opened, or Err says why it was not: [shadow.ErrWrongKey]
	// or [shadow.ErrSealBroken].
	Envelope *shadow.Envelope
	Err      error
	Revision uint64
	Time     time.Time
}

// Message is a stored message.
type Message struct {
	Stream   string
	Sequence uint64
	Time     time.Time
	Subject  string
	shadow.Address
	// Foreign is why the subject is none of the protocol's; empty if it is.
	Foreign string
	// ID, Type, Cause and EventTime are the event's attributes, and WantID
	// is the id that its subject asks for; Data is the event's data. An output
	// that is not such an event as shadowd writes says why in Unreadable.
	ID, WantID, Type, Cause string
	Signature               string // of a final report or a run-reviewed
	SignedBy                string // the nkey that signed a review; empty: none
	EventTime               time.Time
	Data                    []byte
	Unreadable              string
	// Unmarked says why nothing shows that shadowd wrote an output; empty if its
	// mark does.
	Unmarked string
	// Raw is all that is stored of an output, headers included.
	Raw []byte
	// Refusal is what is wrong with an input by itself, if anything; else one
	// of Decomposition, Submission and Review is set, unless it is a commitment or a
	// tick.
	Refusal       *shadow.Refusal
	Decomposition *shadow.Decomposition
	Submission    *shadow.Submission
	Review        *shadow.Review
	// Ignored says which fields of its data nobody reads.
	Ignored []string
	Digest  string
}
