package rules_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
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
	draws := drawsOf(200)
	scores := map[string]tally{}
	misses := map[string]int{}
	for n := range draws {
		x := mustSeal(t, r.d, n, 8, fourCategories)
		failed := map[string]int{}
		one := func(name string, b shadow.Bundle, l label) {
			j := x.Judge(evidence(&b))
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

// Whoever hands in next to nothing is told once all that there is to do.
func TestNothingHandedIn(t *testing.T) {
	r, _ := demo(t)
	for n := range drawsOf(50) {
		x := mustSeal(t, r.d, n, 8, fourCategories)
		for i := range r.d.Domains {
			dom := &r.d.Domains[i]
			j := x.Judge(evidence(&shadow.Bundle{Domain: dom.Domain, Status: "success", Summary: "All done.", Content: "All done, see the repository."}))
			if f := j.Score(); f.Failed != f.Total {
				t.Fatalf("draw %d: %s: %d of %d failed", n, dom.Domain, f.Failed, f.Total)
			}
			told := map[string]int{}
			for k := range j.Verdicts {
				told[j.Verdicts[k].Message]++
			}
			for m, times := range told {
				if times > 2 {
					t.Errorf("draw %d: %s is told %d times: %s", n, dom.Domain, times, m)
				}
			}
			all := strings.Join(slices.Collect(maps.Keys(told)), "\n")
			for _, p := range askedOf(dom) {
				// A limit of the text itself is not asked.
				if times := strings.Count(all, ": "+p); times != 1 && !strings.Contains(p, "1,200 words") {
					t.Errorf("draw %d: %s is told %d times: %s", n, dom.Domain, times, p)
				}
			}
		}
	}
}
