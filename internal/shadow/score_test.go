package shadow

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		scores []Score
		want   json.Number
		level  Level
	}{
		{nil, "0.0", Perfect},
		{[]Score{{2, 8, 0}}, "25.0", Moderate},
		{[]Score{{8, 8, 0}, {0, 8, 0}, {1, 8, 0}}, "12.5", Minor},
		{[]Score{{0, 8, 0}, {1, 8, 0}, {2, 8, 0}, {8, 8, 0}}, "18.8", Moderate}, // 18.75
		{[]Score{{0, 8, 0}, {0, 8, 0}, {0, 8, 0}, {1, 3000, 0}}, "0.0", Perfect},
		{[]Score{{1, 3000, 0}, {1, 3000, 0}}, "0.0", Minor},
	} {
		got, level := Median(c.scores)
		if got != c.want || level != c.level {
			t.Errorf("%v: %s %s, want %s %s", c.scores, got, level, c.want, c.level)
		}
	}
}

// TestCoverage: sealed criteria beside the open tests that the bundle states,
// by category. A worse fix puts the earlier comparison back.
func TestCoverage(t *testing.T) {
	x := mustExam(t, decomposition(), settings()) // seven of sub-tasks, one of figures
	judge := func(cycle, failed int, prev *Report, open map[Category]TestTally) *Report {
		ev := evidence(cycle, failed)
		ev.Submission.Bundle.OpenTests = &OpenTests{TestTally: TestTally{Total: 9, Passed: 9}, ByCategory: open}
		return x.Decide(ev, prev, time.Unix(500, 0))
	}
	first := judge(0, 4, nil, map[Category]TestTally{HappyPath: {Total: 7}, "edge_cases": {Total: 1}, EdgeCase: {Total: 2}, Security: {Total: 4}, "smoke": {Total: 2}, "e2e": {Total: 3}})
	want := map[Category]Coverage{
		HappyPath: {7, 7, 0}, EdgeCase: {0, 2, -2}, ErrorHandling: {1, 0, 1}, Security: {0, 4, -4}, "unknown": {0, 6, -6},
	}
	if diff := cmp.Diff(want, first.Coverage); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if worse := judge(1, 8, first, map[Category]TestTally{HappyPath: {Total: 1}}); !cmp.Equal(worse.Coverage, want) {
		t.Errorf("after a fix that was not kept: %v", worse.Coverage)
	}
	if better := judge(1, 0, first, nil); better.Coverage != nil || better.OpenTests == nil {
		t.Errorf("without categories: %v", better.Coverage)
	}
}
