package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestFiguresAndLeftOvers: what the criterion on figures finds in a bundle, and
// what it leaves alone.
func TestFiguresAndLeftOvers(t *testing.T) {
	cases := []struct{ text, want string }{
		// The share is of something else than the count.
		{"All 31/31 suites are green (88% line coverage).", ""},
		{"4/4 nodes joined (99.95% uptime this month).", ""},
		{"6 of 6 invoices were booked (7% reduced rate).", ""},
		{"In all 12 of 60 requests (25 %) were refused.", "20 %"},
		// What is no equation of numbers alone.
		{"Days for design, build and tests: 1 / 3 / 1 = 5.", ""},
		{"Passed: 12/12 + 30/30 = 42.", ""},
		{"Two runs of 40 s each: 2 × 40 ≈ 1.3 min.", ""},
		{"Pauses: first 5 s, then 60 s, last 10 s, limit 90 s.", ""},
		{"The pauses are 5 + 10 + 20 = 45 seconds.", "5 + 10 + 20"},
		{"| Part | Hours |\n|---|---|\n| Design | 8 |\n| Build | 20 |\n| Total | 30 |", "28"},
		// A word that talks of a place to fill in is none.
		{"The last TODO was deleted from the exporter.", ""},
		{"TBD: nothing.", ""},
		{"The list of TODOs is an app of its own.", ""},
		{"A greeting reads Dear {{ customer }}.", ""},
		// Work that is plainly done, in forms that a program misreads.
		{"| Matter | Before | After |\n|---|---|---|\n| Signature | ❌ missing | HMAC-SHA256 |\n| Retries | undocumented | a page |", ""},
		{"| Task | Status | Blocked by | Open points |\n|---|---|---|---|\n| Sign the webhooks | done | N/A | none |", ""},
		{"## Test plan\n\n- [ ] Sign a webhook with the wrong key and see it refused\n- [ ] Read the page on retries", ""},
		{"The sender is written with async/await. It was not possible to lose an event; what a receiver cannot take is sent again.", ""},
		{"Owner: [to be filled in]", "to be filled in"},
		{"```python\ndef send(event):\n    raise NotImplementedError\n```", "NotImplementedError"},
	}
	var parts []part
	for i, c := range cases {
		parts = append(parts, part{domain: "d" + string(rune('a'+i)), subTasks: []string{"Say how it went"},
			content: "# How it went\n\nThe exporter was moved to the new cluster in March, and nothing was lost on the way.\n\n" + c.text + "\n"})
	}
	cfg := written(t, "config.yml", "shadow_scoring: {hardening: {enabled: false}}\n")
	out, _ := called(t, hint.ExitClean, "replay", "--format", "json", "--config", cfg, runOf(t, "Say how it went", parts...))
	reports := reportsIn(t, out)
	for i, c := range cases {
		rep := reports[parts[i].domain+" 0"]
		at := slices.IndexFunc(rep.Swarm.Criteria, func(v shadow.CriterionVerdict) bool { return v.Kind == shadow.AskFigures })
		v := &rep.Swarm.Criteria[at]
		found := ""
		if len(rep.Failures) > 0 {
			found = rep.Failures[0].Actual
		}
		if (v.Outcome == shadow.Failed) != (c.want != "") || !strings.Contains(found, c.want) || c.want != "" && v.Line < 5 {
			t.Errorf("%q: %s in line %d, %q; want %q", c.text, v.Outcome, v.Line, found, c.want)
		}
	}
}
