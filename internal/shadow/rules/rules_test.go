package rules

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
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
		"Write an error-free report":                                   shadow.HappyPath,
		"Retrieve the invoices of a customer":                          shadow.HappyPath,
		"Build dashboards for lag, throughput and errors":              shadow.HappyPath,
		"Measure the recovery time":                                    shadow.HappyPath,
		"Lay out the hall with a circular tour and emergency exits":    shadow.HappyPath,
		"Update the guide if needed":                                   shadow.HappyPath,
		"List symptoms and when to call a doctor":                      shadow.HappyPath,
		"Decide how accounts move and when passwords are removed":      shadow.HappyPath,
		"Document the error response format":                           shadow.ErrorHandling,
		"List all error codes with causes":                             shadow.ErrorHandling,
		"Analyze failure modes: provider timeout, rate outage":         shadow.ErrorHandling,
		"Cover these cases: expired card, lost device":                 shadow.ErrorHandling,
		"Define the retry policy":                                      shadow.ErrorHandling,
		"Plan for the loss of a zone":                                  shadow.ErrorHandling,
		"Document the procedure for lost devices":                      shadow.ErrorHandling,
		"Detect and report crashes":                                    shadow.ErrorHandling,
		"Verify results under broker crashes":                          shadow.ErrorHandling,
		"Invalid tokens must be rejected":                              shadow.ErrorHandling,
		"Handle late, damaged and undeliverable envelopes":             shadow.ErrorHandling,
		"Handle late and out-of-order events":                          shadow.EdgeCase,
		"List the edge cases of the import":                            shadow.EdgeCase,
		"Paint the reading corner":                                     shadow.HappyPath,
		"Test idempotency under 20 concurrent requests":                shadow.EdgeCase,
		"Reject a posting whose amount is negative":                    shadow.ErrorHandling,
		"Retry the export when the mail server is unavailable":         shadow.ErrorHandling,
		"Send the receipt again if delivery fails":                     shadow.ErrorHandling,
		"Round half up when a share ends on half a cent":               shadow.EdgeCase,
		"Keep the old key until all tokens that it signed are expired": shadow.HappyPath,
		strings.Repeat("when a ", 200_000):                             shadow.EdgeCase, // in no more than a moment
		"":                                                             shadow.HappyPath,
	} {
		if got := categoryOf(shadow.Item{ItemRef: shadow.ItemRef{Kind: shadow.SubTask}, Text: text}); got != want {
			t.Errorf("%q is filed under %s, want %s", text, got, want)
		}
	}
	for kind, want := range map[shadow.ItemKind]shadow.Category{shadow.Deliverable: shadow.Completeness, shadow.Constraint: shadow.EdgeCase} {
		if got := categoryOf(shadow.Item{ItemRef: shadow.ItemRef{Kind: kind}, Text: "No exceptions, no fallback"}); got != want {
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
				figuresAsked = figuresAsked || strings.HasPrefix(c.Check, figures.check)
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

// TestOwnItems: no category asks for the items of another one while it may have
// fewer criteria, and each keeps one.
func TestOwnItems(t *testing.T) {
	d := ledger()
	d.Domains[0].SubTasks = slices.DeleteFunc(d.Domains[0].SubTasks, func(s string) bool { return strings.HasPrefix(s, "Re") })
	for seed := range uint64(50) {
		have := map[shadow.Category]int{}
		for _, c := range draw(t, d, shadow.Quota(8, shadow.Categories()[:4]), seed) {
			have[c.Category]++
			for i := range d.Domains {
				for _, ref := range c.Material[d.Domains[i].Domain].Items {
					for _, it := range d.Domains[i].Items() {
						if it.ItemRef == ref && categoryOf(it) != c.Category {
							t.Errorf("seed %d: %q stands under %s", seed, it.Text, c.Category)
						}
					}
				}
			}
			if strings.Contains(c.Assertion, "(part") {
				t.Errorf("seed %d: %s", seed, c.Assertion)
			}
		}
		if have[shadow.ErrorHandling] != 1 || have[shadow.HappyPath]+have[shadow.EdgeCase]+have[shadow.Completeness] != 7 {
			t.Errorf("seed %d: %v", seed, have)
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

// TestLimits: by chance the limits are asked for with the figures, in the domains
// that have one which is not about the text.
func TestLimits(t *testing.T) {
	found := 0
	for seed := range uint64(50) {
		for _, c := range draw(t, ledger(), map[shadow.Category]int{shadow.EdgeCase: 4, shadow.HappyPath: 2}, seed) {
			limits, ok := c.Material["core"].Data["limits"].([]any)
			if !ok {
				continue
			}
			found++
			if c.Material["docs"].Data != nil || !slices.Equal(limits, []any{"A posting takes at most 20 ms"}) {
				t.Fatalf("%+v", c.Material)
			}
		}
	}
	if found == 0 || found == 50 {
		t.Errorf("%d of 50 draws ask for limits", found)
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
		for c, n := range want {
			if (n > 0) != (have[c] > 0) {
				rt.Fatalf("%v, want %v or others of the same categories", have, want)
			}
		}
	})
}
