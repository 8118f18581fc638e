package shadow

import (
	"encoding/json"
	"fmt"
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
				r = TimedOut(&x.Envelope.Policy, r, deadline, "")
			}
			sw := &r.Swarm
			got := want{sw.Score.Failed, r.Report.Level, sw.Gate.Action, sw.Final, sw.Hardening.Requested, sw.Hardening.Regressed, sw.AcceptedCycle, len(sw.Hardening.Escalate), "", 0}
			if h := r.Hardening; h != nil {
				got.velocity, got.cyclesCompleted = h.HardeningVelocity, h.CyclesCompleted
				if h.InitialShadowScore != (Score{c.fails[0], 8}).Percent() || h.FinalShadowScore != r.Report.ShadowScore {
					t.Errorf("hardening %+v", h)
				}
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if len(r.Failures) != sw.Score.Failed {
				t.Errorf("%d failures listed of %d", len(r.Failures), sw.Score.Failed)
			}
			if sw.Hardening.TimedOut != c.timeout {
				t.Errorf("timed out: %v", sw.Hardening.TimedOut)
			}
			if len(sw.Cycles) != len(c.fails) {
				t.Errorf("cycles %+v", sw.Cycles)
			}
			if sw.Gate.Enforced != s.EnforceGates {
				t.Errorf("gate %+v", sw.Gate)
			}
		})
	}
}

