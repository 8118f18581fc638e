// Package render shows scores: in words, as Markdown for a pull request, as a
// page, as JUnit XML, as workflow annotations, and as the public JSON.
//
// Every rendering says how much of a bundle was read, what is advisory, and what
// observe mode let through, so that none of these can be mistaken for a plain
// score. What is quoted comes from
// bundles and is untrusted: each rendering escapes it by the rules of its own
// format, and drops control characters.
package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

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
	ID string
	// Scored is the run's last word; nil while a domain is not final.
	Scored *shadow.RunData
	// Missing are the domains of which no bundle came, or none yet.
	Missing []string

	// What follows is known where a run was read from its log.

	Task       string
	Commitment *shadow.Commitment
	// Sealed is when the commitment was stored, and Ended when the run was
	// scored.
	Sealed, Ended time.Time
	// Awaited are the domains without a report, in place of Missing.
	Awaited []Awaited
	// Withheld: the run is under way, and nothing here holds sealed text.
	Withheld bool
}

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
	Attempts []Attempt
	// Passed names the sealed tests that were passed, without those that do not
	// apply.
	Passed []string
	// Outcomes says of each of Score.Failures, by its index, why the test was
	// not passed. Failures beyond its end are of tests that failed.
	Outcomes []Outcome
}

// Outcome is why a test was not passed.
type Outcome int

// The outcomes of a test that was not passed.
const (
	Failed  Outcome = iota
	Errored         // it broke off, or could not be judged
	Skipped         // it was not run
)

// Of makes a subject of a gap report.
func Of(r *shadow.Report) Subject {
	s := Subject{Name: r.Swarm.RunID + "/" + r.Swarm.Domain, Score: &r.ScoreReport, Swarm: &r.Swarm}
	if r.Swarm.SealBroken != "" {
		return s // nothing was passed, though no failure is listed
	}
	for n := range r.SealedTests.Total {
		id := fmt.Sprintf("sc-%02d", n+1) // as the envelope numbers them
		failed := slices.ContainsFunc(r.Failures, func(f shadow.Failure) bool { return f.TestName == id })
		if !failed && !slices.Contains(r.Swarm.NotApplicable, id) {
			s.Passed = append(s.Passed, id)
		}
	}
	return s
}

// Advisory is why the score is not authoritative; empty if it is.
func (s *Subject) Advisory() string {
	h := &s.Score.Report
	if s.Swarm != nil && len(s.Swarm.AdvisoryReasons) > 0 {
		return joined(s.Swarm.AdvisoryReasons)
	}
	if h.Advisory != nil && *h.Advisory {
		if h.AdvisoryReason == "" {
			return "no reason is given"
		}
		return shadow.Printable(h.AdvisoryReason)
	}
	return ""
}

// Pending tells whether a fix is awaited, so that the score is not the last
// word.
func (s *Subject) Pending() bool { return s.Swarm != nil && !s.Swarm.Final }

// Observed tells whether gates were not enforced: whatever the score, the gate
// says proceed.
func (s *Subject) Observed() bool { return s.Swarm != nil && !s.Swarm.Gate.Enforced }

// hardened tells whether a fix was asked for.
func (s *Subject) hardened() bool {
	return s.Swarm != nil && s.Score.Hardening != nil && (s.Swarm.Cycle > 0 || s.Swarm.Hardening.Requested)
}

// undecided tells whether a failure is a criterion that could not be judged.
func (s *Subject) undecided(test string) bool {
	return s.Swarm != nil && slices.Contains(s.Swarm.Undecided, test)
}

// outcome is why the test of the i-th failure was not passed.
func (s *Subject) outcome(i int) Outcome {
	switch {
	case s.undecided(s.Score.Failures[i].TestName):
		return Errored
	case i < len(s.Outcomes):
		return s.Outcomes[i]
	}
	return Failed
}

// headline is the score in one line, such as
// "12.5 % minor (1 of 8 not passed, 4 of 9 items read)".
func (s *Subject) headline() string {
	t := s.Score.SealedTests
	text := fmt.Sprintf("%s (%d of %d not passed", s.score(), t.Failed, t.Total)
	if read := s.read(); read != "" {
		text += ", " + read
	}
	return text + ")"
}

// score is the score in a few words, such as "12.5 % minor", or "unread, 0.0 %
// so far".
func (s *Subject) score() string { return ScoreText(s.Score.Report.ShadowScore, s.level()) }

