package shadow

import (
	"testing"
	"time"
)

// TestUnwalled: what was sealed under strict isolation and judged where the
// wall is not known to hold claims none, nor does what follows from it.
func TestUnwalled(t *testing.T) {
	s := settings()
	s.WorkspaceIsolation = IsolationStrict
	x := mustExam(t, decomposition(), s)
	claims := func(name string, r *Report, isolation string, level int, unwalled bool) {
		t.Helper()
		if r.Report.WorkspaceIsolation != isolation || r.Report.ConformanceLevel != level || r.Swarm.Unwalled != unwalled {
			t.Errorf("%s claims %s and level %d", name, r.Report.WorkspaceIsolation, r.Report.ConformanceLevel)
		}
	}
	open := evidence(0, 4)
	open.Unwalled = true
	first := x.Decide(open, nil, time.Time{})
	claims("a bundle", first, IsolationLegacy, 1, true)
	claims("its fix behind the wall", x.Decide(evidence(1, 0), first, time.Now()), IsolationLegacy, 1, true)
	claims("its worse fix", x.Decide(evidence(1, 8), first, time.Now()), IsolationLegacy, 1, true)
	claims("no fix", TimedOut(&x.Envelope.Policy, first, time.Now(), ""), IsolationLegacy, 1, true)
	claims("another bundle", x.Decide(evidence(0, 4), nil, time.Time{}), IsolationStrict, 4, false)
	s.WorkspaceIsolation = IsolationLegacy
	claims("sealed without a wall", mustExam(t, decomposition(), s).Decide(open, nil, time.Time{}), IsolationLegacy, 1, false)
}
