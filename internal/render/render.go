// Package render shows scores: in words, as Markdown for a pull request, as a
// page, as JUnit XML, and as the public JSON.
//
// Every rendering says how much of a bundle was read, what is advisory, and what
// observe mode let through, so that none of these can be mistaken for a plain
// score. What is quoted comes from
// bundles and is untrusted: each rendering escapes it by the rules of its own
// format, and drops control characters.
package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/results"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// Document is what a rendering shows.
type Document struct {
	// Run is the sum of a run where all of it is shown; nil otherwise.
	Run *Run
	// Subjects are shown in their order.
	Subjects []Subject
}

// Run is a whole run beside its subjects.
type Run struct {
	*history.Run
	// Awaited are the domains without a bundle, in place of Missing.
	Awaited []Awaited
	// Withheld: the run is under way, and nothing here holds sealed text.
	Withheld bool
}

// Sealed is when the commitment was stored, zero where that is not known.
func (r *Run) Sealed() time.Time { return r.Stored[r.Commitment] }

// Awaited is a domain without a report.
type Awaited struct {
	Domain, Commander string
	// Received is when a bundle of this commander came that has no report yet;
	// zero if none did.
	Received time.Time
}

// Subject is one thing that was scored: the bundle of a domain, or the results
// of a test suite.
type Subject struct {
	Name  string // "jwt-1/architecture", or the name of a file
	Score *shadow.ScoreReport
	// Swarm is what the report of a bundle has beside its score; nil for a
	// test suite.
	Swarm *shadow.Swarm
	// Attested is what is signed about the report, as it is stored; nil if
	// nothing is.
	Attested *attest.Envelope
	// Attempts are the submissions that led to the score, where they are known.
	Attempts []attempt
	// Passed names the sealed tests that were passed, without those that do not
	// apply.
	Passed []string
	// Outcomes says of each of Score.Failures, by its index, why the test was
	// not passed. Failures beyond its end are of tests that failed.
	Outcomes []results.Status
}

// attempt is one submission of a domain, as the log has it. Times are zero
// where they are not known.
type attempt struct {
	Report *shadow.Report
	Stored time.Time
	// Request is the hardening request that followed, or nil.
	Request     *shadow.HardeningData
	RequestedAt time.Time
}

// Of makes a subject of a gap report.
func Of(r *shadow.Report) Subject {
	s := Subject{Name: r.Swarm.RunID + "/" + r.Swarm.Domain, Score: &r.ScoreReport, Swarm: &r.Swarm}
	for _, c := range s.Criteria() {
		if c.Outcome == shadow.Passed {
			s.Passed = append(s.Passed, c.ID)
		}
	}
	return s
}

// OfRun makes a document of a run and of some of its reports.
func OfRun(r *history.Run, reports []*shadow.Report) *Document {
	d := &Document{Run: &Run{Run: r}}
	for _, rep := range reports {
		s := Of(rep)
		s.Attempts, s.Attested = attempts(r, rep), r.Attested[rep.Swarm.Domain]
		d.Subjects = append(d.Subjects, s)
	}
	return d
}

// attempts are the submissions of a domain up to a report.
func attempts(r *history.Run, upTo *shadow.Report) (all []attempt) {
	domain := upTo.Swarm.Domain
	for _, rep := range r.Reports[domain] {
		if rep.Swarm.Cycle > upTo.Swarm.Cycle {
			break
		}
		a := attempt{Report: rep, Stored: r.Stored[rep]}
		for _, h := range r.Requests[domain] {
			if h.Cycle == rep.Swarm.Cycle+1 {
				a.Request, a.RequestedAt = h, r.Stored[h]
			}
		}
		all = append(all, a)
	}
	return all
}

// Look is how a level is shown: its indicator in the spec, its word and a colour.
type Look struct {
	Icon, Word string
	colour     Style
}

// LookUnread stands in the place of a level that is no judgement.
var LookUnread = Look{"⚪", string(shadow.Unread), Yellow}

// LookOf is how the level of a score is shown.
func LookOf(l shadow.Level, isUnread bool) Look {
	word := shadow.Printable(string(l))
	switch l.Shown(isUnread) {
	case shadow.Unread:
		return LookUnread
	case shadow.Perfect:
		return Look{"✅", word, Green}
	case shadow.Minor:
		return Look{"🟢", word, Green}
	case shadow.Moderate:
		return Look{"🟡", word, Yellow}
	case shadow.Significant:
		return Look{"🟠", word, Yellow}
	}
	return Look{"🔴", word, Red}
}

