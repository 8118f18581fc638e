package play

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
	"github.com/swarmspeed/shadowd/internal/text/arithmetic"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
	"github.com/swarmspeed/shadowd/internal/text/reading"
	"github.com/swarmspeed/shadowd/schemas"
)

// The demo's files are a swarm that makes sense.
func TestDemoFiles(t *testing.T) {
	s, err := NewDemo()
	if err != nil {
		t.Fatal(err)
	}
	if err := schemas.Validate(shadow.DecompositionDone, s.decomposition); err != nil {
		t.Error(err)
	}
	for _, d := range s.Decomposition.Domains {
		data, err := json.Marshal(s.bundles[d.Domain])
		if err != nil {
			t.Fatal(err)
		}
		if err := schemas.Validate(shadow.BundleComplete, data); err != nil {
			t.Errorf("%s: %v", d.Domain, err)
		}
		in, err := shadow.Decode(shadow.BundleComplete, data)
		if err != nil {
			t.Fatal(err)
		}
		if b := in.(*shadow.Submission).Bundle; b.Domain != d.Domain || b.CommanderID != d.CommanderID {
			t.Errorf("the bundle of %s is of %s for %s", d.Domain, b.CommanderID, b.Domain)
		}
	}
	if addr, err := (layout.Subjects{}).Parse(layout.Subjects{}.Decomposition(s.Decomposition.RunID)); err != nil {
		t.Errorf("%v %v", addr, err)
	}
}

// demoDraws is how many secret draws of criteria the demo's bundles are judged
// by.
const demoDraws = 50

// TestDemoLevels: what the demo's README says of each bundle holds whatever
// criteria are drawn.
func TestDemoLevels(t *testing.T) {
	s, err := NewDemo()
	if err != nil {
		t.Fatal(err)
	}
	settings := config.Default().Settings(shadow.IsolationStrict)
	for seed := range uint64(demoDraws) {
		exam := demoExam(t, s.Decomposition, &settings, seed)
		for domain, want := range demoExpected {
			first := exam.Decide(demoEvidence(t, domain, s.bundles[domain]), nil, time.Time{})
			want.first.holds(t, fmt.Sprintf("draw %d, %s", seed, domain), first)
			if first.Swarm.Hardening.Requested != want.asked {
				t.Errorf("draw %d, %s: a fix is asked for: %t", seed, domain, !want.asked)
			}
			if (s.fixes[domain] != nil) != (want.fix != nil) {
				t.Fatalf("%s: is there a fix?", domain)
			}
			if want.fix == nil {
				continue
			}
			ev := demoEvidence(t, domain, s.fixed(domain))
			ev.Submission.Cycle = 1
			fix := exam.Decide(ev, first, time.Unix(9, 0))
			want.fix.holds(t, fmt.Sprintf("draw %d, the fix of %s", seed, domain), fix)
			if fix.Swarm.Hardening.Regressed || fix.Swarm.Score.Failed >= first.Swarm.Score.Failed {
				t.Errorf("draw %d: the fix of %s is no better: %v after %v", seed, domain, fix.Swarm.Score, first.Swarm.Score)
			}
		}
	}
}

// demoPart is what comes of a domain of the demo.
type demoPart struct {
	first demoReport
	asked bool        // for a fix
	fix   *demoReport // nil if none comes
}

// demoReport is what a report of the demo says in every draw.
type demoReport struct {
	// levels are the scores that it may have, with their levels: one criterion may
	// ask for several items.
	levels  map[string]shadow.Level
	action  shadow.Action
	unread  bool     // less than the share that is wanted was read
	refused int      // items that are declined or missing
	actual  []string // what stands in the failures
}

var demoExpected = map[string]demoPart{
	"architecture": {first: demoReport{levels: map[string]shadow.Level{"0.0": shadow.Perfect}, action: shadow.Warn, unread: true}},
	"implementation": {
		asked: true,
		first: demoReport{levels: map[string]shadow.Level{"37.5": shadow.Significant, "25.0": shadow.Moderate}, action: shadow.Pending, refused: 3,
			actual: []string{"deliverable 3: line 85 says that it was not done", "sub-task 4: line 87 says", "sub-task 5: line 89 says"}},
		fix: &demoReport{levels: map[string]shadow.Level{"12.5": shadow.Minor}, action: shadow.Proceed, actual: []string{`"1 + 2 + 4 + 8 = 14 seconds" should be 15`}},
	},
	"testing": {first: demoReport{levels: map[string]shadow.Level{"12.5": shadow.Minor}, action: shadow.Proceed, actual: []string{"line 15: "}}},
	"documentation": {
		asked: true,
		first: demoReport{levels: map[string]shadow.Level{"25.0": shadow.Moderate}, action: shadow.Pending, unread: true, refused: 1,
			actual: []string{"it says no more than the assignment", "sub-task 6: line 11 says that it was not done"}},
	},
	"integration": {first: demoReport{levels: map[string]shadow.Level{"0.0": shadow.Perfect}, action: shadow.Proceed}},
}

