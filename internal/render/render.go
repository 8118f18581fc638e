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
