package shadow

import (
	"encoding/json"
	"testing"
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
