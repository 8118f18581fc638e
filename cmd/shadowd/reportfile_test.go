package main

import (
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/render"
)

// FuzzReportFile: a file of outputs is read or refused, and what is read can be shown.
func FuzzReportFile(f *testing.F) {
	scored := `{"specversion":"1.0","id":"1","source":"/s","type":"dev.swarmspeed.run-scored.v1","data":{"run_id":"r","scale":"ss-50","task_hash":"sha256:` + strings.Repeat("a", 64) +
		`","sealed_hash":"sha256:` + strings.Repeat("b", 64) + `","median":0,"level":"perfect","domains":[],"advisory":true,"incomplete":true,"missing":["d"],"verdict":"perfect","counts":{"items":2,"found":1,"missing":0,"undecided":0,"unread":1,"claimed":0,"declared":0,"unaccounted":0}}}`
	for _, seed := range []string{"", "\n\n", "{}", "null", scored, scored + "\n" + scored, `{"specversion":"1.0","id":"1","source":"/s","type":"dev.swarmspeed.gap-report.v1","data":{"swarm":null}}`,
		`{"specversion":"1.0","id":"1","source":"/s","type":"dev.swarmspeed.event-rejected.v1","data":{}}`} {
		f.Add(seed)
	}
	if _, err := history.FromFile("-", input.Lines([]byte(scored)), "r"); err != nil {
		f.Fatalf("the seed is no run: %v", err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := history.FromFile("-", input.Lines([]byte(text)), "")
		if err != nil {
			return
		}
		reports, err := history.Reports(r, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		doc := render.OfRun(r, reports)
		var b strings.Builder
		for _, format := range []string{"text", "markdown", "json", "junit", "html"} {
			if err := renderAs(&app{Stdout: &b}, format, doc); err != nil {
				t.Errorf("%s: %v", format, err)
			}
		}
	})
}
