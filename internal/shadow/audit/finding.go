package audit

import (
	"cmp"
	"slices"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Severity tells what makes an audit fail from what it mentions.
type Severity string

// The severities. An audit with notes alone is clean.
const (
	Error Severity = "error"
	Note  Severity = "note"
)

// Finding is something that an audit has to say. It holds no sealed text, but may
// quote what others wrote.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Run      string   `json:"run,omitempty"`
	Domain   string   `json:"domain,omitempty"`
	Event    string   `json:"event,omitempty"`
	Cycle    int      `json:"cycle"` // of the domain, if that is set
	Stream   string   `json:"stream,omitempty"`
	Sequence uint64   `json:"sequence,omitempty"` // of the bucket the revision; 0 of what is missing
	Stored   string   `json:"stored"`             // what is there
	Want     string   `json:"want"`               // what should be
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

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Code names a kind of finding: what an operator acts on in the same way has the
// same one. Codes are stable.
type Code string

// Kind says how severe a finding is and what it means.
type Kind struct {
	Severity Severity
	Says     string
}

// Codes says what each code means. Those that it calls notes do not make an
// audit fail.
var Codes = map[Code]Kind{}

func code(c Code, s Severity, says string) Code {
	Codes[c] = Kind{s, says}
	return c
}

// The codes.
var (
	Missing = code("missing", Error, "an output that follows from what is stored is not there")
	Undue   = code("undue", Error, "an output is stored that nothing stored gives, or before its time")
	Differs = code("differs", Error, "an output is not what is derived")

	BadOutput   = code("bad-output", Error, "an output is not one that shadowd writes: its subject, its event or its data break the protocol")
	StoredTwice = code("stored-twice", Error, "an output is stored more than once on its subject")
	NotOwn      = code("not-own", Error, "an output bears no mark, or a wrong one: somebody else wrote or changed it")
	SealedText  = code("sealed-text", Error, "an output that is not a gap report holds sealed text")

	NoCommitment    = code("no-commitment", Error, "there is an envelope, or outputs, of a run that was never committed to")
	NoDecomposition = code("no-decomposition", Error, "the decomposition that was committed to is not in IN before the commitment")
	SealDiffers     = code("seal-differs", Error, "the commitment or the envelope does not follow from the decomposition")
	EnvelopeMissing = code("envelope-missing", Error, "a run was committed to and its envelope is gone")
	EnvelopeClosed  = code("envelope-closed", Error, "the envelope was sealed with another key, so the run cannot be audited whole")
	SealBroken      = code("seal-broken", Error, "the bucket holds another envelope than the one that was committed to")
	SealAfterBundle = code("seal-after-bundle", Error, "a bundle was stored before the commitment and its report does not say so")

	NoOutcome      = code("no-outcome", Error, "an event was acknowledged and has neither a report nor a rejection")
	TwoOutcomes    = code("two-outcomes", Error, "an event has more than one outcome")
	RejectionPlace = code("rejection-place", Error, "a rejection names another place, author or hint than its event has")
	RejectionWrong = code("rejection-wrong", Error, "the reason of a rejection does not hold")

	ReportInput  = code("report-input", Error, "what a report judges is not in IN, was changed there, or is no submission for that report")
	VerdictWrong = code("verdict", Error, "judged again, the bundle fails other criteria, or the seal is whole that the report calls broken")
	GateWrong    = code("gate", Error, "a report's score, level, gate or request for a fix does not follow from its verdicts")
	VoteWrong    = code("vote", Error, "a report has ballots or votes that its judges cannot have given, or not all of them")

	SignatureWrong = code("signature", Error, "a final report, or a review of one, is not signed by a key of this shadowd")
	OpenedEarly    = code("opened-early", Error, "the envelope was opened by the operator before the run's end")
	NoteWrong      = code("note-wrong", Error, "the note of an opening contradicts the log")

	UnderWay     = code("under-way", Note, "an event or a deadline is being worked on, so its outcome is not awaited yet")
	Expired      = code("expired", Note, "what this part of the run rests on has expired from IN, so it was not audited")
	CopyRejected = code("copy-rejected", Note, "one copy of an event was judged and another one rejected")
	BundleFirst  = code("bundle-before-seal", Note, "a bundle was stored before the commitment, and its report says so")
	OtherChecker = code("other-checker", Note, "the envelope names another checker version than this program has, so the bundle was not judged again")
	Withheld     = code("withheld", Note, "what follows from a report was withheld, for it would hold sealed text")
	SameTask     = code("same-task", Note, "several runs have the same task")
	Removed      = code("removed", Note, "a stream has no message at some of its sequences, which have not expired: somebody removed them")
	Opened       = code("opened", Note, "the envelope was opened by the operator")
)
