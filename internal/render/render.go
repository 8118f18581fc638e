// Package render shows scores: in words, as Markdown for a pull request, as a page, as JUnit XML, and as the public
// JSON.
//
// Every rendering says what was made of items and criteria, what nobody judged, what is advisory, and what observe
// mode let through, so that none of these can be mistaken for a plain score. It names the verdict by the word of the
// report. What is quoted comes from bundles and is untrusted: each rendering escapes it by the rules of its own
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
	"github.com/swarmspeed/shadowd/internal/text/clip"
)

// Document is what a rendering shows.
type Document struct {
	// Run is the sum of a run where all of it is shown; nil otherwise.
	Run *Run
	// Subjects are shown in their order.
	Subjects []*Subject
}

// Run is a whole run beside its subjects.
type Run struct {
	*history.Run
	// Withheld: the run is under way, and nothing here holds sealed text.
	Withheld bool
}

// Sealed is when the commitment was stored, zero where that is not known.
func (r *Run) Sealed() time.Time { return r.Stored[r.Commitment] }

// Subject is one thing that was scored: the bundle of a domain, or the results of a test suite.
type Subject struct {
	Name  string // "jwt-1/architecture", or the name of a file
	Score *shadow.ScoreReport
	// Swarm is what the report of a bundle has beside its score; nil for a test suite.
	Swarm *shadow.Swarm
	// Run is the run of the report; nil where it is not known.
	Run *history.Run
	// Review is what a person said of the report; nil if nobody did.
	Review *shadow.ReviewedData
	// Passed names the sealed tests that were passed.
	Passed []string
	// Outcomes say of Score.Failures, by index, why the test was not passed; beyond their end it failed.
	Outcomes []results.Status
}

// Of makes a subject of a gap report.
func Of(r *shadow.Report) *Subject {
	s := &Subject{Name: r.Swarm.RunID + "/" + r.Swarm.Domain, Score: &r.ScoreReport, Swarm: &r.Swarm}
	for i := range r.Swarm.Criteria {
		if c := &r.Swarm.Criteria[i]; c.Outcome == shadow.Passed {
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
		s.Run, s.Review = r, r.Review(rep)
		d.Subjects = append(d.Subjects, s)
	}
	return d
}

// Look is how a verdict is shown: its indicator, its word and a colour.
type Look struct {
	Icon, Word string
	// Open: not all was judged, so that the score is no last word.
	Open   bool
	colour Style
}

var looks = map[shadow.Word]Look{
	shadow.WordUnread:               {Icon: "⚪", Open: true, colour: Yellow},
	shadow.WordUndecided:            {Icon: "⚪", Open: true, colour: Yellow},
	shadow.WordSealBroken:           {Icon: "⛔", colour: Red},
	shadow.Word(shadow.Perfect):     {Icon: "✅", colour: Green},
	shadow.Word(shadow.Minor):       {Icon: "🟢", colour: Green},
	shadow.Word(shadow.Moderate):    {Icon: "🟡", colour: Yellow},
	shadow.Word(shadow.Significant): {Icon: "🟠", colour: Yellow},
}

// LookOf is how the verdict of a report or a run is shown.
func LookOf(w shadow.Word) Look {
	l, known := looks[w]
	if !known {
		l = Look{Icon: "🔴", colour: Red}
	}
	l.Word = words(w)
	return l
}

// Score is a score with its verdict, such as "12.5 % minor", or "unread, 0.0 % so far".
func (l Look) Score(percent string) string {
	if l.Open {
		return fmt.Sprintf("%s, %s %% so far", l.Word, percent)
	}
	return fmt.Sprintf("%s %% %s", percent, l.Word)
}

// Look is how a scored run is shown.
func (d *Document) Look() Look { return LookOf(d.Run.Scored.Verdict) }

// Median is the result of a run, such as "median 12.5 % minor of 5 domains; 45 items: 40 found"; empty while there is none.
func (d *Document) Median() string {
	if d.Run == nil || d.Run.Scored == nil {
		return ""
	}
	r := d.Run.Scored
	text := d.Look().Score("median "+r.Median.String()) + " of " + shadow.Count(len(r.Domains), "domain")
	if r.Incomplete {
		text += ", incomplete"
	}
	if r.Counts.Items > 0 {
		text += "; " + r.Counts.String()
	}
	return text
}

// Unassigned says which requirements nobody was asked for; empty if all were.
func (r *Run) Unassigned() string {
	var ids []string
	if r.Scored != nil {
		ids = r.Scored.Unassigned
	} else if r.Commitment != nil {
		ids = r.Commitment.Unassigned
	}
	if len(ids) == 0 {
		return ""
	}
	return "no domain's assignment names these requirements, so nobody was asked for them: " + shadow.Printable(clip.List(ids, 10, ", "))
}

// anyAdvisory is why a run is advisory for nothing but its domains.
const anyAdvisory = "at least one score of the run is advisory"

// AdvisoryText is why a run's median is no plain one; empty if it is.
func (r *Run) AdvisoryText() string {
	var why []string
	switch {
	case r.Scored == nil:
	case r.Scored.Incomplete:
		why = append(why, "the run ended without all of its bundles")
	case r.Scored.Advisory:
		why = append(why, anyAdvisory)
	}
	if lost := joined(r.Lost(), ", "); lost != "" {
		why = append(why, "the reports of "+lost+" are not there")
	}
	return strings.Join(why, "; ")
}

// maxRejected is how many rejections of a run are told.
const maxRejected = 10

// RejectedTexts are the newest rejected events, a line each. Who writes bundles chooses what run they name.
func (r *Run) RejectedTexts() (lines []string) {
	all := r.Rejected
	if n := len(all) - maxRejected; n > 0 {
		lines, all = append(lines, fmt.Sprintf("%s, and behind them:", shadow.Count(n, "event"))), all[n:]
	}
	for _, rej := range all {
		lines = append(lines, fmt.Sprintf("%s: %s (%s)", rej.Reason, shadow.Printable(rej.Message), shadow.Printable(rej.Subject)))
	}
	return lines
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

// Problems says what keeps a document from passing a gate: not final, advisory, not there, or let through by no gate.
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
	for _, s := range d.Subjects {
		whole := s.Review != nil && s.Review.Review.Verdict != shadow.ReviewItems // then the score does not decide
		advisory = advisory && !whole
		if why := s.Advisory(); why != "" && !whole {
			advisory = false
			add("the shadow score of %s is advisory: %s", s.Name, why)
		}
		if r := s.Run; r != nil && len(r.Signers) > 0 && s.swarm().Final {
			if err := attest.Signed(r.Attested[s.Swarm.Domain], r.Signers...); err != nil {
				add("the report of %s is not by this shadowd: %w", s.Name, err)
			}
		}
		switch gate := s.swarm().Gate; {
		case s.Pending():
			add("the shadow score of %s is not final: a fix is awaited", s.Name)
		case s.Observed():
			add("the gate of %s is not enforced, so it lets everything pass: set gates.enforce to true; it says %s", s.Name, shadow.Printable(gate.Reason))
		case s.Review != nil:
			if after := &s.Review.After; after.Gate != shadow.Proceed && after.Gate != shadow.Warn {
				add("the gate of %s says %s after a review: %s", s.Name, after.Gate, shadow.Printable(after.Reason))
			}
		case gate.Action != shadow.Proceed && gate.Action != shadow.Warn:
			add("the gate of %s says %s: %s", s.Name, gate.Action, shadow.Printable(gate.Reason))
		}
	}
	if advisory { // and nothing above says why
		add("the median of run %s is advisory", d.Run.ID)
	}
	return wrong
}
