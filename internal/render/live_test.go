package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// drawn is what show draws on a terminal without colour.
func drawn(show func(*Live)) string {
	var b bytes.Buffer
	show(NewLive(NewTerminal(&b, true), false))
	return b.String()
}

// TestLive: each event of a run of everything in its line, and the end of the run, whole and as the demo shows it.
func TestLive(t *testing.T) {
	run := history.NewRun("demo")
	run.Scored = &shadow.RunData{Median: "12.5", Level: shadow.Minor, Verdict: "minor", Advisory: true, Missing: []string{"silent"}, Unassigned: []string{"R2"},
		Counts: shadow.ItemCounts{Items: 15, Found: 5, Missing: 6, Unread: 4}}
	asked := &shadow.HardeningData{RunID: "demo", Domain: "awaited", CommanderID: "cmd", Cycle: 1, Deadline: moment, Issues: make([]shadow.Issue, 2), Text: "Fix this:\n  \x1b[2Jboth\n"}
	run.Rejected = []history.Rejected{{Rejection: &shadow.Rejection{Reason: shadow.Late, Message: "late\x1b"}}}
	events := []any{&shadow.Decomposition{RunID: "demo", Task: attack}, &shadow.Commitment{SealedHash: digest}, &shadow.Submission{Bundle: shadow.Bundle{Domain: "awaited", CommanderID: "cmd", Status: "success"}},
		asked, &shadow.QuarantineData{}, everything().Subjects[1].Review, run.Scored, &shadow.Rejection{Reason: shadow.Late, Message: attack}}
	for _, r := range reports() {
		run.Scored.Domains = append(run.Scored.Domains, shadow.DomainSummary{Domain: r.Swarm.Domain})
		run.Reports[r.Swarm.Domain] = []*shadow.Report{r}
		events = append(events, r)
	}
	run.Requests["awaited"] = []*shadow.HardeningData{asked, asked}
	for name, brief := range map[string]bool{"live.txt": false, "brief.txt": true} {
		got := drawn(func(l *Live) {
			l.Brief = brief
			for _, e := range events {
				if err := l.Event(history.Event{Address: shadow.Address{Run: "demo", Domain: "awaited", Author: "cmd"}, Payload: e}); err != nil {
					t.Error(err)
				}
			}
			l.End(run)
		})
		golden(t, name, strings.ReplaceAll(got, moment.Local().Format("15:04:05"), "09:26:53"))
	}
}

// For what bundles wait is told when it changes.
func TestLiveWaits(t *testing.T) {
	got := drawn(func(l *Live) {
		for _, lines := range [][]string{nil, {"2 bundles wait for judge gpt: \x1b503"}, {"2 bundles wait for judge gpt: \x1b503"}, {"3 bundles wait for judge gpt: 503"}, nil, nil} {
			l.Waits(lines)
		}
	})
	if want := "  judges      2 bundles wait for judge gpt:  503\n  judges      what waits longer than judging.wait (30m unless changed) is undecided\n  judges      3 bundles wait for judge gpt: 503\n  judges      nothing waits for a judge any more\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
