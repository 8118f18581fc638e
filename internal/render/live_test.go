package render

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// liveReport is a final report on a domain with five items, of which so many are
// missing and the others in a state.
func liveReport(domain string, failed, missing int, others shadow.ItemState, word shadow.Word, reasons ...string) *shadow.Report {
	score := shadow.Score{Failed: failed, Total: 8}
	r := &shadow.Report{Swarm: shadow.Swarm{RunID: "r", Domain: domain, Final: true, Score: score, Verdict: word, Gate: shadow.Gate{Action: shadow.Proceed, Enforced: true},
		Cycles: []shadow.Cycle{{Score: score, Kept: true}}, AdvisoryReasons: reasons}}
	r.Report.Level, r.Report.ShadowScore = score.Level(), score.Percent()
	for i := range 5 {
		v := shadow.ItemVerdict{Item: shadow.Item{Name: fmt.Sprintf("sub-task %d", i+1), Text: "do it"}, State: others}
		if i < missing {
			v.State, v.By, v.Line, v.Why, v.Criterion = shadow.ItemMissing, "gpt", 7, "it says no", "sc-01"
		}
		r.Swarm.Items = append(r.Swarm.Items, v)
	}
	for i := range 8 {
		c := shadow.CriterionVerdict{ID: shadow.CriterionID(i), Kind: shadow.AskItems, Outcome: shadow.Passed}
		switch {
		case i < failed:
			c.Outcome = shadow.Failed
		case others == shadow.ItemUnread:
			c.Outcome = shadow.Unread
		}
		r.Swarm.Criteria = append(r.Swarm.Criteria, c)
	}
	r.Swarm.Counts = shadow.CountItems(r.Swarm.Items)
	return r
}

// drawn is what show draws on a terminal without colour.
func drawn(show func(*Live)) string {
	var b bytes.Buffer
	show(NewLive(NewTerminal(&b, true), false))
	return b.String()
}

// Columns begin where the head says, whatever is in them.
func TestLiveTable(t *testing.T) {
	r := history.NewRun("r")
	r.Reports["a"] = []*shadow.Report{liveReport("a", 0, 0, shadow.ItemFound, "perfect")}
	r.Reports["bad"] = []*shadow.Report{liveReport("bad", 8, 5, "", "critical", "why")}
	r.Reports["a-domain-with-a-long-name"] = []*shadow.Report{liveReport("a-domain-with-a-long-name", 1, 1, shadow.ItemUnread, shadow.WordUnread, "unread: nobody has read 4 of 5 items")}
	r.Scored = &shadow.RunData{Median: "12.5", Level: shadow.Minor, Verdict: "minor", Advisory: true, Domains: []shadow.DomainSummary{{Domain: "a"}, {Domain: "a-domain-with-a-long-name"}, {Domain: "bad"}},
		Missing: []string{"silent"}, Counts: shadow.ItemCounts{Items: 15, Found: 5, Missing: 6, Unread: 4}, Unassigned: []string{"R2"}}
	got := drawn(func(l *Live) { l.table(r) })
	want := `
Run r
     domain                      before    after  verdict   items                          gate
  ✅ a                            0.0 %    0.0 %  perfect   5 found                        proceed
  ⚪ a-domain-with-a-long-name   12.5 %   12.5 %  unread    1 missing, 4 unread            proceed [ADVISORY]
  🔴 bad                        100.0 %  100.0 %  critical  5 missing                      proceed [ADVISORY]
  ·  silent                           -        -  -         -                              no bundle came
  🟢 run                                  12.5 %  minor     5 found, 6 missing, 4 unread  median of 3 [ADVISORY]
  no domain's assignment names these requirements, so nobody was asked for them: R2
`
	want = strings.ReplaceAll(want, "unread            proceed", "unread           proceed")
	want = strings.ReplaceAll(want, "items                          gate", "items                         gate")
	want = strings.ReplaceAll(want, "found                        proceed", "found                       proceed")
	want = strings.ReplaceAll(want, "missing                      proceed", "missing                     proceed")
	want = strings.ReplaceAll(want, "-                              no", "-                             no")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What is missing is told with its line and who says so, and what nobody read is
// not among what passed.
func TestLiveFailures(t *testing.T) {
	got := drawn(func(l *Live) {
		l.failures(liveReport("a", 1, 1, shadow.ItemUnread, shadow.WordUnread, "unread: nobody has read 4 of 5 items"))
	})
	wantLines(t, got, "  a, cycle 0: 0 of 8 criteria passed, 1 failed, 7 unread; 5 items: 1 missing, 4 unread",
		"    ✗ missing      sub-task 1: do it (line 7, by gpt, asked by sc-01): it says no",
		"    ? unread       sub-task 5: do it",
		"    ADVISORY  unread: nobody has read 4 of 5 items")
	got = drawn(func(l *Live) { l.failures(liveReport("a", 0, 0, shadow.ItemFound, "perfect")) })
	if want := "  a, cycle 0: 8 of 8 criteria passed; 5 items: 5 found\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	broken := liveReport("a", 8, 0, "", shadow.WordSealBroken, "the seal is broken") // it names no criterion
	broken.Swarm.Items, broken.Swarm.Criteria, broken.Swarm.Counts, broken.SealedTests.Total = nil, nil, shadow.ItemCounts{}, 8
	got = drawn(func(l *Live) { l.failures(broken) })
	wantLines(t, got, "  a, cycle 0: 0 of 8 criteria passed", "    ADVISORY  the seal is broken")
}

// Where there is little room, what is missing is told, and what failed beside it
// in a line each.
func TestLiveBrief(t *testing.T) {
	rep := liveReport("a", 2, 1, shadow.ItemUnread, shadow.WordUnread)
	rep.Swarm.Criteria[1].Kind = shadow.AskFigures
	rep.Failures = []shadow.Failure{{TestName: "sc-01", Expected: "do it", Actual: "sub-task 1: it says no"}, {TestName: "sc-02", Expected: "sums", Actual: "line 3: 2 + 2 is 4"}}
	got := drawn(func(l *Live) { l.Brief = true; l.failures(rep) })
	want := "  a, cycle 0: 0 of 8 criteria passed, 2 failed, 6 unread; 5 items: 1 missing, 4 unread\n" +
		"    ✗ missing      sub-task 1: do it (line 7, by gpt, asked by sc-01): it says no\n    ✗ sc-02 \n      found     line 3: 2 + 2 is 4\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
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
