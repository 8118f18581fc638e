package rules

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// draw writes criteria by a seed.
func draw(t testing.TB, d *shadow.Decomposition, quota map[shadow.Category]int, seed uint64) []shadow.Criterion {
	t.Helper()
	source := bytes.NewReader(binary.BigEndian.AppendUint64(make([]byte, 24), seed))
	criteria, err := New(source).Write(t.Context(), d, quota)
	if err != nil {
		t.Fatal(err)
	}
	return criteria
}

// ledger is a decomposition with items of every kind.
func ledger() *shadow.Decomposition {
	return &shadow.Decomposition{
		RunID: "run", Task: "Build a ledger",
		Requirements: []shadow.Requirement{
			{ID: "R1", Text: "Exported statements must carry the account holder's name"},
			{ID: "R2", Text: "Tea is served at four"},
		},
		Domains: []shadow.Domain{
			{Domain: "core", CommanderID: "cmd-core",
				SubTasks: []string{
					"Build an LRU cache with 500 entries for error codes", "Reject a posting whose amount is negative",
					"Retry the export when the mail server is unavailable", "Round half up when a share ends on half a cent",
					"Export statements with the account holder's name", "Draw the state diagram of a posting",
				},
				Deliverables: []string{"Schema of the tables", "Runbook for failed exports"},
				Constraints:  []string{"A posting takes at most 20 ms", "Report of at most 900 words"}},
			{Domain: "docs", CommanderID: "cmd-docs", SubTasks: []string{"Write the guide for auditors"}, Deliverables: []string{"Guide for auditors"}},
		},
	}
}

// TestFiling: an item is filed by its grammar, and not by a word in it.
func TestFiling(t *testing.T) {
	for text, want := range map[string]shadow.Category{
		"Build an LRU cache with 500 entries for error codes":          shadow.HappyPath,
		"Document the error response format":                           shadow.HappyPath,
		"Reject a posting whose amount is negative":                    shadow.ErrorHandling,
		"Retry the export when the mail server is unavailable":         shadow.ErrorHandling,
		"Send the receipt again if delivery fails":                     shadow.ErrorHandling,
		"Round half up when a share ends on half a cent":               shadow.EdgeCase,
		"Keep the old key until all tokens that it signed are expired": shadow.ErrorHandling,
		"": shadow.HappyPath,
	} {
		if got := categoryOf(shadow.Item{ItemRef: shadow.ItemRef{Kind: shadow.SubTask}, Text: text}); got != want {
			t.Errorf("%q is filed under %s, want %s", text, got, want)
		}
	}
	for kind, want := range map[shadow.ItemKind]shadow.Category{shadow.Deliverable: shadow.Completeness, shadow.Constraint: shadow.EdgeCase} {
		if got := categoryOf(shadow.Item{ItemRef: shadow.ItemRef{Kind: kind}, Text: "Statements in PDF"}); got != want {
			t.Errorf("a %s is filed under %s, want %s", kind, got, want)
		}
	}
}

// TestAdvise: the publisher hears what the assignments lack, and the same after
// every draw: it must tell nothing of what was drawn.
func TestAdvise(t *testing.T) {
	poor := &shadow.Decomposition{Task: "Build a ledger", Domains: []shadow.Domain{
		{Domain: "core", CommanderID: "c", SubTasks: []string{"Draw the state diagram of a posting"}}, {Domain: "docs", CommanderID: "d", TaskBrief: "Write it up"}}}
	empty := &shadow.Decomposition{Task: "Build a ledger", Domains: []shadow.Domain{{Domain: "core", CommanderID: "c"}}}
	const (
		bare    = ": there is no item to ask for, so that criteria are general: state sub_tasks, deliverables or constraints"
		general = ": no item is of this kind, so that criteria are general: state "
	)
	for name, c := range map[string]struct {
		d    *shadow.Decomposition
		want []string
	}{
		"rich": {ledger(), []string{"/requirements/1 (R2): the assignment of no domain deals with it, so that nobody is asked for it: name it in a sub_task"}},
		"poor": {poor, []string{"/domains/1" + bare, "edge_case" + general + lacking[shadow.EdgeCase],
			"error_handling" + general + lacking[shadow.ErrorHandling], "completeness" + general + lacking[shadow.Completeness]}},
		"empty": {empty, []string{"/domains/0" + bare}},
	} {
		for _, n := range []int{4, 6, 8, 10} {
			for seed := range uint64(20) {
				criteria := draw(t, c.d, shadow.Quota(n, shadow.Categories()[:4]), seed)
				if got := New(nil).Advise(c.d, criteria); !slices.Equal(got, c.want) {
					t.Fatalf("%s, %d criteria, seed %d: %q, want %q", name, n, seed, got, c.want)
				}
			}
		}
	}
}

