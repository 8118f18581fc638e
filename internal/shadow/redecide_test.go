package shadow

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRedecide: a report says enough to be decided again, also of a fix that does
// not stand and was in doubt.
func TestRedecide(t *testing.T) {
	p := &Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: IsolationStrict, MaxCycles: 1, Threshold: 15, EnforceGates: true}
	deadline := time.Unix(1, 0).UTC()
	report := func(cycle int, doubt, actual string, failed ...string) *Report {
		r := &Report{Swarm: Swarm{RunID: "run-1", Domain: "one", Cycle: cycle, AcceptedCycle: cycle, Score: Score{Failed: len(failed), Total: 8}, AdvisoryReasons: []string{doubt}}}
		for _, id := range failed {
			r.Failures = append(r.Failures, Failure{TestName: id, Actual: actual})
		}
		return r
	}
	for name, fix := range map[string]*Report{
		"better": report(1, "a doubt", "other", "sc-01"),
		"as bad": report(1, "a doubt", "other", "sc-01", "sc-02"),
		"worse":  report(1, "a doubt", "other", "sc-01", "sc-02", "sc-03"),
	} {
		prev := report(0, "an old doubt", "some", "sc-01", "sc-02")
		prev.decide(p, nil, time.Time{})
		fix.decide(p, prev, deadline)
		if diff := cmp.Diff(fix, fix.Redecide(p, prev, deadline)); diff != "" {
			t.Errorf("%s (-decided +decided again):\n%s", name, diff)
		}
		if diff := cmp.Diff(prev, prev.Redecide(p, nil, time.Time{})); diff != "" {
			t.Errorf("%s, the first (-decided +decided again):\n%s", name, diff)
		}
	}
}
