package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestFinishedWorkIsNotAccused: work that is plainly done, in forms that a program
// misreads, fails nothing where nobody reads, and is delivered where somebody does.
func TestFinishedWorkIsNotAccused(t *testing.T) {
	tasks := []string{"Sign the webhooks", "Keep an event for seven days", "Document the retries"}
	parts := []part{
		{"was-and-is", tasks, `# Webhooks

| Matter | Before | After |
|---|---|---|
| Signature of webhooks | ❌ missing | HMAC-SHA256 over the body |
| Events | not kept | kept for seven days in a stream |
| Retries | undocumented | a page with the five pauses |
`, nil},
		{"statuses", tasks, `# Webhooks

| Task | Status | Blocked by | Open points |
|---|---|---|---|
| Sign the webhooks with HMAC-SHA256 | done | N/A | none |
| Keep an event for seven days, in a stream | done | N/A | none |
| Document the retries, a page with the five pauses | done | N/A | none |
`, nil},
		{"boxes", tasks, `# Webhooks

Each webhook carries an HMAC-SHA256 over its body, and the receiver gets the key once.

An event is kept for seven days in a stream, and can be asked for again.

The page on retries lists the five pauses.

## Test plan

- [ ] Sign a webhook with the wrong key and see it refused
- [ ] Ask for an event of last week
- [ ] Read the page on retries
`, nil},
		{"async", tasks, `# Webhooks

The sender is written with async/await and signs by HMAC-SHA256; no queue is blocked and nothing waits.

It was not possible to lose an event before it was stored: it is kept for seven days in a stream.

What a receiver cannot take is sent again, as the page with the five pauses says.
`, nil},
	}
	file := runOf(t, "Deliver webhooks", parts...)
	cfg := inFolder(t, "shadow_scoring: {hardening: {enabled: false}}\n", nil)
	out, _ := called(t, hint.ExitClean, "replay", "--format", "json", "--config", cfg, file)
	for name, rep := range reportsIn(t, out) {
		s := &rep.Swarm
		if s.Counts.Unread != s.Counts.Items || s.Score.Failed != 0 || s.Verdict != shadow.WordUnread || s.Gate.Action != shadow.Warn || len(rep.Failures) != 0 {
			t.Errorf("%s, read by nobody: %+v, %+v, %s, %+v", name, s.Counts, s.Score, s.Gate.Action, rep.Failures)
		}
	}
	reader := judgeAt(t, answerBook{tasks[0]: "HMAC-SHA256", tasks[1]: "seven days", tasks[2]: "five pauses", "Deliver webhooks": "HMAC-SHA256"}.answer)
	out, _ = called(t, hint.ExitClean, "replay", "--format", "json", "--config", cfg, "--judge", reader+"#reader", file)
	for name, rep := range reportsIn(t, out) {
		if s := &rep.Swarm; s.Counts.Found != s.Counts.Items || s.Gate.Action != shadow.Proceed {
			t.Errorf("%s: %+v, %s: %+v", name, s.Counts, s.Gate.Action, rep.Failures)
		}
	}
}

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
		{"Owner: [to be filled in]", "to be filled in"},
		{"```python\ndef send(event):\n    raise NotImplementedError\n```", "NotImplementedError"},
	}
	var parts []part
	for i, c := range cases {
		parts = append(parts, part{domain: "d" + string(rune('a'+i)), subTasks: []string{"Say how it went"},
			content: "# How it went\n\nThe exporter was moved to the new cluster in March, and nothing was lost on the way.\n\n" + c.text + "\n"})
	}
	cfg := inFolder(t, "shadow_scoring: {hardening: {enabled: false}}\n", nil)
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
