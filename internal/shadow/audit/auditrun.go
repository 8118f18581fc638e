// Package audit derives again what OUT should hold of a run, by the functions that
// the engine itself decides by, and compares bytes: an output is missing, it is
// undue, or it differs. It is pure: what was read of the bus goes in, findings
// come out.
//
// A clean log gives no error, and what the protocol derives (a verdict, a number, a
// decision, a deadline, an order) is not believed. But whoever holds the envelope
// key and can write to all streams can forge a whole run that passes.
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
	ID         string
	log        *Log
	in, out    []*Message            // of the run, in order
	rejections map[uint64][]*Message // by the sequence of their event
	inputs     map[uint64]*Message   // all of the log
	ticks      *shadow.Ticks         // of all of the log
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

// Begun says whether the run was ever decomposed, as far as what is left tells.
func (r *Run) Begun() bool {
	others := []string{shadow.BundleComplete, shadow.FixSubmitted, shadow.ReportReviewed, shadow.EventRejected}
	tells := func(m *Message) bool { return !slices.Contains(others, m.Name) }
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
	In, Out   []*Message         // the streams' messages, in order
	Envelopes map[string]*Sealed // the bucket's, by run
	// FirstIn and FirstOut are the sequences below which messages may have expired: 1
	// where they are kept for ever. So many behind them have no message.
	FirstIn, FirstOut, GapsIn, GapsOut uint64
	KeptSince                          time.Time           // before it messages of IN may have expired; zero: never
	Signers                            []ed25519.PublicKey // of final reports; none: signatures are not checked
	Floor                              Floor               // how far shadowd had come before the log was read
}

// Floor is how far shadowd has come: every event of IN up to Events has its outcome,
// and the runs that were committed to before Runs are scored. Out is the end of OUT.
type Floor struct{ Events, Runs, Out uint64 }

// Sealed is an entry of the bucket.
type Sealed struct {
	Envelope *shadow.Envelope
	Err      error // why it was not opened: [shadow.ErrWrongKey] or [shadow.ErrSealBroken]
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
	// What is wrong, else empty: why the subject is none of the protocol's, why an
	// output is no event as shadowd writes them, and why nothing shows that it did.
	Foreign, Unreadable, Unmarked string
	// The event's attributes, and the id that its subject asks for.
	ID, WantID, Type, Cause string
	EventTime               time.Time
	Data                    []byte
	Raw                     []byte // all of an output, headers included
	Digest                  string
	Signature               string // of a final report or a run-reviewed
	SignedBy                string // the nkey that signed a review; empty: none
	// Refusal is what is wrong with an input by itself; else one of the others is set,
	// unless it is a commitment or a tick.
	Refusal       *shadow.Refusal
	Decomposition *shadow.Decomposition
	Submission    *shadow.Submission
	Review        *shadow.Review
	Ignored       []string // fields of its data that nobody reads
}
