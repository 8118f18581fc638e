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
		passed := 0
		for _, t := range open.Tests {
			if t.Status == Passed {
				passed++
			}
		}
		r.OpenTests = &shadow.TestTally{Total: len(open.Tests), Passed: passed, Failed: len(open.Tests) - passed}
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
		c.Sealed++
		out[t.Category] = c
	}
	for _, t := range open.Tests {
		c := out[t.Category]
		c.Open++
		out[t.Category] = c
	}
	for name, c := range out {
		c.Delta = c.Sealed - c.Open
		out[name] = c
	}
	return out
}
