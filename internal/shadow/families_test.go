package shadow

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFamilies(t *testing.T) {
	f := Families{{"gpt-4*", "Four"}, {"gpt-*", "gpt"}, {"*/llama-?", "llama"}, {"o[0-9]", "gpt"}}
	for _, c := range []struct {
		model Model
		want  string
		known bool
	}{
		{Model{}, "", true},
		{Model{Model: "gpt-4o"}, "four", true}, // the first rule holds
		{Model{Model: "GPT-5 "}, "gpt", true},
		{Model{Model: "gpt-4o", Family: " Stated "}, "stated", true},
		{Model{Model: "lab/sub/llama-3"}, "llama", true},
		{Model{Model: "llama-3"}, "llama-3", false},
		{Model{Model: "o3"}, "gpt", true},
		{Model{Model: "o33"}, "o33", false},
	} {
		if got, known := f.Of(&c.model); got != c.want || known != c.known {
			t.Errorf("%+v: family %q, known %v", c.model, got, known)
		}
	}
	if got, _ := f.Of(nil); got != "" {
		t.Errorf("of nobody: %q", got)
	}
	for _, r := range []FamilyRule{{"", "a"}, {"[a", "a"}, {"a*", " "}} {
		if r.Check() == nil {
			t.Errorf("rule %+v passes", r)
		}
	}
	if err := f[2].Check(); err != nil {
		t.Error(err)
	}
}

// kinOf is a decomposition by models without families, and rules for them.
func kinOf(implementers ...string) (*Decomposition, *Settings) {
	d := decomposition()
	d.Specifier = &Model{Model: "planner-2"}
	for i, m := range implementers {
		d.Domains[i].Implementer = &Model{Model: m}
	}
	s := settings()
	s.Families = Families{{"planner-*", "p"}, {"coder-*", "c"}, {"writer-*", "w"}}
	return d, s
}

// TestFamiliesAreSealed: what holds for a run is what was configured when it
// was sealed, also for a model that a bundle names later. Reports name the models of
// both sides.
func TestFamiliesAreSealed(t *testing.T) {
	d, s := kinOf("coder-1", "coder-1")
	writer := Model{Model: "writer-1"}
	x := mustExam(t, d, s, scripted{name: "a", model: writer}, scripted{name: "b", model: writer})
	if d.Domains[0].Implementer.Family != "" {
		t.Error("sealing changed the decomposition")
	}
	ev := evidence(0, 0)
	r := x.Decide(ev, nil, time.Time{}).Report
	if r.Independence != "strong" || r.ImplementerFamily != "c" || r.ImplementerModel != "coder-1" || !slices.Equal(r.SealAuthorModels, []string{"writer-1"}) || !slices.Equal(r.SealAuthorFamilies, []string{"rules", "w"}) {
		t.Errorf("%+v", r)
	}
	ev.Submission.Bundle.Implementer = &Model{Model: "planner-9"}
	r = x.Decide(ev, nil, time.Time{}).Report
	if r.Independence != "weak" || r.ImplementerFamily != "p" || !strings.Contains(r.AdvisoryReason, "specifier") {
		t.Errorf("a bundle by the specifier's kin: %+v", r)
	}
}

// TestFixByAnotherModel: a fix is checked again. One by kin of a seal author
// makes its report advisory, and a doubt about the bundle outlives a fix under
// another name.
func TestFixByAnotherModel(t *testing.T) {
	d, s := kinOf()
	d.Domains[0].Implementer = nil
	x := mustExam(t, d, s, scripted{model: Model{Model: "writer-1"}})
	by := func(cycle, failed int, model string) Evidence {
		ev := evidence(cycle, failed)
		if model != "" {
			ev.Submission.Bundle.Implementer = &Model{Model: model}
		}
		return ev
	}
	for name, c := range map[string]struct {
		first, second string
		failed        int // of the fix; the bundle fails 4
		want          string
		advisory      string
	}{
		"the same":                 {"coder-1", "coder-1", 0, "strong", ""},
		"escalated to kin":         {"coder-1", "writer-2", 0, "weak", "author and the implementer"},
		"escalated, not kept":      {"coder-1", "writer-2", 8, "strong", "fix 1, which was not kept: independence is weak"},
		"kin, then another name":   {"writer-2", "coder-1", 0, "weak", "author and the implementer"},
		"kin, then nobody named":   {"writer-2", "", 0, "weak", "author and the implementer"},
		"nobody, then nobody":      {"", "", 0, "", ""},
		"nobody, then independent": {"", "coder-1", 0, "strong", ""},
	} {
		first := x.Decide(by(0, 4, c.first), nil, time.Time{})
		fix := x.Decide(by(1, c.failed, c.second), first, time.Unix(500, 0)).Report
		if fix.Independence != c.want || !strings.Contains(fix.AdvisoryReason, c.advisory) || *fix.Advisory != (c.advisory != "") {
			t.Errorf("%s: independence %q, advisory %v: %s", name, fix.Independence, *fix.Advisory, fix.AdvisoryReason)
		}
		if c.want != "" && fix.ImplementerFamily == "" {
			t.Errorf("%s: no implementer is disclosed", name)
		}
	}
}

// TestViolation: by default it is noted and sealed; with abort nothing is
// sealed, and the reason names the domain.
func TestViolation(t *testing.T) {
	d, s := kinOf("coder-1", "planner-3")
	e := mustSeal(t, d, s)
	if want := `domain "two": independence is weak: the specifier and the implementer are both of family "p"`; len(e.Notes) != 1 || e.Notes[0] != want {
		t.Errorf("notes %q", e.Notes)
	}
	d, s = kinOf("coder-1", "Nova-1") // of a family that nobody knows
	e = mustSeal(t, d, s)
	if want := `no family is known of these models, each counts as a family of its own: "nova-1"`; len(e.Notes) != 1 || e.Notes[0] != want || e.Domains[1].Implementer.Family != "" {
		t.Errorf("notes %q, %+v", e.Notes, e.Domains[1].Implementer)
	}
	d, s = kinOf("coder-1", "planner-3")
	s.AbortOnViolation = true
	seal := func(d *Decomposition) error {
		_, err := trySeal(d, s, scripted{model: Model{Family: "writers"}})
		return err
	}
	err := seal(d)
	if err == nil || !strings.Contains(err.Error(), `domain "two"`) || strings.Contains(err.Error(), `"one"`) {
		t.Errorf("error %v", err)
	}
	d, _ = kinOf("coder-1", "coder-1")
	if err := seal(d); err != nil {
		t.Errorf("an independent run: %v", err)
	}
	d.Domains[0].Implementer = &Model{Family: "WRITERS"} // the author's
	if err := seal(d); err == nil || !strings.Contains(err.Error(), "author and the implementer") {
		t.Errorf("error %v", err)
	}
	for i := range 40 {
		d.Domains = append(d.Domains, Domain{Domain: strings.Repeat("d", i+5), CommanderID: "c", Implementer: &Model{Family: "p"}})
	}
	if err := seal(d); err == nil || !strings.Contains(err.Error(), "and 30 more") {
		t.Errorf("error %v", err)
	}
}
