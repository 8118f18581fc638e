package attest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Complete says what is missing or too many among the statements of runs: each
// run needs one for each of its domains, as many as its statements say that it
// has. If run is set, it is the only one that there may be.
func Complete(all []*Statement, run string) (wrong []error) {
	if err := holds(all, run); err != nil {
		return []error{err}
	}
	domains := map[string]map[string]int{} // by run, how often each is there
	stated := map[string]int{}
	for _, st := range all {
		s := &st.Predicate.Swarm
		if run != "" && s.RunID != run {
			wrong = append(wrong, fmt.Errorf("an attestation of run %q, domain %q, among those of run %q", s.RunID, s.Domain, run))
			continue
		}
		if domains[s.RunID] == nil {
			domains[s.RunID] = map[string]int{}
		}
		domains[s.RunID][s.Domain]++
		stated[s.RunID] = max(stated[s.RunID], s.Domains)
	}
	for _, id := range slices.Sorted(maps.Keys(domains)) {
		for _, name := range slices.Sorted(maps.Keys(domains[id])) {
			if n := domains[id][name]; n > 1 {
				wrong = append(wrong, fmt.Errorf("%d attestations of domain %q of run %q: one is right", n, name, id))
			}
		}
		if n := len(domains[id]); n != stated[id] {
			wrong = append(wrong, fmt.Errorf("run %q: attestations of %d of its %d domains", id, n, stated[id]))
		}
	}
	return wrong
}

// holds says what there is instead where there is nothing of a run.
func holds(all []*Statement, run string) error {
	runs := map[string]bool{}
	for _, st := range all {
		runs[strconv.Quote(st.Predicate.Swarm.RunID)] = true
	}
	switch {
	case run == "" || runs[strconv.Quote(run)]:
		return nil
	case len(runs) == 0:
		return fmt.Errorf("no attestation that holds is of run %q: there is none at all", run)
	}
	return fmt.Errorf("no attestation that holds is of run %q: there are those of %s", run, strings.Join(slices.Sorted(maps.Keys(runs)), ", "))
}
