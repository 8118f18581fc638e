package rules

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestLargeDecomposition: criteria are written of more requirements and items than
// an event has room for. If each requirement were held against each item it would
// be over ten minutes, and the tests' time limit would end it.
func TestLargeDecomposition(t *testing.T) {
	var matter strings.Builder
	for i := range 60 {
		fmt.Fprintf(&matter, "%04d ", i)
	}
	d := &shadow.Decomposition{Requirements: slices.Repeat([]shadow.Requirement{{Text: matter.String()}}, 2000)}
	for i := range 500 {
		d.Domains = append(d.Domains, shadow.Domain{Domain: fmt.Sprint("d", i), SubTasks: slices.Repeat([]string{"0001 abcd"}, 300)})
	}
	d.Domains[0].TaskBrief = matter.String()
	quota := map[shadow.Category]int{shadow.HappyPath: 2, shadow.Completeness: 2}
	criteria, err := New(bytes.NewReader(make([]byte, 32))).Write(t.Context(), d, quota)
	if err != nil || len(criteria) != 4 {
		t.Fatal(len(criteria), err)
	}
	asked := 0
	for _, c := range criteria {
		asked += len(c.Material["d0"].Items)
	}
	if asked < len(d.Requirements) {
		t.Errorf("%d items are asked for, of 2,000 requirements that the domain bears", asked)
	}
}

// TestEverybodyBearsAll: where all domains deal with all requirements, a bounded
// number is asked for, and the publisher is told.
func TestEverybodyBearsAll(t *testing.T) {
	d := &shadow.Decomposition{RunID: "run", Task: "Build it"}
	for i := range 2000 {
		d.Requirements = append(d.Requirements, shadow.Requirement{ID: fmt.Sprint("R", i), Text: "Rotate signing keys"})
	}
	for i := range 500 {
		d.Domains = append(d.Domains, shadow.Domain{Domain: fmt.Sprint("d", i), CommanderID: "c", SubTasks: []string{"Rotate signing keys"}})
	}
	criteria := draw(t, d, map[shadow.Category]int{shadow.HappyPath: 2, shadow.Completeness: 2}, 1)
	asked := 0
	for _, c := range criteria {
		for _, m := range c.Material {
			asked += len(m.Items)
		}
	}
	if asked > maxRequirements+4*len(d.Domains) {
		t.Errorf("%d items are asked for", asked)
	}
	if advice := strings.Join(new(Author).Advise(d, criteria), "\n"); !strings.Contains(advice, "50000 times and no more") {
		t.Errorf("the publisher is not told: %s", advice)
	}
}

// TestManyLimits: however many limits there are, and however long one is, the run
// is sealed.
func TestManyLimits(t *testing.T) {
	long := "Answer within 30 ms" + strings.Repeat(", and say so plainly", 110)
	dom := shadow.Domain{Domain: "core", CommanderID: "c", Constraints: []string{long}}
	for i := range 999 {
		dom.Constraints = append(dom.Constraints, fmt.Sprintf("Queue %d holds at most %d MB", i, i+1))
	}
	d := &shadow.Decomposition{RunID: "run", Task: "Build it", Domains: []shadow.Domain{dom}}
	limits := 0
	for seed := range byte(20) {
		for _, c := range draw(t, d, map[shadow.Category]int{shadow.EdgeCase: 3}, uint64(seed)) {
			if err := c.Usable(d); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if m := c.Material["core"]; m.Data != nil {
				limits = len(m.Data["limits"].([]any))
			}
		}
	}
	if limits != 999 {
		t.Errorf("%d limits are asked for, want all but the long one", limits)
	}
}
