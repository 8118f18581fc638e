package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Selection says which reports of a run are meant: of each domain the last one,
// or that of a cycle. The zero value means all domains.
type Selection struct {
	Domain, Bundle string // empty: any
	Cycle          *int
}

// Of gives the reports in the order of the decomposition. It is an error if one
// is asked for that is not there.
func (s Selection) Of(r *history.Run) ([]*shadow.Report, error) {
	var reports []*shadow.Report
	bundles := []string{}
	for _, d := range r.Domains() {
		rep := r.Last(d)
		if s.Cycle != nil {
			rep = r.Report(d, *s.Cycle)
		}
		if rep == nil {
			continue
		}
		bundles = append(bundles, rep.Swarm.BundleID)
		if (s.Domain == "" || d == s.Domain) && (s.Bundle == "" || rep.Swarm.BundleID == s.Bundle) {
			reports = append(reports, rep)
		}
	}
	switch {
	case len(reports) > 0 || s == (Selection{}):
		return reports, nil
	case s.Domain != "" && !slices.Contains(r.Domains(), s.Domain):
		return nil, noDomain(r, s.Domain)
	case s.Bundle != "":
		there := "there are reports on " + strings.Join(bundles, ", ")
		if len(bundles) == 0 {
			there = "there are no reports yet"
		}
		return nil, hint.Failed(fmt.Errorf("run %s has no report on a bundle %.80q", r.ID, s.Bundle), there)
	case s.Cycle != nil:
		return nil, hint.Failed(fmt.Errorf("run %s has no such report of cycle %d", r.ID, *s.Cycle), "without --cycle the last report of each domain is shown")
	}
	return nil, fmt.Errorf("there is no report on domain %s of run %s yet", s.Domain, r.ID)
}
