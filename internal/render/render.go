// Package render shows scores: in words, as Markdown for a pull request, as a
// page, as JUnit XML, as workflow annotations, and as the public JSON.
//
// Every rendering says what is advisory and what observe mode let through, so
// that neither can be mistaken for a plain score. What is quoted comes from
// bundles and is untrusted: each rendering escapes it by the rules of its own
// format, and drops control characters.
package render

import (
	"fmt"
	"slices"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Subject is one thing that was scored: the bundle of a domain, or the results
// of a test suite.
type Subject struct {
	Name  string // "jwt-1/architecture", or the name of a file
	Score *shadow.ScoreReport
	// Swarm is what the report of a bundle has beside its score; nil for a
	// test suite.
	Swarm *shadow.Swarm
	// Passed names the sealed tests that were passed.
	Passed []string
}

// Of makes a subject of a gap report.
func Of(r *shadow.Report) Subject {
	s := Subject{Name: r.Swarm.RunID + "/" + r.Swarm.Domain, Score: &r.ScoreReport, Swarm: &r.Swarm}
	for n := range r.SealedTests.Total {
		id := fmt.Sprintf("sc-%02d", n+1) // as the envelope numbers them
		if !slices.ContainsFunc(r.Failures, func(f shadow.Failure) bool { return f.TestName == id }) {
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

// Observed tells whether gates were not enforced: whatever the score, the gate
// says proceed.
func (s *Subject) Observed() bool { return s.Swarm != nil && !s.Swarm.Gate.Enforced }

// undecided tells whether a failure is a criterion that could not be judged.
func (s *Subject) undecided(test string) bool {
	return s.Swarm != nil && slices.Contains(s.Swarm.Undecided, test)
}

// headline is the score in one line, such as
// "12.5 % minor (1 of 8 not passed)".
func (s *Subject) headline() string {
	t := s.Score.SealedTests
	return fmt.Sprintf("%s %% %s (%d of %d not passed)", s.Score.Report.ShadowScore, s.Score.Report.Level, t.Failed, t.Total)
}

// gate is what consensus services should do, in words; empty for a test suite.
func (s *Subject) gate() string {
	if s.Swarm == nil {
		return ""
	}
	if s.Observed() {
		return string(s.Swarm.Gate.Action) + " (observe mode: gates are not enforced)"
	}
	return string(s.Swarm.Gate.Action)
}

func joined(reasons []string) string {
	out := ""
	for i, r := range reasons {
		if i > 0 {
			out += "; "
		}
		out += shadow.Printable(r)
	}
	return out
}

// Icon is the spec's indicator of a level.
func Icon(l shadow.Level) string {
	switch l {
	case shadow.Perfect:
		return "✅"
	case shadow.Minor:
		return "🟢"
	case shadow.Moderate:
		return "🟡"
	case shadow.Significant:
		return "🟠"
	}
	return "🔴"
}
