package history

import (
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestChooseForged: a report whose cycles are not in order, as shadowd writes none, is refused.
func TestChooseForged(t *testing.T) {
	rep := &shadow.Report{}
	rep.Swarm.AcceptedCycle, rep.Swarm.Cycles = 5, []shadow.Cycle{{Cycle: 5}}
	r := &Run{ID: "r", Reports: map[string][]*shadow.Report{"d": {rep}}}
	zero, below := 0, -1
	for _, cycle := range []*int{nil, &zero, &below} {
		if s, err := Choose(r, "d", cycle); err == nil {
			t.Errorf("chosen is cycle %d", s.Cycle)
		}
	}
	rep.Swarm.Cycles[0].Cycle = 0
	if _, err := Choose(r, "d", &zero); err != nil {
		t.Error(err)
	}
}
