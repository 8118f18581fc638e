package shadow

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// conformance lists the rules of the Shadow Score Spec 2.0.0, each with a test
// that shows it on whole reports. docs/conformance.md has a row for each.
var conformance = []struct {
	rule string
	test func(t *testing.T)
}{
	{"L1 formula", func(t *testing.T) {
		for failed, want := range []json.Number{"0.0", "12.5", "25.0", "37.5", "50.0", "62.5", "75.0"} {
			r := decided(t, settings(), failed)
			if r.Report.ShadowScore != want || r.SealedTests != (SealedTally{Total: 8, Passed: 8 - failed, Failed: failed}) {
				t.Errorf("%d of 8: %s, %+v", failed, r.Report.ShadowScore, r.SealedTests)
			}
		}
	}},
	{"L1 exact boundaries", func(t *testing.T) {
		for _, c := range []struct {
			Score
			level Level
			over  bool
		}{{Score{94, 625, 0}, Moderate, true}, {Score{3, 20, 0}, Minor, false}, {Score{1, 3000, 0}, Minor, false}, {Score{20, 133, 0}, Moderate, true}, {Score{0, 9, 0}, Perfect, false}, {Score{}, Perfect, false},
			{Score{3, 10, 0}, Moderate, true}, {Score{94, 313, 0}, Significant, true}, {Score{4, 8, 0}, Significant, true}, {Score{51, 101, 0}, Critical, true}} {
			if c.Level() != c.level || c.Exceeds(15) != c.over {
				t.Errorf("%v: %s, over 15 %%: %v", c.Score, c.Level(), c.Exceeds(15))
			}
		}
	}},
	{"L1 rounding", func(t *testing.T) {
		for want, s := range map[json.Number]Score{"31.2": {5, 16, 0}, "6.2": {1, 16, 0}, "15.0": {20, 133, 0}, "33.3": {1, 3, 0}, "66.7": {2, 3, 0}, "0.0": {1, 3000, 0}} {
			if s.Percent() != want {
				t.Errorf("%v is shown as %s, want %s", s, s.Percent(), want)
			}
		}
	}},
	{"L1 required fields", func(t *testing.T) {
		var r map[string]any
		unmarshal(t, decided(t, settings(), 2), &r)
		for _, path := range []string{"shadow_score_spec_version", "report/shadow_score", "report/level", "sealed_tests/total", "sealed_tests/passed",
			"sealed_tests/failed", "failures", "report/conformance_level", "report/sealed_hash", "report/timestamp", "report/id", "report/specification"} {
			if at(r, path) == nil {
				t.Errorf("%s is missing", path)
			}
		}
		for _, path := range []string{"conformance_level", "independence", "implementer_family", "seal_author_families", "shadow_score", "advisory"} {
			if at(r, path) != nil {
				t.Errorf("%s stands at the root", path)
			}
		}
	}},
	{"L1 failures", func(t *testing.T) {
		r := decided(t, settings(), 2)
		if len(r.Failures) != 2 {
			t.Fatalf("%d failures", len(r.Failures))
		}
		for _, f := range r.Failures {
			if f.TestName == "" || f.Category == "" || f.Expected == "" || f.Actual == "" || f.Message == "" {
				t.Errorf("failure %+v", f)
			}
		}
	}},
	{"L2 criteria by scale", func(t *testing.T) {
		for scale, want := range map[string]struct{ criteria, cycles int }{"ss-50": {6, 0}, "SS-100": {8, 1}, "": {8, 1}, "Ss-250": {10, 1}} {
			d := decomposition()
			d.Domains[0].SubTasks = append(subTasks(), "Write the chapter on hotel", "Write the chapter on india")
			d.Scale = scale
			e := mustSeal(t, d, settings())
			if !slices.Equal(e.CriteriaByDomain, []int{want.criteria, min(want.criteria, 8)}) || len(e.Criteria) != want.criteria || e.Policy.MaxCycles != want.cycles {
				t.Errorf("%q: criteria %v of %d, %d cycles", scale, e.CriteriaByDomain, len(e.Criteria), e.Policy.MaxCycles)
			}
		}
		s := settings()
		s.MaxCriteria = 7
		if e := mustSeal(t, decomposition(), s); len(e.Criteria) != 7 {
			t.Errorf("%d criteria beside a maximum of 7", len(e.Criteria))
		}
		d := decomposition()
		d.Scale = "huge"
		if _, err := trySeal(d, s); err == nil || !strings.Contains(err.Error(), "ss-50, ss-100 or ss-250") {
			t.Errorf("an unknown scale: %v", err)
		}
	}},
	{"L2 a broken seal passes nothing", func(t *testing.T) {
		c := mustSeal(t, decomposition(), settings()).Commitment
		r := Broken(&c, decomposition().Domains, evidence(0, 0), nil, "test")
		if r.Swarm.Score != (Score{Failed: 8, Total: 8}) || !*r.Report.SealBroken || !*r.Report.Advisory || r.Swarm.Gate.Action != Quarantine || r.Swarm.Hardening.Requested || !r.Swarm.Final {
			t.Errorf("report %+v", r)
		}
	}},
	{"L3 no hardening at SS-50", func(t *testing.T) {
		d := decomposition()
		d.Scale = "ss-50"
		r := mustExam(t, d, settings()).Decide(evidence(0, 3), nil, time.Time{})
		if r.Swarm.Hardening.Requested || r.Hardening != nil || !r.Swarm.Final {
			t.Errorf("report %+v", r.Swarm)
		}
	}},
	{"L3 messages only", func(t *testing.T) {
		x := mustExam(t, decomposition(), settings(), scripted{})
		r := x.Decide(judged(evidence(0, 0), "sub-task 1", "sub-task 2", written(x, 0)), nil, time.Time{})
		req := Request(r, &x.Envelope.Policy, time.Unix(100, 5))
		if len(req.Issues) != 3 || req.Cycle != 1 || !req.Deadline.Equal(time.Unix(160, 5)) {
			t.Errorf("%+v", req)
		}
		want := "SHADOW HARDENING — Fix these issues:\n"
		for _, i := range req.Issues {
			want += fmt.Sprintf("- [%s] %s\n", i.ID, i.Message)
		}
		if req.Text != want {
			t.Errorf("request %q, want %q", req.Text, want)
		}
		raw, _ := json.Marshal(req)
		for _, c := range x.Envelope.asked("one") {
			for _, secret := range []string{c.Assertion, c.Expected} {
				if c.Kind == AskWritten && strings.Contains(string(raw), secret) {
					t.Errorf("the request tells %q", secret)
				}
			}
		}
		for _, word := range []string{"score", "seal", "criteri", "percent", "%"} {
			if strings.Contains(strings.ToLower(req.Text), word) {
				t.Errorf("%q in %q", word, req.Text)
			}
		}
		if x.Leaks(string(raw)) {
			t.Errorf("sealed text in %s", raw)
		}
	}},
	{"L4 independence of both pairs", func(t *testing.T) {
		for name, c := range map[string]struct {
			change func(d *Decomposition)
			weak   bool
		}{
			"strong":                      {func(*Decomposition) {}, false},
			"specifier and implementer":   {func(d *Decomposition) { d.Specifier.Family = "beta" }, true},
			"seal author and implementer": {func(d *Decomposition) { d.Domains[0].Implementer.Family = "rules" }, true},
			"specifier and seal author":   {func(d *Decomposition) { d.Specifier.Family = "rules" }, false},
			"one model, a family stated":  {func(d *Decomposition) { d.Specifier.Model, d.Domains[0].Implementer = "x-1", &Model{Model: "x-1"} }, true},
			"one model, two stated":       {func(d *Decomposition) { d.Specifier.Model, d.Domains[0].Implementer.Model = "x-1", "X-1" }, true},
			"one base, called by its laboratory": {func(d *Decomposition) {
				d.Specifier, d.Domains[0].Implementer = &Model{Model: "tuned-1", Family: "OpenAI"}, &Model{Model: "gpt-5"}
			}, true},
		} {
			d := decomposition()
			c.change(d)
			s := walled()
			s.Families = Families{{"gpt-*", "gpt"}, {"openai", "gpt"}}
			r := mustExam(t, d, s, ruled).Decide(evidence(0, 0), nil, time.Time{})
			if (r.Report.Independence == "weak") != c.weak || *r.Report.Advisory != c.weak {
				t.Errorf("%s: %s, advisory %v", name, r.Report.Independence, *r.Report.Advisory)
			}
		}
	}},
	{"L4 provenance", func(t *testing.T) {
		r := mustExam(t, decomposition(), walled(), ruled).Decide(evidence(0, 0), nil, time.Time{})
		h := &r.Report
		if h.ConformanceLevel != 4 || h.Independence != "strong" || h.ImplementerFamily != "beta" || !slices.Equal(h.SealAuthorFamilies, []string{"rules"}) || h.WorkspaceIsolation != "strict" {
			t.Errorf("report %+v", h)
		}
	}},
	{"L4 specifier disclosed", func(t *testing.T) {
		d := decomposition()
		d.Specifier = &Model{Model: "s-1", Family: "rules"} // the seal author's, which may be
		for version, want := range map[string]string{"2.0.0": "rules s-1", "1.0.0": " "} {
			s := walled()
			s.SpecVersion = version
			h := mustExam(t, d, s, ruled).Decide(evidence(0, 0), nil, time.Time{}).Report
			if got := h.SpecifierFamily + " " + h.SpecifierModel; got != want || len(h.SealAuthorFamilies) > 1 {
				t.Errorf("%s: specifier %q, want %q", version, got, want)
			}
		}
	}},
	{"L4 level as truly met", func(t *testing.T) {
		off, three, replayed := walled(), walled(), walled()
		off.MaxCycles, three.ConformanceLevel, replayed.Replay = 0, 3, true
		for _, c := range []struct {
			settings *Settings
			level    int
			reasons  []string
		}{
			{walled(), 4, nil},
			{three, 3, []string{"level 3: the configuration allows no more"}},
			{off, 2, []string{"level 2: the run has no hardening"}},
			{settings(), 1, []string{"level 1: the bus is not walled"}},
			{replayed, 1, []string{"level 1: a replay: the work is older than the criteria"}},
		} {
			r := mustExam(t, decomposition(), c.settings, ruled).Decide(evidence(0, 0), nil, time.Time{})
			if r.Report.ConformanceLevel != c.level || !slices.Equal(r.Swarm.LevelReasons, c.reasons) {
				t.Errorf("claims level %d: %q, want %d: %q", r.Report.ConformanceLevel, r.Swarm.LevelReasons, c.level, c.reasons)
			}
		}
		x := mustExam(t, decomposition(), walled())
		if r := x.Decide(evidence(0, 0), nil, time.Time{}); r.Report.ConformanceLevel != 2 || !strings.Contains(strings.Join(r.Swarm.LevelReasons, ""), "they can be guessed") {
			t.Errorf("of what only shadowd wrote: level %d, %q", r.Report.ConformanceLevel, r.Swarm.LevelReasons)
		}
		if r := x.Decide(evidenceOf(0, x.Envelope.Decoy.Token), nil, time.Time{}); r.Report.ConformanceLevel != 1 {
			t.Errorf("with a broken seal: level %d", r.Report.ConformanceLevel)
		}
	}},
	{"L4 not by leaving something out", func(t *testing.T) {
		for name, c := range map[string]struct {
			change func(d *Decomposition)
			reason string
		}{
			"no specifier":          {func(d *Decomposition) { d.Specifier = nil }, "level 3: no specifier is named"},
			"no implementer":        {func(d *Decomposition) { d.Domains[0].Implementer = nil }, "level 3: no implementer is named"},
			"specifier unmapped":    {func(d *Decomposition) { d.Specifier = &Model{Model: "zephyr-x-large"} }, `level 3: the family of the specifier "zephyr-x-large" is neither stated nor mapped`},
			"implementer unmapped":  {func(d *Decomposition) { d.Domains[0].Implementer = &Model{Model: "zephyr-x-small"} }, `level 3: the family of the implementer "zephyr-x-small" is neither stated nor mapped`},
			"specifier of no model": {func(d *Decomposition) { d.Specifier = &Model{} }, "level 3: no specifier is named"},
		} {
			d := decomposition()
			c.change(d)
			x := mustExam(t, d, walled(), ruled)
			r := x.Decide(evidence(0, 3), nil, time.Time{})
			if r.Report.ConformanceLevel != 3 || r.Report.Independence != "" || !slices.Equal(r.Swarm.LevelReasons, []string{c.reason}) {
				t.Errorf("%s: level %d, %q, %q", name, r.Report.ConformanceLevel, r.Report.Independence, r.Swarm.LevelReasons)
			}
			// A fix that names somebody else may repeat the same work, and so may
			// one that is not kept.
			for _, failed := range []int{0, 5} {
				fix := evidence(1, failed)
				fix.Submission.Bundle.Implementer = &Model{Family: "beta"}
				if r := x.Decide(fix, r, time.Unix(500, 0)); r.Report.ConformanceLevel != 3 {
					t.Errorf("%s, then a fix: level %d", name, r.Report.ConformanceLevel)
				}
			}
		}
		x := mustExam(t, decomposition(), walled(), scripted{model: Model{Model: "zephyr-x-base"}})
		if r := x.Decide(evidence(0, 0), nil, time.Time{}); r.Report.ConformanceLevel != 3 || len(r.Swarm.LevelReasons) != 1 {
			t.Errorf("seal author unmapped: level %d, %q", r.Report.ConformanceLevel, r.Swarm.LevelReasons)
		}
	}},
	{"spec 1.0.0 has no 2.0.0 fields", func(t *testing.T) {
		s := settings()
		s.SpecVersion, s.ConformanceLevel = "1.0.0", 3
		d := decomposition()
		d.SpecificationTruncated = true
		x := mustExam(t, d, s)
		var r map[string]any
		unmarshal(t, x.Decide(evidence(1, 1), x.Decide(evidence(0, 2), nil, time.Time{}), time.Unix(500, 0)), &r)
		for object, known := range map[string][]string{
			"report":    {"id", "level", "sealed_hash", "shadow_score", "specification", "timestamp"},
			"hardening": {"cycles_completed", "final_shadow_score", "initial_shadow_score", "max_cycles"},
		} {
			if got := slices.Sorted(maps.Keys(r[object].(map[string]any))); !slices.Equal(got, known) {
				t.Errorf("%s of a 1.0.0 report has %v", object, got)
			}
		}
		if at(r, "swarm/advisory_reasons") == nil || at(r, "swarm/level_reasons") != nil {
			t.Errorf("a 1.0.0 report lost that it is advisory, or has a reason for a level: %v", r["swarm"])
		}
	}},
	{"L3 what was revealed", func(t *testing.T) {
		for failed, want := range map[int]string{0: "", 3: "message"} {
			if got := decided(t, settings(), failed).Hardening.MaxReveal; got != want {
				t.Errorf("%d of 8: max_reveal %q, want %q", failed, got, want)
			}
		}
		if got := decided(t, settings(), 3, 0).Hardening.MaxReveal; got != "message" {
			t.Errorf("after a fix: %q", got)
		}
	}},
}

