package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/llm"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

func TestSettings(t *testing.T) {
	c := Default()
	c.ShadowScoring.SpecVersion = "1.0.0"
	c.ShadowScoring.SealedCriteriaCount = 7
	c.ShadowScoring.Hardening = Hardening{Enabled: true, MaxCycles: 3, Threshold: 20, Timeout: time.Minute}
	c.Families = shadow.Families{{Model: "m-*", Family: "m"}}
	c.Independence.OnViolation = "abort"
	want := shadow.Settings{
		Policy:      shadow.Policy{SpecVersion: "1.0.0", ConformanceLevel: 3, WorkspaceIsolation: "legacy", MaxCycles: 3, Threshold: 20, EnforceGates: true, Unread: shadow.Warn, Undecided: shadow.Quarantine, Missing: 20},
		MaxCriteria: 7, FixTimeout: time.Minute, RunTimeout: 24 * time.Hour, DefaultScale: "ss-100", AbortOnViolation: true,
		Categories: []shadow.Category{"happy_path", "edge_case", "error_handling", "completeness"},
		Scales: map[string]shadow.Scale{
			"ss-50": {Criteria: 6}, "ss-100": {Criteria: 8, Hardening: true}, "ss-250": {Criteria: 10, Hardening: true}},
		Families: append(shadow.Families{{Model: "m-*", Family: "m"}}, llm.Families()...),
	}
	if diff := cmp.Diff(want, c.Settings("legacy")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An implementer that is the same model as an author or a judge is its kin,
// whatever the patterns say.
func TestFamiliesOfModels(t *testing.T) {
	c := Default()
	c.Families = shadow.Families{{Model: "lab/*", Family: "lab"}}
	c.Models = []Model{{Name: "a", Model: "openai:lab/m1", Family: "House"}, {Name: "b", Model: "openai:other"}}
	families := c.Settings("legacy").Families
	for model, want := range map[string]string{"Lab/M1": "house", "lab/m1x": "lab", "other": "other"} {
		if got, _ := families.Of(&shadow.Model{Model: model}); got != want {
			t.Errorf("%s is of family %q, want %q", model, got, want)
		}
	}
}