// level is the level of the score in words.
func (s *Subject) level() string {
	_, word := LevelText(s.Score.Report.Level, s.unread())
	return word
}

// icon is the indicator of the level.
func (s *Subject) icon() string {
	icon, _ := LevelText(s.Score.Report.Level, s.unread())
	return icon
}

// gate is what consensus services should do, in words; empty for a test suite.
func (s *Subject) gate() string {
	if s.Swarm == nil {
		return ""
	}
	if s.Observed() {
		return action(s) + " (observe mode: gates are not enforced)"
	}
	return action(s)
}

func action(s *Subject) string { return shadow.Printable(string(s.Swarm.Gate.Action)) }

// unread counts the subjects of which too little was read.
func (d *Document) unread() (n int) {
	for i := range d.Subjects {
		if d.Subjects[i].unread() {
			n++
		}
	}
	return n
}

// MedianUnread tells whether a median is no judgement: half of the scores that
// it is made of, or more, are of unread bundles.
func MedianUnread(unread, domains int) bool { return unread > 0 && 2*unread >= domains }

// median is a run's last word in one line, such as
// "median 12.5 % minor of 5 domains, 30 of 45 items read"; empty while there is
// none.
func (d *Document) median() string {
	if d.Run == nil || d.Run.Scored == nil {
		return ""
	}
	r, unread := d.Run.Scored, d.unread()
	_, level := LevelText(r.Level, MedianUnread(unread, len(r.Domains)))
	text := fmt.Sprintf("median %s %% %s", r.Median, level)
	if level == unreadLevel {
		text = fmt.Sprintf("%s, median %s %% so far", level, r.Median)
	}
	text += " of " + Count(len(r.Domains), "domain")
	if unread > 0 {
		text += fmt.Sprintf(", %d of them unread", unread)
	}
	if read := ReadText(r.Read); read != "" {
		text += ", " + read
	}
	if r.Incomplete {
		text += ", incomplete"
	}
	return text
}

// runIcon is the indicator of a scored run's level.
func (d *Document) runIcon() string {
	r := d.Run.Scored
	icon, _ := LevelText(r.Level, MedianUnread(d.unread(), len(r.Domains)))
	return icon
}

// suspect says which criteria may be at fault themselves; empty if none is.
func (r *Run) suspect() string {
	if r.Scored == nil {
		return ""
	}
	return SuspectText(r.Scored)
}

// SuspectText says which criteria failed in every domain where they apply;
// empty if none did.
func SuspectText(r *shadow.RunData) string {
	if len(r.Suspect) == 0 {
		return ""
	}
	if len(r.Suspect) == 1 {
		return joinedWith(r.Suspect, "") + " failed in every domain where it applies: the criterion or the task may be at fault"
	}
	return joinedWith(r.Suspect, ", ") + " failed in every domain where they apply: the criteria or the task may be at fault"
}

// doubt is why a run's median is no plain one; empty if it is.
func (r *Run) doubt() string {
	switch {
	case r.Scored == nil:
		return ""
	case r.Scored.Incomplete:
		return "the run ended without all of its bundles"
	case r.Scored.Advisory:
		return "at least one score of the run is advisory"
	}
	return ""
}

// missing says which domains have no report; empty if all have one.
func (r *Run) missing() string {
	if len(r.Missing) == 0 {
		return ""
	}
	if r.Scored == nil {
		return "no bundle yet of " + joinedWith(r.Missing, ", ")
	}
	return "no bundle came of " + joinedWith(r.Missing, ", ")
}

// notScored says that a run has no last word yet; empty if it has.
func (r *Run) notScored() string {
	if r.Scored != nil {
		return ""
	}
	return "The run is not scored yet: these are not all of its final reports."
}

// Count is a number of things, such as "1 item" or "3 items".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func criteria(n int) string {
	if n == 1 {
		return "1 criterion"
	}
	return fmt.Sprintf("%d criteria", n)
}

// Percent is a score such as "12.5 %".
func Percent(s shadow.Score) string { return s.Percent().String() + " %" }

func joined(reasons []string) string { return joinedWith(reasons, "; ") }

func joinedWith(texts []string, between string) string {
	clean := make([]string, len(texts))
	for i, t := range texts {
		clean[i] = shadow.Printable(t)
	}
	return strings.Join(clean, between)
}