// TestConformance shows every rule of the specification on its own.
func TestConformance(t *testing.T) {
	for _, c := range conformance {
		t.Run(c.rule, c.test)
	}
}

// TestConformanceDocumented: docs/conformance.md has a row for each rule, and each test
// that it names exists.
func TestConformanceDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "conformance.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, c := range conformance {
		known[c.rule] = true
		if !strings.Contains(string(page), "\n| "+c.rule+" |") {
			t.Errorf("docs/conformance.md has no row %q", c.rule)
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| ([^|]+) \\|.*\\| `TestConformance`(?: of \"(.+)\")? \\|$").FindAllStringSubmatch(string(page), -1) {
		if rule := cmp.Or(m[2], m[1]); !known[rule] {
			t.Errorf("docs/conformance.md: no rule is called %q", rule)
		}
	}
	named := regexp.MustCompile("`(Test\\w+)` in `([\\w/.]+)`").FindAllStringSubmatch(string(page), -1)
	for _, m := range named {
		files, err := filepath.Glob(filepath.Join("..", "..", m[2], "*_test.go"))
		if err != nil || !slices.ContainsFunc(files, func(f string) bool {
			src, err := os.ReadFile(f)
			return err == nil && strings.Contains(string(src), "func "+m[1]+"(")
		}) {
			t.Errorf("docs/conformance.md names %s, which is not in %s", m[1], m[2])
		}
	}
	if len(named) < 40 {
		t.Errorf("docs/conformance.md names %d tests", len(named))
	}
}

// decided judges a bundle and then fixes that fail so many criteria each.
func decided(t *testing.T, s *Settings, failed ...int) (r *Report) {
	t.Helper()
	x := mustExam(t, decomposition(), s)
	for cycle, n := range failed {
		r = x.Decide(evidence(cycle, n), r, time.Unix(500, 0).UTC())
	}
	return r
}

// ruled is an author of the family of shadowd's own criteria.
var ruled = scripted{model: Model{Family: "rules"}}

// walled is what a fully walled bus gives.
func walled() *Settings {
	s := settings()
	s.WorkspaceIsolation = "strict"
	return s
}

// unmarshal reads a report as its readers do.
func unmarshal(t *testing.T, r *Report, into any) {
	t.Helper()
	raw, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// at finds a value by its path.
func at(v any, path string) any {
	for _, key := range strings.Split(path, "/") {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}