func TestAdvisory(t *testing.T) {
	natural := func(cs []Criterion) []Criterion { cs[0].Check = ""; return cs }
	for name, c := range map[string]struct {
		d      func(*Decomposition)
		ev     func(*Evidence)
		mangle func([]Criterion) []Criterion
		want   []string
	}{
		"none":       {},
		"kin":        {d: func(d *Decomposition) { d.Specifier.Family = "beta" }, want: []string{"specifier and the implementer"}},
		"author kin": {d: func(d *Decomposition) { d.Domains[0].Implementer.Family = "rules" }, want: []string{"author and the implementer"}},
		"same model, no family": {d: func(d *Decomposition) {
			d.Specifier = &Model{Model: "m-1"}
			d.Domains[0].Implementer = &Model{Model: "m-1"}
		}, want: []string{"specifier and the implementer"}},
		"unnamed":   {d: func(d *Decomposition) { d.Specifier, d.Domains[0].Implementer = nil, nil }},
		"truncated": {d: func(d *Decomposition) { d.SpecificationTruncated = true }, want: []string{"truncated"}},
		"early":     {ev: func(ev *Evidence) { ev.BeforeSeal = true }, want: []string{"before the seal"}},
		"no judge":  {mangle: natural, want: []string{"could not be judged: sc-"}},
		"all at once": {
			d: func(d *Decomposition) {
				d.Specifier.Family, d.Domains[0].Implementer.Family, d.SpecificationTruncated = "rules", "rules", true
			},
			ev: func(ev *Evidence) { ev.BeforeSeal = true }, mangle: natural,
			want: []string{"author and the implementer", "specifier and the implementer", "truncated", "before the seal", "could not be judged"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := decomposition()
			if c.d != nil {
				c.d(d)
			}
			x := mangledExam(t, d, c.mangle)
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

// TestFlatVelocity: a fix that fails the same criteria for other reasons, and
// is no better, is marked; one that is better, or fails for the same reason,
// is not.
func TestFlatVelocity(t *testing.T) {
	x := mangledExam(t, decomposition(), func(cs []Criterion) []Criterion {
		for i := range cs {
			cs[i].Check = "text.contains(material.word) ? [] : [text]"
		}
		return cs
	})
	without := func(n int, more string) string { return more + strings.Join(words[n:], " ") }
	first := x.Decide(evidenceOf(0, without(3, "")), nil, time.Time{})
	for fix, want := range map[string]int{without(3, ""): 0, without(3, "other "): 3, without(2, "other "): 0, without(4, "other "): 3} {
		r := x.Decide(evidenceOf(1, fix), first, time.Unix(500, 0))
		if got := r.Swarm.Hardening.FlatVelocity; len(got) != want {
			t.Errorf("%q after %q: flat %v, want %d", fix, without(3, ""), got, want)
		}
	}
}

// TestUndecided: what could not be judged is not passed, and not put to the
// commander.
func TestUndecided(t *testing.T) {
	x := mangledExam(t, decomposition(), func(cs []Criterion) []Criterion {
		cs[0].Check, cs[1].Check = "", ""
		return cs
	})
	r := x.Decide(evidence(0, 0), nil, time.Time{})
	if r.Swarm.Score != (Score{2, 8}) || len(r.Swarm.Undecided) != 2 || !r.Swarm.Final {
		t.Errorf("undecided only: %+v", r.Swarm)
	}
	r = x.Decide(evidence(0, 4), nil, time.Time{})
	if !r.Swarm.Hardening.Requested {
		t.Fatalf("%+v", r.Swarm)
	}
	if h := Request(r, &x.Envelope.Policy, time.Unix(100, 0)); len(h.Issues) != 2 {
		t.Errorf("put to the commander: %+v", h.Issues)
	}
}

func TestDecoy(t *testing.T) {
	x := mustExam(t, decomposition(), settings())
	honest := x.Decide(evidence(0, 3), nil, time.Time{})
	ev := evidenceOf(1, strings.Join(words, " ")+" "+strings.ToUpper(x.Envelope.Decoy.Token))
	r := x.Decide(ev, honest, time.Unix(500, 0))
	sw := &r.Swarm
	if sw.SealBroken == "" || sw.Score != (Score{8, 8}) || !sw.Final || sw.Gate.Action != Quarantine || !*r.Report.SealBroken || !*r.Report.Advisory || sw.AcceptedCycle != 1 {
		t.Errorf("a bundle with the decoy's token: %+v", sw)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if x.Leaks(string(raw)) {
		t.Error("the report of a broken seal shows sealed text")
	}
}

// TestLongTask: a report repeats the beginning of a task.
func TestLongTask(t *testing.T) {
	d := decomposition()
	d.Task = strings.Repeat("Build the thing. ", 3000)
	r := mustExam(t, d, settings()).Decide(evidence(0, 0), nil, time.Time{})
	if got := r.Report.Specification; len(got) > maxTask+2 || !strings.HasPrefix(d.Task, strings.TrimSuffix(got, "…")) {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

// TestRequestIsAllThereIs: a hardening request is the spec's block and holds
// no sealed text.
func TestRequestIsAllThereIs(t *testing.T) {
	x := mustExam(t, decomposition(), settings())
	r := x.Decide(evidence(0, 2), nil, time.Time{})
	h := Request(r, &x.Envelope.Policy, time.Unix(100, 5))
	var want strings.Builder
	want.WriteString("SHADOW HARDENING — Fix these issues:\n")
	for i, f := range r.Failures {
		fmt.Fprintf(&want, "- [issue-%d] %s\n", i+1, f.Message)
	}
	if h.Text != want.String() || len(h.Issues) != 2 || h.Cycle != 1 || !h.Deadline.Equal(time.Unix(160, 5)) {
		t.Errorf("%+v", h)
	}
	raw, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	if x.Leaks(string(raw)) {
		t.Errorf("sealed text in %s", raw)
	}
	for _, word := range []string{"score", "seal", "criteri", "percent", "%"} {
		if strings.Contains(strings.ToLower(h.Text), word) {
			t.Errorf("%q in %q", word, h.Text)
		}
	}
}

// TestLeakyEnvelope: a message that gives another criterion away is replaced
// when it would be told.
func TestLeakyEnvelope(t *testing.T) {
	x := mangledExam(t, decomposition(), func(cs []Criterion) []Criterion {
		m := cs[0].Material["one"]
		m.Message = "See also: " + cs[1].Expected
		cs[0].Material["one"] = m
		return cs
	})
	r := x.Decide(evidence(0, 2), nil, time.Time{})
	if h := Request(r, &x.Envelope.Policy, time.Unix(1, 0)); x.Leaks(h.Text) || len(h.Issues) != 2 {
		t.Errorf("told: %q", h.Text)
	}
}

func TestSpecVersionOne(t *testing.T) {
	s := settings()
	s.SpecVersion, s.ConformanceLevel = "1.0.0", 2
	x := mustExam(t, decomposition(), s)
	ev := evidence(0, 1)
	ev.BeforeSeal = true
	raw, err := json.Marshal(x.Decide(ev, nil, time.Time{}))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Version string         `json:"shadow_score_spec_version"`
		Report  map[string]any `json:"report"`
		Swarm   struct {
			Reasons []string `json:"advisory_reasons"`
		} `json:"swarm"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"seal_broken", "independence", "implementer_family", "seal_author_families", "workspace_isolation", "spec_ambiguity", "advisory", "advisory_reason"} {
		if _, there := r.Report[field]; there {
			t.Errorf("a 1.0.0 report has %s", field)
		}
	}
	if r.Version != "1.0.0" || len(r.Swarm.Reasons) != 1 {
		t.Errorf("%s", raw)
	}
}

// TestLevelClaimed: no report on an unwalled bus claims more than level 1.
func TestLevelClaimed(t *testing.T) {
	for isolation, want := range map[string]int{"legacy": 1, "strict": 4} {
		s := settings()
		s.WorkspaceIsolation = isolation
		if got := mustExam(t, decomposition(), s).Decide(evidence(0, 0), nil, time.Time{}).Report.ConformanceLevel; got != want {
			t.Errorf("%s: level %d, want %d", isolation, got, want)
		}
	}
	s := settings()
	s.WorkspaceIsolation = "strict"
	d := decomposition()
	d.Domains[0].Implementer = nil
	x := mustExam(t, d, s)
	if got := x.Decide(evidence(0, 0), nil, time.Time{}).Report.ConformanceLevel; got != 3 {
		t.Errorf("of an unnamed implementer: level %d, want 3", got)
	}
	if got := x.Decide(evidenceOf(0, x.Envelope.Decoy.Token), nil, time.Time{}).Report.ConformanceLevel; got != 1 {
		t.Errorf("with a broken seal: level %d, want 1", got)
	}
	early := evidence(0, 0)
	early.BeforeSeal = true
	if got := x.Decide(early, nil, time.Time{}).Report.ConformanceLevel; got != 1 {
		t.Errorf("of a bundle before the seal: level %d, want 1", got)
	}
	s.MaxCycles = 0
	if got := mustExam(t, decomposition(), s).Decide(evidence(0, 0), nil, time.Time{}).Report.ConformanceLevel; got != 2 {
		t.Errorf("without hardening: level %d, want 2", got)
	}
}

// TestDecideIsPure: the same evidence gives the same bytes, and what it
// leads to depends on the stored report alone.
func TestDecideIsPure(t *testing.T) {
	s := settings()
	s.MaxCycles = 3
	x := mustExam(t, decomposition(), s)
	rapid.Check(t, func(t *rapid.T) {
		var a, b *Report
		for cycle := range rapid.IntRange(1, 4).Draw(t, "submissions") {
			ev := evidence(cycle, rapid.IntRange(0, 8).Draw(t, "failed"))
			if a != nil && !a.Swarm.Hardening.Requested {
				break
			}
			a = x.Decide(ev, a, time.Unix(500, 0).UTC())
			b = x.Decide(ev, reread(t, b), time.Unix(500, 0).UTC())
			if diff := cmp.Diff(encoded(t, a), encoded(t, b)); diff != "" {
				t.Fatal(diff)
			}
			if diff := cmp.Diff(followUp(t, x, a), followUp(t, x, reread(t, a))); diff != "" {
				t.Fatalf("what follows from the report as it was made (-), and as it is read (+):\n%s", diff)
			}
			best := 8
			for _, c := range a.Swarm.Cycles {
				best = min(best, c.Score.Failed)
			}
			if a.Swarm.Score.Failed != best {
				t.Fatalf("the score that stands is %d, the best was %d", a.Swarm.Score.Failed, best)
			}
		}
	})
}

// followUp is what follows from a report.
func followUp(t *rapid.T, x *Exam, r *Report) []string {
	return []string{encoded(t, Request(r, &x.Envelope.Policy, time.Unix(600, 0).UTC())), encoded(t, Notice(r)), encoded(t, r.Redecide(&x.Envelope.Policy, nil, time.Time{}))}
}

func encoded(t *rapid.T, v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func reread(t *rapid.T, r *Report) *Report {
	if r == nil {
		return nil
	}
	out := &Report{}
	if err := json.Unmarshal([]byte(encoded(t, r)), out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSum(t *testing.T) {
	x := mustExam(t, decomposition(), settings())
	one := x.Decide(evidence(0, 1), nil, time.Time{})
	sum := Sum(&x.Commitment, x.Envelope.Domains, []*Report{one, nil})
	if !sum.Incomplete || len(sum.Missing) != 1 || sum.Missing[0] != "two" || sum.Median != "12.5" || sum.Level != Minor || len(sum.Domains) != 1 {
		t.Errorf("%+v", sum)
	}
	if one.Swarm.AdvisoryReasons = append(one.Swarm.AdvisoryReasons, "unread: the assignment has no item to read"); sum.Domains[0].Unread || !Sum(&x.Commitment, x.Envelope.Domains, []*Report{one, nil}).Domains[0].Unread {
		t.Errorf("unread is %v and then not", sum.Domains[0].Unread)
	}
	none := Sum(&x.Commitment, x.Envelope.Domains, []*Report{nil, nil})
	if !none.Incomplete || len(none.Domains) != 0 {
		t.Errorf("%+v", none)
	}
}

func TestDecode(t *testing.T) {
	for name, c := range map[string]struct{ event, data, want string }{
		"fix of another bundle": {FixSubmitted, `{"run_id":"r","bundle_id":"a","domain":"d","commander_id":"c","cycle":1,"bundle":{"bundle_id":"b","domain":"d","commander_id":"c"}}`, "bundle_id"},
		"domain twice":          {DecompositionDone, `{"run_id":"r","task":"t","domains":[{"domain":"d","commander_id":"a"},{"domain":"d","commander_id":"b"}]}`, "twice"},
		"requirement twice":     {DecompositionDone, `{"run_id":"r","task":"t","domains":[],"requirements":[{"id":"x"},{"id":"x"}]}`, "/requirements/1/id"},
		"an output":             {GapReport, `{}`, "not an input"},
		"wrong type":            {BundleComplete, `{"run_id":1}`, "run_id"},
	} {
		if _, err := Decode(c.event, []byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
}

// TestDecoyEscaped: JSON has many ways to write one letter.
func TestDecoyEscaped(t *testing.T) {
	x := mustExam(t, decomposition(), settings())
	ev := evidenceOf(0, strings.Join(words, " ")+" "+x.Envelope.Decoy.Token)
	ev.Raw = []byte(`{"content":"\u007a` + x.Envelope.Decoy.Token[1:] + `"}`)
	if r := x.Decide(ev, nil, time.Time{}); r.Swarm.SealBroken == "" {
		t.Error("the token is not seen when the JSON escapes a letter of it")
	}
}

// TestImplementerClaim: a bundle cannot lift a doubt by naming another
// implementer, and naming one that is kin raises it.
func TestImplementerClaim(t *testing.T) {
	for _, c := range []struct {
		specifier, decomposed, claimed string
		weak                           bool
	}{
		{"alpha", "beta", "", false},
		{"alpha", "beta", "gamma", false},
		{"alpha", "alpha", "gamma", true},
		{"alpha", "beta", "alpha", true},
		{"Alpha", " alpha", "", true},
		{"alpha", "", "ALPHA", true},
	} {
		d := decomposition()
		d.Specifier, d.Domains[0].Implementer = &Model{Family: c.specifier}, &Model{Family: c.decomposed}
		ev := evidence(0, 0)
		if c.claimed != "" {
			ev.Submission.Bundle.Implementer = &Model{Family: c.claimed}
		}
		r := mustExam(t, d, settings()).Decide(ev, nil, time.Time{})
		if weak := r.Report.Independence == "weak"; weak != c.weak || *r.Report.Advisory != c.weak {
			t.Errorf("%+v: independence %q, advisory %v", c, r.Report.Independence, *r.Report.Advisory)
		}
	}
}
