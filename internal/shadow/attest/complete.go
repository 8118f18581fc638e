package attest

import (
	"fmt"
	"maps"
	"slices"
)

// Complete says what is missing or too many among the statements of runs: each
// run needs one for each of its domains, as many as its statements say that it
// has. If run is set, it is the only one that there may be.
func Complete(all []*Statement, run string) (wrong []error) {
	domains := map[string]map[string]int{} // by run, how often each is there
	stated := map[string]int{}
	if run != "" {
		domains[run] = map[string]int{}
	}
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
		if n := len(domains[id]); n == 0 || n != stated[id] {
			wrong = append(wrong, fmt.Errorf("run %q: attestations of %d of its %d domains", id, n, stated[id]))
		}
	}
	return wrong
}