// holds compares a report with what it should say.
func (want *demoReport) holds(t *testing.T, what string, got *shadow.Report) {
	t.Helper()
	if level, ok := want.levels[string(got.Report.ShadowScore)]; !ok || got.Report.Level != level || got.Swarm.Gate.Action != want.action {
		t.Errorf("%s: %s %% %s, %s", what, got.Report.ShadowScore, got.Report.Level, got.Swarm.Gate.Action)
	}
	reasons := got.Swarm.AdvisoryReasons
	if unread := len(reasons) == 1 && strings.HasPrefix(reasons[0], "unread: "); unread != want.unread || len(reasons) > 0 && !unread {
		t.Errorf("%s: %s, advisory for %q", what, got.Swarm.Read, reasons)
	}
	if refused := len(verdicts(got, reading.Declined, reading.Missing)); refused != want.refused {
		t.Errorf("%s: %d items declined or missing", what, refused)
	}
	for _, f := range got.Failures {
		if !slices.ContainsFunc(want.actual, func(words string) bool { return strings.Contains(f.Actual, words) }) {
			t.Errorf("%s: a failure says %q", what, f.Actual)
		}
	}
	for _, words := range want.actual {
		if !slices.ContainsFunc(got.Failures, func(f shadow.Failure) bool { return strings.Contains(f.Actual, words) }) {
			t.Errorf("%s: no failure says %q:\n%+v", what, words, got.Failures)
		}
	}
}

// verdicts lists the items of a report that got one of some verdicts.
func verdicts(r *shadow.Report, of ...reading.Verdict) (items []string) {
	for _, it := range r.Swarm.Items {
		if slices.Contains(of, it.Verdict) {
			items = append(items, it.Text)
		}
	}
	return items
}

// demoLabel is what a careful reader says of a bundle of the demo.
type demoLabel struct {
	Missing      []string `json:"missing"`
	WrongNumbers int      `json:"wrong_numbers"`
}

// TestDemoLabels: the rules say nothing of an item, and of a figure, that a
// careful reader does not say.
func TestDemoLabels(t *testing.T) {
	s, err := NewDemo()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("demo/labels.json")
	if err != nil {
		t.Fatal(err)
	}
	var labels map[string]map[string]demoLabel
	if err := json.Unmarshal(raw, &labels); err != nil {
		t.Fatal(err)
	}
	settings := config.Default().Settings(shadow.IsolationStrict)
	exam := demoExam(t, s.Decomposition, &settings, 0)
	for domain, of := range labels {
		for name, label := range of {
			bundle := s.bundles[domain]
			if name == "fix" {
				bundle = s.fixed(domain)
			}
			r := exam.Decide(demoEvidence(t, domain, bundle), nil, time.Time{})
			for _, item := range verdicts(r, reading.Declined, reading.Missing) {
				if !slices.Contains(label.Missing, item) {
					t.Errorf("%s of %s: %q is delivered", name, domain, item)
				}
			}
			for _, item := range verdicts(r, reading.Found) {
				if slices.Contains(label.Missing, item) {
					t.Errorf("%s of %s: %q is not delivered", name, domain, item)
				}
			}
			if wrong := arithmetic.Find(markdown.Parse(bundle["content"].(string))); len(wrong) != label.WrongNumbers {
				t.Errorf("%s of %s: %d wrong numbers, want %d: %+v", name, domain, len(wrong), label.WrongNumbers, wrong)
			}
		}
	}
	if len(labels) != len(s.bundles) {
		t.Errorf("%d domains are labelled", len(labels))
	}
}

// demoExam seals the demo by a draw.
func demoExam(t *testing.T, d *shadow.Decomposition, settings *shadow.Settings, seed uint64) *shadow.Exam {
	t.Helper()
	source := rand.NewChaCha8([32]byte{byte(seed)})
	e, err := shadow.Seal(t.Context(), d, shadow.SealInput{Settings: settings, Filler: rules.New(source), Now: time.Unix(1, 0), Rand: source})
	if err != nil {
		t.Fatal(err)
	}
	c := e.Commitment()
	exam, err := shadow.NewExam(e, &c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return exam
}

// demoEvidence is a bundle of the demo as it comes to be judged.
func demoEvidence(t *testing.T, domain string, bundle map[string]any) shadow.Evidence {
	t.Helper()
	whole := maps.Clone(bundle)
	whole["run_id"] = "demo"
	data, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	in, err := shadow.Decode(shadow.BundleComplete, data)
	if err != nil {
		t.Fatalf("%s: %v", domain, err)
	}
	return shadow.Evidence{Submission: in.(*shadow.Submission), Raw: data, Digest: shadow.Digest(data)}
}
