package shadow

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestDecide walks through the ways that a domain can go.
func TestDecide(t *testing.T) {
	deadline := time.Unix(500, 0).UTC()
	type want struct {
		failed          int
		level           Level
		gate            Action
		final, asked    bool
		regressed       bool
		accepted        int
		escalate        int
		velocity        json.Number
		cyclesCompleted int
	}
	for name, c := range map[string]struct {
		settings func(*Settings)
		scale    string
		fails    []int // criteria failed by the bundle and each fix
		timeout  bool  // after the last of them
		want     want
	}{
		"perfect":                {fails: []int{0}, want: want{0, Perfect, Proceed, true, false, false, 0, 0, "0.0", 0}},
		"minor":                  {fails: []int{1}, want: want{1, Minor, Proceed, true, false, false, 0, 0, "0.0", 0}},
		"moderate waits":         {fails: []int{2}, want: want{2, Moderate, Pending, false, true, false, 0, 0, "0.0", 0}},
		"critical waits":         {fails: []int{8}, want: want{8, Critical, Pending, false, true, false, 0, 0, "0.0", 0}},
		"fixed":                  {fails: []int{4, 0}, want: want{0, Perfect, Proceed, true, false, false, 1, 0, "50.0", 1}},
		"better":                 {fails: []int{4, 2}, want: want{2, Moderate, Warn, true, false, false, 1, 2, "25.0", 1}},
		"a tie keeps the fix":    {fails: []int{4, 4}, want: want{4, Significant, Quarantine, true, false, false, 1, 4, "0.0", 1}},
		"worse":                  {fails: []int{2, 5}, want: want{2, Moderate, Warn, true, false, true, 0, 2, "0.0", 1}},
		"silent":                 {fails: []int{5}, timeout: true, want: want{5, Critical, Reject, true, false, false, 0, 5, "0.0", 0}},
		"two cycles":             {settings: func(s *Settings) { s.MaxCycles = 2 }, fails: []int{6, 3, 1}, want: want{1, Minor, Proceed, true, false, false, 2, 1, "31.2", 2}},
		"two cycles, one enough": {settings: func(s *Settings) { s.MaxCycles = 2 }, fails: []int{6, 1}, want: want{1, Minor, Proceed, true, false, false, 1, 1, "62.5", 1}},
		"asked again":            {settings: func(s *Settings) { s.MaxCycles = 2 }, fails: []int{6, 3}, want: want{3, Significant, Pending, false, true, false, 1, 0, "37.5", 1}},
		"worse, then better":     {settings: func(s *Settings) { s.MaxCycles = 2 }, fails: []int{4, 6, 2}, want: want{2, Moderate, Warn, true, false, true, 2, 2, "12.5", 2}},
		"silent in cycle two":    {settings: func(s *Settings) { s.MaxCycles = 2 }, fails: []int{6, 3}, timeout: true, want: want{3, Significant, Quarantine, true, false, false, 1, 3, "37.5", 1}},
		"hardening off":          {settings: func(s *Settings) { s.MaxCycles = 0 }, fails: []int{3}, want: want{3, Significant, Quarantine, true, false, false, 0, 0, "", 0}},
		"observe":                {settings: func(s *Settings) { s.EnforceGates = false }, fails: []int{8, 8}, want: want{8, Critical, Proceed, true, false, false, 1, 8, "0.0", 1}},
		"high threshold":         {settings: func(s *Settings) { s.Threshold = 50 }, fails: []int{4}, want: want{4, Significant, Quarantine, true, false, false, 0, 0, "0.0", 0}},
	} {
		t.Run(name, func(t *testing.T) {
			s := settings()
			if c.settings != nil {
				c.settings(s)
			}
			x := mustExam(t, decomposition(), s)
			var r *Report
			for cycle, n := range c.fails {
				r = x.Decide(evidence(cycle, n), r, deadline)
			}
			if c.timeout {
				r = TimedOut(&x.Envelope.Policy, r, deadline, &Place{Sequence: 9}, "")
			}
			sw := &r.Swarm
			got := want{sw.Score.Failed, r.Report.Level, sw.Gate.Action, sw.Final, sw.Hardening.Requested, sw.Hardening.Regressed, sw.AcceptedCycle, len(sw.Hardening.Escalate), "", 0}
			if h := r.Hardening; h != nil {
				got.velocity, got.cyclesCompleted = h.HardeningVelocity, h.CyclesCompleted
				if h.InitialShadowScore != (Score{Failed: c.fails[0], Total: 8}).Percent() || h.FinalShadowScore != r.Report.ShadowScore {
					t.Errorf("hardening %+v", h)
				}
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if len(r.Failures) != sw.Score.Failed || len(sw.Cycles) != len(c.fails) || sw.Gate.Enforced != s.EnforceGates ||
				sw.Hardening.TimedOut != c.timeout || (sw.Hardening.Tick != nil) != c.timeout {
				t.Errorf("%d failures, %+v", len(r.Failures), sw)
			}
		})
	}
}

func TestAdvisory(t *testing.T) {
	for name, c := range map[string]struct {
		d    func(*Decomposition)
		ev   func(*Evidence)
		want []string
	}{
		"none":      {},
		"truncated": {d: func(d *Decomposition) { d.SpecificationTruncated = true }, want: []string{"truncated"}},
		"early":     {ev: func(ev *Evidence) { ev.BeforeSeal = true }, want: []string{"before the seal"}},
		"no vote":   {ev: func(ev *Evidence) { *ev = undecided(*ev, "sub-task 3") }, want: []string{"could not be judged: sc-"}},
		"no judge":  {ev: func(ev *Evidence) { ev.Panel = PanelVotes{} }, want: []string{"unread: nobody has read 7 of 7 items"}},
		"no judge, an account": {ev: func(ev *Evidence) {
			ev.Panel, ev.Submission.Bundle.Delivery = PanelVotes{}, []Account{{Item: "sub-task 1", Undone: "no time"}}
		}, want: []string{"declares 1 items as not done and leaves 6 out"}},
		"recorded":              {ev: func(ev *Evidence) { ev.Panel.Judges[0].Recorded = true }, want: []string{"read from a file"}},
		"one of two recorded":   {ev: func(ev *Evidence) { ev.Panel.Judges = append(ev.Panel.Judges, JudgeRef{Recorded: true}) }},
		"a judge of the family": {ev: func(ev *Evidence) { ev.Panel.Judges[0].Family = "beta" }, want: []string{`judge "judge" and the implementer`}},
		"one that is silent": {ev: func(ev *Evidence) {
			ev.Panel.Judges = append(ev.Panel.Judges, JudgeRef{AuthorRef: AuthorRef{Name: "other", Model: Model{Family: "beta"}}})
		}},
		"all at once": {
			d: func(d *Decomposition) {
				d.Specifier.Family, d.Domains[0].Implementer.Family, d.SpecificationTruncated = "rules", "rules", true
			},
			ev:   func(ev *Evidence) { *ev = undecided(*ev, "sub-task 3"); ev.BeforeSeal = true },
			want: []string{"author and the implementer", "specifier and the implementer", "truncated", "before the seal", "could not be judged"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := decomposition()
			if c.d != nil {
				c.d(d)
			}
			x := mustExam(t, d, settings())
			ev := evidence(0, 0)
			if c.ev != nil {
				c.ev(&ev)
			}
			r := x.Decide(ev, nil, time.Time{})
			if *r.Report.Advisory != (len(c.want) > 0) || len(r.Swarm.AdvisoryReasons) != len(c.want) {
				t.Fatalf("reasons %q, want %q", r.Swarm.AdvisoryReasons, c.want)
			}
			for i, w := range c.want {
				if !strings.Contains(r.Swarm.AdvisoryReasons[i], w) || !strings.Contains(r.Report.AdvisoryReason, w) {
					t.Errorf("reason %d is %q, want %q in it", i, r.Swarm.AdvisoryReasons[i], w)
				}
			}
		})
	}
}

// TestDecideIsPure: the same evidence gives the same bytes, what it leads to
// depends on the stored report alone, and a report says enough to be decided
// again. A fix stands if no more of it was judged to fail than before.
func TestDecideIsPure(t *testing.T) {
	s := settings()
	s.MaxCycles = 3
	x := mustExam(t, decomposition(), s)
	rapid.Check(t, func(t *rapid.T) {
		var a, b *Report
		for cycle := range rapid.IntRange(1, 4).Draw(t, "submissions") {
			failed := rapid.IntRange(0, 7).Draw(t, "failed")
			ev := undecided(evidence(cycle, failed), subNames()[rapid.IntRange(failed, 7).Draw(t, "decided"):]...)
			if a != nil && !a.Swarm.Hardening.Requested {
				break
			}
			prev := a
			a = x.Decide(ev, prev, time.Unix(500, 0).UTC())
			if diff := cmp.Diff(encoded(a), encoded(reread(t, a).Redecide(&x.Envelope.Policy, reread(t, prev), time.Unix(500, 0).UTC()))); diff != "" {
				t.Fatalf("(-decided +decided again):\n%s", diff)
			}
			b = x.Decide(ev, reread(t, b), time.Unix(500, 0).UTC())
			if diff := cmp.Diff(encoded(a), encoded(b)); diff != "" {
				t.Fatal(diff)
			}
			if diff := cmp.Diff(followUp(x, a), followUp(x, reread(t, a))); diff != "" {
				t.Fatalf("what follows from the report as it was made (-), and as it is read (+):\n%s", diff)
			}
			best := 8
			for _, c := range a.Swarm.Cycles {
				best = min(best, c.Score.Judged().Failed)
			}
			if got := a.Swarm.Score.Judged().Failed; got != best || a.Swarm.Score.Total != 8 {
				t.Fatalf("%d were judged to fail in what stands, at best %d", got, best)
			}
		}
	})
}

// followUp is what follows from a report.
func followUp(x *Exam, r *Report) []string {
	return []string{encoded(Request(r, &x.Envelope.Policy, time.Unix(600, 0).UTC())), encoded(Notice(r))}
}

func reread(t *rapid.T, r *Report) *Report {
	if r == nil {
		return nil
	}
	out := &Report{}
	if err := json.Unmarshal([]byte(encoded(r)), out); err != nil {
		t.Fatal(err)
	}
	return out
}
