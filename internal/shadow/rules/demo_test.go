package rules_test

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// label is what a careful reader finds wrong in a bundle.
type label struct {
	Missing      []string `json:"missing"`
	Contradicted []string `json:"contradicted"`
}

// The story of the demo holds in every draw.
func TestDemo(t *testing.T) {
	r, fixes := demo(t)
	var labels map[string]struct{ Bundle, Fix label }
	readJSON(t, filepath.Join(demoDir, "labels.json"), &labels)
	const draws = 200
	scores := map[string]tally{}
	misses := map[string]int{}
	for n := range draws {
		x := mustSeal(t, r.d, n, 8, fourCategories)
		failed := map[string]int{}
		one := func(name string, b shadow.Bundle, l label) {
			j := x.Judge(&b, nil)
			failed[name] = j.Score().Failed
			scores[name] = append(scores[name], failed[name])
			for _, p := range called(t, j, askedOf(r.d.Find(b.Domain))) {
				if !slices.Contains(l.Missing, p) && !slices.Contains(l.Contradicted, p) {
					t.Errorf("draw %d: %s: %q is called missing, and is not", n, name, p)
				}
				misses[name+": "+p]++
			}
		}
		for d, b := range r.bundles {
			one(d, b, labels[d].Bundle)
		}
		for d, b := range fixes {
			one(d+", fixed", b, labels[d].Fix)
		}
		for _, must := range []struct {
			ok   bool
			what string
		}{
			{failed["architecture"] == 0, "architecture is not perfect"},
			{failed["testing"] == 1, "testing does not fail the arithmetic alone"},
			{failed["documentation"]*2 > 8, "documentation is not critical"},
			{failed["implementation"]*100 > 15*8, "implementation is not sent back"},
			{failed["integration"]*100 > 15*8, "integration is not sent back"},
			{failed["implementation, fixed"] < failed["implementation"], "the fix of implementation is not better"},
			{failed["integration, fixed"] > failed["integration"], "the fix of integration is not worse"},
		} {
			if !must.ok {
				t.Errorf("draw %d: %s: %v", n, must.what, failed)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(scores)) {
		least, median, most := scores[name].spread()
		t.Logf("%-24s failed of 8: %d / %d / %d (least, median, most)", name, least, median, most)
	}
	for d, l := range labels {
		for _, p := range l.Bundle.Missing {
			t.Logf("%3d of %d draws: %s: %s", misses[d+": "+p], draws, d, p)
		}
	}
}
