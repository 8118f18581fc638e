package play

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/text/figures"
	"github.com/swarmspeed/shadowd/internal/text/markdown"
)

func mustDemo(t *testing.T) *Demo {
	t.Helper()
	d, err := NewDemo()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDemo: what the demo's README says of each bundle holds in every draw.
func TestDemo(t *testing.T) {
	type outcome struct {
		score  string
		word   shadow.Word
		action shadow.Action
	}
	s := mustDemo(t)
	for range 5 {
		exam := demoExam(t, s)
		for domain, want := range map[string][]outcome{
			"architecture":   {{"0.0", "perfect", shadow.Proceed}},
			"implementation": {{"37.5", "significant", shadow.Pending}, {"0.0", "perfect", shadow.Proceed}},
			"testing":        {{"25.0", "moderate", shadow.Pending}},
			"documentation":  {{"12.5", "minor", shadow.Proceed}},
			"integration":    {{"25.0", "moderate", shadow.Pending}, {"25.0", "moderate", shadow.Warn}},
		} {
			var before *shadow.Report
			for cycle, w := range want {
				bundle := s.bundles[domain]
				if cycle > 0 {
					bundle = s.fixed(domain)
				}
				r := exam.Decide(demoEvidence(t, s, exam, domain, cycle, bundle), before, time.Unix(9, 0))
				if got := (outcome{string(r.Report.ShadowScore), r.Swarm.Verdict, r.Swarm.Gate.Action}); got != w {
					t.Errorf("%s, cycle %d: %v, want %v", domain, cycle, got, w)
				}
				before = r
			}
			if (s.fixes[domain] != nil) != (len(want) > 1) {
				t.Errorf("%s: is there a fix?", domain)
			}
		}
	}
}

// demoLabel is what a careful reader says of a bundle of the demo.
type demoLabel struct {
	Missing      []string `json:"missing"`
	WrongNumbers int      `json:"wrong_numbers"`
}

// TestDemoLabels: the recorded answers and the figures are those of a careful
// reader, and every question has an answer that counts.
func TestDemoLabels(t *testing.T) {
	s := mustDemo(t)
	raw, err := os.ReadFile("demo/labels.json")
	if err != nil {
		t.Fatal(err)
	}
	var labels map[string]map[string]demoLabel
	if err := json.Unmarshal(raw, &labels); err != nil {
		t.Fatal(err)
	}
	exam := demoExam(t, s)
	for domain, of := range labels {
		for name, label := range of {
			bundle := s.bundles[domain]
			if name == "fix" {
				bundle = s.fixed(domain)
			}
			r := exam.Decide(demoEvidence(t, s, exam, domain, 0, bundle), nil, time.Time{})
			for _, it := range r.Swarm.Items {
				want := shadow.ItemFound
				if slices.Contains(label.Missing, it.Text) {
					want = shadow.ItemMissing
				}
				if it.State != want {
					t.Errorf("%s of %s, %s: %s, want %s: %s", name, domain, it.Name, it.State, want, it.Why)
				}
			}
			if wrong := figures.Numbers(markdown.Parse(bundle["content"].(string))); len(wrong) != label.WrongNumbers {
				t.Errorf("%s of %s: %d wrong numbers, want %d: %+v", name, domain, len(wrong), label.WrongNumbers, wrong)
			}
			if len(r.Swarm.Notices) > 0 {
				t.Errorf("%s of %s: %q", name, domain, r.Swarm.Notices)
			}
		}
	}
	if len(labels) != len(s.bundles) {
		t.Errorf("%d domains are labelled", len(labels))
	}
}

// demoExam seals the demo.
func demoExam(t *testing.T, s *Demo) *shadow.Exam {
	t.Helper()
	settings := config.Default().Settings(shadow.IsolationStrict)
	e, err := shadow.Seal(t.Context(), s.Decomposition, shadow.SealInput{Settings: &settings, Now: time.Unix(1, 0), Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	c := e.Commitment
	exam, err := shadow.NewExam(e, &c)
	if err != nil {
		t.Fatal(err)
	}
	return exam
}

// demoEvidence is a bundle of the demo with what its judge says.
func demoEvidence(t *testing.T, s *Demo, exam *shadow.Exam, domain string, cycle int, bundle map[string]any) shadow.Evidence {
	t.Helper()
	whole := maps.Clone(bundle)
	whole["run_id"] = s.Decomposition.RunID
	data, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := shadow.Decode(shadow.BundleComplete, data)
	if err != nil {
		t.Fatalf("%s: %v", domain, err)
	}
	ev := shadow.Evidence{Submission: in.(*shadow.Submission), Raw: data, Digest: shadow.Digest(data)}
	ev.Submission.Cycle = cycle
	ev.Panel.Judges = []shadow.JudgeRef{{AuthorRef: s.Judge.Ref(), Recorded: true}}
	for _, q := range exam.Questions(&ev, false) {
		v, err := s.Judge.Vote(t.Context(), &q)
		if err != nil {
			t.Fatal(err)
		}
		ev.Panel.Ballots = append(ev.Panel.Ballots, shadow.NewBallot(&q, []shadow.Vote{v}, 1))
	}
	return ev
}
