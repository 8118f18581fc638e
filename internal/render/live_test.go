package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cloudevents/sdk-go/v2/event"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/reading"
)

// liveReport is a final report on a domain with five items.
func liveReport(domain string, failed, read int, reasons ...string) *shadow.Report {
	score := shadow.Score{Failed: failed, Total: 8}
	r := &shadow.Report{Swarm: shadow.Swarm{RunID: "r", Domain: domain, Final: true, Score: score, Gate: shadow.Gate{Action: shadow.Proceed, Enforced: true},
		Cycles: []shadow.Cycle{{Score: score, Kept: true}}, AdvisoryReasons: reasons, Read: shadow.Read{Items: 5, Read: read}}}
	r.Report.Level, r.Report.ShadowScore = score.Level(), score.Percent()
	for i := range 5 {
		v := shadow.ItemVerdict{ItemRef: shadow.ItemRef{Kind: shadow.SubTask, Index: i}, Text: "do it", Verdict: reading.Declined, By: "rules", Line: 7}
		if i >= read {
			v.Verdict, v.Line = reading.Unread, 0
		}
		r.Swarm.Items = append(r.Swarm.Items, v)
	}
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
	r.Reports["a"] = []*shadow.Report{liveReport("a", 0, 5)}
	r.Reports["bad"] = []*shadow.Report{liveReport("bad", 8, 0, "unread: 0 of 5 items read")}
	r.Reports["a-domain-with-a-long-name"] = []*shadow.Report{liveReport("a-domain-with-a-long-name", 1, 1, "unread: 1 of 5 items read")}
	r.Scored = &shadow.RunData{Median: "12.5", Level: shadow.Minor, Domains: []shadow.DomainSummary{{Domain: "a"}, {Domain: "a-domain-with-a-long-name"}, {Domain: "bad"}},
		Missing: []string{"silent"}, Read: shadow.Read{Items: 10, Read: 6}, Suspect: []string{"sc-02"}}
	got := drawn(func(l *Live) { l.table(r) })
	want := `
Run r
     domain                      before    after  level        read  gate
  ✅ a                            0.0 %    0.0 %  perfect    5 of 5  proceed
  ⚪ a-domain-with-a-long-name   12.5 %   12.5 %  unread     1 of 5  proceed [ADVISORY: unread]
  🔴 bad                        100.0 %  100.0 %  critical   0 of 5  proceed [ADVISORY: unread]
  ·  silent                           -        -  -               -  no bundle came
  ⚪ run                                  12.5 %  unread    6 of 10  median of 3
  suspect: sc-02 failed in every domain where it applies: the criterion or the task may be at fault
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A bundle of which little was read is not called good, and what is declined
// is told with its line and who says so.
func TestLiveFailures(t *testing.T) {
	got := drawn(func(l *Live) { l.failures(liveReport("a", 0, 1, "unread: 1 of 5 items read")) })
	wantLines(t, got, "  a, cycle 0: no criterion failed, 1 of 5 items read",
		"    ✗ declined  sub-task 1: do it (line 7, by rules, no criterion asks for it)",
		"    ? unread    sub-tasks 2 to 5",
		"    ADVISORY  unread: let a person or a judge read the bundle: this score says nothing about 4 items")
	none := liveReport("a", 0, 0, "unread: the assignment has no item to read")
	none.Swarm.Items, none.Swarm.Read = nil, shadow.Read{}
	got = drawn(func(l *Live) { l.failures(none) })
	wantLines(t, got, "    ADVISORY  unread: let a person or a judge read the bundle: its assignment names no item")
	all := liveReport("a", 0, 5)
	all.Swarm.Items, all.Swarm.NotApplicable = nil, []string{"sc-04"}
	got = drawn(func(l *Live) { l.failures(all) })
	wantLines(t, got, "  a, cycle 0: nothing amiss, 5 of 5 items read", "    sc-04 does not apply to this domain, and counts as passed")
	broken := liveReport("a", 8, 0, "the seal is broken") // it names no criterion
	broken.Swarm.Items, broken.Swarm.Read = nil, shadow.Read{}
	got = drawn(func(l *Live) { l.failures(broken) })
	wantLines(t, got, "  a, cycle 0: 8 of 8 criteria not passed", "    ADVISORY  the seal is broken")
}

// Where there is little room, a failure is one line, and what was read needs
// no list.
func TestLiveBrief(t *testing.T) {
	rep := liveReport("a", 1, 5)
	rep.Failures = []shadow.Failure{{TestName: "sc-01", Expected: "do it", Actual: "sub-task 1: line 7 says no", Message: "do it: line 7 says no"}}
	got := drawn(func(l *Live) { l.Brief = true; l.failures(rep) })
	if want := "  a, cycle 0: 1 of 8 criteria not passed, 5 of 5 items read\n    ✗ sc-01  do it: line 7 says no\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got = drawn(func(l *Live) {
		l.Brief = true
		l.failures(liveReport("a", 0, 1, "unread: 1 of 5 items read"))
	})
	wantLines(t, got, "    ? unread    sub-tasks 2 to 5", "    ADVISORY  unread: let a person or a judge read the bundle: this score says nothing about 4 items")
}

// What the bus says stands in columns as well.
func TestLiveLines(t *testing.T) {
	var columns []int
	got := drawn(func(l *Live) {
		for _, rep := range []*shadow.Report{liveReport("a", 0, 5), liveReport("b", 8, 0, "unread: 0 of 5 items read")} {
			data, err := json.Marshal(rep)
			if err != nil {
				t.Fatal(err)
			}
			ev := event.New()
			if err := ev.SetData(event.ApplicationJSON, json.RawMessage(data)); err != nil {
				t.Fatal(err)
			}
			if err := l.Output(history.Output{Address: shadow.Address{Name: shadow.GapReport, Run: "r", Domain: rep.Swarm.Domain}, Event: ev}); err != nil {
				t.Fatal(err)
			}
		}
	})
	for line := range strings.Lines(got) {
		before, _, ok := strings.Cut(line, " of 5 read")
		if !ok {
			t.Fatalf("how much was read is not told: %q", line)
		}
		columns = append(columns, len([]rune(before)))
	}
	if len(columns) != 2 || columns[0] != columns[1] {
		t.Errorf("columns %v of\n%s", columns, got)
	}
}

// What judges can decide is said in one line.
func TestReadableShare(t *testing.T) {
	for _, c := range []struct {
		judges, minRead int
		want, not       string
	}{{0, rulesRead + 1, "most will be", "panel of"}, {0, rulesRead, "stays unread.", "most will be"}, {3, 50, "a panel of 3 judges", "rules alone"}} {
		got := ReadableShare(c.judges, c.minRead)
		if !strings.Contains(got, c.want) || strings.Contains(got, c.not) || strings.Contains(got, "\n") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
