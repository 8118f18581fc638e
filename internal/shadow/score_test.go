package shadow

import (
	"encoding/json"
	"math/big"
	"testing"

	"pgregory.net/rapid"
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

// TestLevelAgainstRationals holds the integer decisions against exact
// arithmetic written differently.
func TestLevelAgainstRationals(t *testing.T) {
	bounds := []struct {
		upTo  *big.Rat
		level Level
	}{{big.NewRat(0, 1), Perfect}, {big.NewRat(3, 20), Minor}, {big.NewRat(3, 10), Moderate}, {big.NewRat(1, 2), Significant}, {big.NewRat(1, 1), Critical}}
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(1, 100_000).Draw(t, "total")
		s := Score{Failed: rapid.IntRange(0, total).Draw(t, "failed"), Total: total}
		ratio := big.NewRat(int64(s.Failed), int64(s.Total))
		for _, b := range bounds {
			if ratio.Cmp(b.upTo) <= 0 {
				if s.Level() != b.level {
					t.Fatalf("%v is %s, want %s", s, s.Level(), b.level)
				}
				break
			}
		}
		threshold := rapid.IntRange(0, 100).Draw(t, "threshold")
		if s.Exceeds(threshold) != (ratio.Cmp(big.NewRat(int64(threshold), 100)) > 0) {
			t.Fatalf("%v exceeds %d: %v", s, threshold, s.Exceeds(threshold))
		}
	})
}
