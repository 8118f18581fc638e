package render

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/results"
)

// TestSARIF: each failure is a result with the rule of its category and a place
// in its bundle; what could not be judged is open, and a doubt is told. All stand
// in one run, as GitHub refuses several.
func TestSARIF(t *testing.T) {
	for name, document := range documents {
		d := document()
		var log struct {
			Version string
			Runs    []struct {
				Tool struct {
					Driver struct{ Rules []struct{ ID string } }
				}
				Properties struct{ Reports []map[string]any }
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
		if log.Version != "2.1.0" || len(log.Runs) != min(1, len(d.Subjects)) {
			t.Fatalf("%s: version %s, %d runs", name, log.Version, len(log.Runs))
		}
		if len(log.Runs) == 0 {
			continue
		}
		lines, run := 0, log.Runs[0]
		for i := range d.Subjects {
			s, report := &d.Subjects[i], run.Properties.Reports[i]
			for name, want := range map[string]string{"name": s.Name, "level": s.Look().Word, "unread": s.UnreadText(), "notApplicable": s.NotApplicableText()} {
				if got, _ := report[name].(string); got != want {
					t.Errorf("%s: %s is %q, want %q", s.Name, name, got, want)
				}
			}
			if (report["advisory"] == true) != (s.Advisory() != "") || len(run.Results) < len(s.Score.Failures) {
				t.Fatalf("%s: %v, %d results", s.Name, report, len(run.Results))
			}
			for k := range s.Score.Failures {
				r := run.Results[k]
				if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || (r.Kind == "open") != (s.outcome(k) != results.Failed) || !strings.Contains(r.Message.Text, r.Locations[0].LogicalLocations[0].FullyQualifiedName) {
					t.Errorf("%s: result %+v", s.Name, r)
				}
				if r.Locations[0].PhysicalLocation.Region != nil {
					lines++
				}
			}
			run.Results = run.Results[len(s.Score.Failures):]
		}
		if len(run.Results) > 0 {
			t.Errorf("%s: %d results of nothing", name, len(run.Results))
		}
		if name == "everything" && lines == 0 {
			t.Error("no result has a line")
		}
	}
}