// MedianLook is how the level of a median is shown. It is no judgement where of
// half of its domains, or more, too little was read.
func MedianLook(l shadow.Level, unread, domains int) Look {
	return LookOf(l, unread > 0 && 2*unread >= domains)
}

// score is a score with its level, such as "12.5 % minor", or "unread, 0.0 % so
// far".
func (l Look) score(percent string) string {
	if l == LookUnread {
		return fmt.Sprintf("%s, %s %% so far", l.Word, percent)
	}
	return fmt.Sprintf("%s %% %s", percent, l.Word)
}

// Look is how the median of a scored run is shown.
func (d *Document) Look() Look {
	return MedianLook(d.Run.Scored.Level, d.unread(), len(d.Run.Scored.Domains))
}

// unread counts the subjects of which too little was read.
func (d *Document) unread() (n int) {
	for i := range d.Subjects {
		if d.Subjects[i].Unread() {
			n++
		}
	}
	return n
}

// Median is the result of a run in one line, such as "median 12.5 % minor of 5
// domains, 30 of 45 items read"; empty while there is none.
func (d *Document) Median() string {
	if d.Run == nil || d.Run.Scored == nil {
		return ""
	}
	r := d.Run.Scored
	text := d.Look().score("median "+r.Median.String()) + " of " + shadow.Count(len(r.Domains), "domain")
	if n := d.unread(); n > 0 {
		text += fmt.Sprintf(", %d of them unread", n)
	}
	if read := r.Read.Words(); read != "" {
		text += ", " + read
	}
	if r.Incomplete {
		text += ", incomplete"
	}
	return text
}

// Suspect says which criteria may be at fault themselves; empty if none is.
func (r *Run) Suspect() string { return suspectText(r.Scored) }

// suspectText says which criteria failed in every domain where they apply;
// empty if none did, or r is nil.
func suspectText(r *shadow.RunData) string {
	if r == nil {
		return ""
	}
	return saidOf(r.Suspect, "failed in every domain where it applies: the criterion or the task may be at fault",
		"failed in every domain where they apply: the criteria or the task may be at fault")
}

// AdvisoryText is why a run's median is no plain one; empty if it is.
func (r *Run) AdvisoryText() string {
	var why []string
	switch {
	case r.Scored == nil:
	case r.Scored.Incomplete:
		why = append(why, "the run ended without all of its bundles")
	case r.Scored.Advisory:
		why = append(why, "at least one score of the run is advisory")
	}
	if lost := joined(r.Lost(), ", "); lost != "" {
		why = append(why, "the reports of "+lost+" are not there")
	}
	return strings.Join(why, "; ")
}

// NoBundle says which domains have no bundle; empty if all have one.
func (r *Run) NoBundle() string {
	switch domains := joined(r.Missing(), ", "); {
	case domains == "":
		return ""
	case r.Scored == nil:
		return "no bundle yet of " + domains
	default:
		return "no bundle came of " + domains
	}
}

// NotScored says that a run has no last word yet; empty if it has.
func (r *Run) NotScored() string {
	if r.Scored != nil {
		return ""
	}
	return "The run is not scored yet: these are not all of its final reports."
}

// Problems says what keeps a document from passing a gate: what is not final,
// advisory, not there, or let through by no gate.
func (d *Document) Problems() (wrong []error) {
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	advisory := d.Run != nil && d.Run.Scored != nil && d.Run.Scored.Advisory
	if r := d.Run; r != nil && r.Scored == nil {
		add("run %s is not scored yet", r.ID)
	} else if r != nil {
		if r.Scored.Incomplete {
			advisory = false
			add("run %s ended without the bundles of %s", r.ID, strings.Join(r.Missing(), ", "))
		}
		if lost := r.Lost(); len(lost) > 0 {
			add("the reports of %s are not there, though run %s was scored by them", joined(lost, ", "), r.ID)
		}
	}
	for i := range d.Subjects {
		s := &d.Subjects[i]
		if why := s.Advisory(); why != "" {
			advisory = false
			add("the shadow score of %s is advisory: %s", s.Name, why)
		}
		switch gate := s.swarm().Gate; {
		case s.Pending():
			add("the shadow score of %s is not final: a fix is awaited", s.Name)
		case gate.Action != shadow.Proceed && gate.Action != shadow.Warn:
			add("the gate of %s says %s: %s", s.Name, gate.Action, shadow.Printable(gate.Reason))
		}
	}
	if advisory { // and nothing above says why
		add("the median of run %s is advisory", d.Run.ID)
	}
	return wrong
}
