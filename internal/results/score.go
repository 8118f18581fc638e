package results

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// noSealedTests is why the score of an empty suite is advisory.
const noSealedTests = "no sealed tests ran"

// Score scores the sealed tests. The open tests, which the implementer could
// see, are compared by category; nil if they are not known.
func Score(sealed, open *Suite) *shadow.ScoreReport {
	score := shadow.Score{Total: len(sealed.Tests)}
	r := &shadow.ScoreReport{SpecVersion: "2.0.0", Failures: []shadow.Failure{}}
	by := map[Status]int{}
	for _, t := range sealed.Tests {
		by[t.Status]++
		if t.Status == Passed {
			continue
		}
		score.Failed++
		r.Failures = append(r.Failures, shadow.Failure{TestName: t.Name, Category: t.Category, Expected: t.Expected, Actual: t.Actual, Message: t.Message})
	}
	var reasons []string
	if len(sealed.Tests) == 0 {
		reasons = append(reasons, noSealedTests)
	}
	if n := by[Errored]; n > 0 {
		reasons = append(reasons, fmt.Sprintf("%s broke off and could not be judged", shadow.Count(n, "sealed test")))
	}
	if n := by[Skipped]; n > 0 {
		reasons = append(reasons, fmt.Sprintf("%s skipped and could not be judged", shadow.Count(n, "sealed test")+was(n)))
	}
	reasons = append(reasons, sealed.Broken...)
	r.Report = shadow.ReportHead{ShadowScore: score.Percent(), Level: score.Level(), ConformanceLevel: 1}
	advisory := len(reasons) > 0
	r.Report.Advisory, r.Report.AdvisoryReason = &advisory, strings.Join(reasons, "; ")
	r.SealedTests = shadow.TestTally{Total: score.Total, Passed: score.Total - score.Failed, Failed: score.Failed}
	if open != nil {
		r.OpenTests = &shadow.TestTally{Total: len(open.Tests)}
		for _, t := range open.Tests {
			if t.Status == Passed {
				r.OpenTests.Passed++
			} else {
				r.OpenTests.Failed++
			}
		}
		r.Coverage = Compare(sealed, open)
	}
	return r
}

func was(n int) string {
	if n == 1 {
		return " was"
	}
	return " were"
}

// Compare counts the tests of both suites by category: those that the public
// format names, and any other that has tests.
func Compare(sealed, open *Suite) map[shadow.Category]shadow.Coverage {
	out := map[shadow.Category]shadow.Coverage{}
	for _, c := range shadow.PublicCategories() {
		out[c] = shadow.Coverage{}
	}
	for _, t := range sealed.Tests {
		c := out[t.Category]
		out[t.Category] = shadow.Coverage{Sealed: c.Sealed + 1, Open: c.Open, Delta: c.Delta + 1}
	}
	for _, t := range open.Tests {
		c := out[t.Category]
		out[t.Category] = shadow.Coverage{Sealed: c.Sealed, Open: c.Open + 1, Delta: c.Delta - 1}
	}
	return out
}
