package shadow

import (
	"encoding/json"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestScore(t *testing.T) {
	for _, c := range []struct {
		failed, total int
		percent       json.Number
		level         Level
		above15       bool
	}{
		{0, 8, "0.0", Perfect, false},
		{0, 0, "0.0", Perfect, false},
		{1, 3000, "0.0", Minor, false},
		{1, 8, "12.5", Minor, false},
		{3, 20, "15.0", Minor, false},
		{20, 133, "15.0", Moderate, true}, // 15.04 %: shown as 15.0, decided as more
		{94, 625, "15.0", Moderate, true},
		{5, 16, "31.2", Significant, true}, // half to even, as the public validator
		{1, 16, "6.2", Minor, false},
		{3, 10, "30.0", Moderate, true},
		{4, 8, "50.0", Significant, true},
		{5, 8, "62.5", Critical, true},
		{8, 8, "100.0", Critical, true},
	} {
		s := Score{c.failed, c.total}
		if got := s.Percent(); got != c.percent {
			t.Errorf("%v: percent %s, want %s", s, got, c.percent)
		}
		if got := s.Level(); got != c.level {
			t.Errorf("%v: level %s, want %s", s, got, c.level)
		}
		if got := s.Exceeds(15); got != c.above15 {
			t.Errorf("%v: exceeds 15: %v", s, got)
		}
	}
}

func TestActions(t *testing.T) {
	want := map[Level]Action{Perfect: Proceed, Minor: Proceed, Moderate: Warn, Significant: Quarantine, Critical: Reject}
	for l, a := range want {
		if l.Action() != a {
			t.Errorf("%s: %s, want %s", l, l.Action(), a)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		scores []Score
		want   json.Number
		level  Level
	}{
		{nil, "0.0", Perfect},
		{[]Score{{2, 8}}, "25.0", Moderate},
		{[]Score{{8, 8}, {0, 8}, {1, 8}}, "12.5", Minor},
		{[]Score{{0, 8}, {1, 8}, {2, 8}, {8, 8}}, "18.8", Moderate}, // 18.75
		{[]Score{{0, 8}, {0, 8}, {0, 8}, {1, 3000}}, "0.0", Perfect},
		{[]Score{{1, 3000}, {1, 3000}}, "0.0", Minor},
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
		s := Score{rapid.IntRange(0, total).Draw(t, "failed"), total}
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

func TestQuota(t *testing.T) {
	four := []Category{HappyPath, EdgeCase, ErrorHandling, Completeness}
	q := Quota(10, four)
	if q[HappyPath] != 3 || q[EdgeCase] != 3 || q[ErrorHandling] != 2 || q[Completeness] != 2 {
		t.Errorf("10 over four: %v", q)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 50).Draw(t, "n")
		k := rapid.IntRange(1, 4).Draw(t, "categories")
		sum, least, most := 0, n, 0
		for _, c := range four[:k] {
			v := Quota(n, four[:k])[c]
			sum, least, most = sum+v, min(least, v), max(most, v)
		}
		if sum != n || most-least > 1 {
			t.Fatalf("%d over %d: sum %d, from %d to %d", n, k, sum, least, most)
		}
	})
}
