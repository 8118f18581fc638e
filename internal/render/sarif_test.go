package render

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/results"
)

// TestSARIF: each failure is a result with the rule of its category and a place
// in its bundle; what could not be judged is open, and a doubt is told.
func TestSARIF(t *testing.T) {
	for name, document := range documents {
		d := document()
		var log struct {
			Version string
			Runs    []struct {
				Tool struct {
					Driver struct{ Rules []struct{ ID string } }
				}
				Properties map[string]any
				Results    []struct {
					RuleID    string
					RuleIndex int
					Kind      string
					Message   struct{ Text string }
					Locations []struct {
						PhysicalLocation struct{ Region *struct{ StartLine int } }
						LogicalLocations []struct{ FullyQualifiedName string }
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(rendered(t, "sarif", d)), &log); err != nil {
			t.Fatal(err)
		}
		if log.Version != "2.1.0" || len(log.Runs) != len(d.Subjects) {
			t.Fatalf("%s: version %s, %d runs", name, log.Version, len(log.Runs))
		}
		lines := 0
		for i, run := range log.Runs {
			s := &d.Subjects[i]
			for name, want := range map[string]string{"unread": s.UnreadText(), "notApplicable": s.Spared()} {
				if got, _ := run.Properties[name].(string); got != want {
					t.Errorf("%s: %s is %q, want %q", s.Name, name, got, want)
				}
			}
			if (run.Properties["advisory"] == true) != (s.Advisory() != "") || len(run.Results) != len(s.Score.Failures) {
				t.Errorf("%s: %v, %d results", s.Name, run.Properties, len(run.Results))
			}
			for k, r := range run.Results {
				if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || (r.Kind == "open") != (s.outcome(k) != results.Failed) || !strings.Contains(r.Message.Text, r.Locations[0].LogicalLocations[0].FullyQualifiedName) {
					t.Errorf("%s: result %+v", s.Name, r)
				}
				if r.Locations[0].PhysicalLocation.Region != nil {
					lines++
				}
			}
		}
		if name == "everything" && lines == 0 {
			t.Error("no result has a line")
		}
	}
}