// TestEveryItemIsAsked: whatever the draw and the size, each item that bears on
// a domain stands in a criterion of delivery, and so do the figures.
func TestEveryItemIsAsked(t *testing.T) {
	four := []shadow.Category{shadow.HappyPath, shadow.EdgeCase, shadow.ErrorHandling, shadow.Completeness}
	d := ledger()
	want := map[string]int{"core": 11, "docs": 2} // one of the requirements bears on core
	for _, n := range []int{2, 4, 6, 8, 10, 16} {
		for seed := range uint64(50) {
			criteria := draw(t, d, shadow.Quota(n, four), seed)
			asked := map[string]map[shadow.ItemRef]bool{}
			figuresAsked, finishedAsked := false, false
			for i := range criteria {
				c := &criteria[i]
				figuresAsked = figuresAsked || c.Check == figures.check
				finishedAsked = finishedAsked || c.Check == finished.check
				for name, m := range c.Material {
					for _, ref := range m.Items {
						if asked[name] == nil {
							asked[name] = map[shadow.ItemRef]bool{}
						}
						asked[name][ref] = true
					}
				}
			}
			for name, items := range want {
				if len(asked[name]) != items {
					t.Fatalf("%d criteria, seed %d: %d items of %s are asked, want %d", n, seed, len(asked[name]), name, items)
				}
			}
			if !figuresAsked || finishedAsked != (n > 3) {
				t.Fatalf("%d criteria, seed %d: figures %t, finished %t", n, seed, figuresAsked, finishedAsked)
			}
		}
	}
}

// TestDraws: the draw decides which items stand together and in which words.
func TestDraws(t *testing.T) {
	quota := map[shadow.Category]int{shadow.HappyPath: 2, shadow.EdgeCase: 2, shadow.ErrorHandling: 2, shadow.Completeness: 2}
	seen := map[string]bool{}
	for seed := range uint64(50) {
		all := ""
		for _, c := range draw(t, ledger(), quota, seed) {
			all += c.Assertion + fmt.Sprint(c.Material["core"].Items)
		}
		seen[all] = true
		if again := draw(t, ledger(), quota, seed); len(again) != 8 {
			t.Fatalf("%d criteria", len(again))
		}
	}
	if len(seen) < 40 {
		t.Errorf("50 seeds make %d draws", len(seen))
	}
}

// TestLimits: what is asked of limits is asked of the domains that have one
// which is not about the text.
func TestLimits(t *testing.T) {
	found := false
	for seed := range uint64(50) {
		for _, c := range draw(t, ledger(), map[shadow.Category]int{shadow.EdgeCase: 4, shadow.HappyPath: 2}, seed) {
			limits, ok := c.Material["core"].Data["limits"].([]any)
			if !ok {
				continue
			}
			found = true
			if _, docs := c.Material["docs"]; docs || !slices.Equal(limits, []any{"A posting takes at most 20 ms"}) {
				t.Fatalf("%+v", c.Material)
			}
		}
	}
	if !found {
		t.Error("no draw asks for limits")
	}
}

// TestAnyDecomposition: whatever is decomposed, the author writes what it is
// asked for, and it can be sealed.
func TestAnyDecomposition(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", " ", "Write the guide", "If it fails, retry", "At most 5 MB", "'] + text", "報告書を書く"}))
	list := rapid.SliceOfN(text, 0, 8)
	rapid.Check(t, func(rt *rapid.T) {
		d := &shadow.Decomposition{RunID: "run", Task: text.Draw(rt, "task")}
		for i := range rapid.IntRange(1, 4).Draw(rt, "domains") {
			d.Domains = append(d.Domains, shadow.Domain{Domain: fmt.Sprintf("d%d", i), CommanderID: "c", SubTasks: list.Draw(rt, "sub-tasks"),
				Deliverables: list.Draw(rt, "deliverables"), Constraints: list.Draw(rt, "constraints")})
		}
		for i, s := range list.Draw(rt, "requirements") {
			d.Requirements = append(d.Requirements, shadow.Requirement{ID: fmt.Sprintf("R%d", i), Text: s})
		}
		settings := &shadow.Settings{
			Policy:      shadow.Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: "legacy"},
			MaxCriteria: 50, DefaultScale: "ss-100",
			Categories: rapid.SampledFrom([][]shadow.Category{shadow.Categories(), {shadow.Security}, {shadow.ErrorHandling, shadow.HappyPath}}).Draw(rt, "categories"),
			Scales:     map[string]shadow.Scale{"ss-100": {Criteria: rapid.IntRange(1, 12).Draw(rt, "criteria")}},
		}
		seed := rapid.Uint64().Draw(rt, "seed")
		source := bytes.NewReader(bytes.Repeat(binary.BigEndian.AppendUint64(nil, seed), 100))
		e, err := shadow.Seal(t.Context(), d, shadow.SealInput{Settings: settings, Filler: New(source), Now: time.Unix(1, 0), Rand: source})
		if err != nil {
			rt.Fatalf("%v", err)
		}
		have := map[shadow.Category]int{}
		for _, c := range e.Criteria {
			have[c.Category]++
		}
		want := shadow.Quota(settings.Scales["ss-100"].Criteria, settings.Categories)
		maps.DeleteFunc(want, func(_ shadow.Category, n int) bool { return n == 0 })
		if !maps.Equal(have, want) {
			rt.Fatalf("%v, want %v", have, want)
		}
	})
}
