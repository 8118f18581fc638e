package rules_test

import (
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// A domain that was given nothing of a category is told what the category is
// about: a message about something else would contradict the criterion.
func TestStandInsFit(t *testing.T) {
	d := &shadow.Decomposition{RunID: "r", Task: "Import contacts", Domains: []shadow.Domain{
		{Domain: "importer", CommanderID: "a", SubTasks: []string{"Parse the CSV file with the column mapping", "Reject malformed rows and report the error",
			"Resume a failed import from the last checkpoint"}, Deliverables: []string{"importer worker", "migration 0007_import_jobs.sql"},
			Constraints: []string{"An import has at most 50,000 rows"}},
		{Domain: "guide", CommanderID: "b", SubTasks: []string{"Describe the upload page", "Describe the mapping page"}},
	}}
	seen := map[shadow.Category]int{}
	for n := range 60 {
		x := mustSeal(t, d, n, 8, fourCategories)
		for i := range x.Envelope.Criteria {
			c := &x.Envelope.Criteria[i]
			m := c.Material["guide"]
			if _, part := m.Data["items"]; !part || len(m.Data["items"].([]any)) > 0 {
				continue
			}
			seen[c.Category]++
			for _, other := range []string{"unfinished", "disagreements", "the summary names"} {
				if strings.Contains(m.Message, other) {
					t.Errorf("draw %d: %q tells %q", n, c.Assertion, m.Message)
				}
			}
		}
	}
	if seen[shadow.ErrorHandling] < 30 || seen[shadow.Completeness] < 30 {
		t.Errorf("hardly any stand-in was drawn: %v", seen)
	}
}
