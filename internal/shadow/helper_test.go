package shadow

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// scripted is an author whose criteria fail where the bundle does not hold a
// word of theirs.
type scripted struct {
	words  []string // one criterion each, in order; more are made up
	model  Model
	mangle func([]Criterion) []Criterion
}

func (s scripted) Ref() AuthorRef { return AuthorRef{Name: "scripted", Model: s.model} }

func (s scripted) Write(_ context.Context, d *Decomposition, quota map[Category]int) ([]Criterion, error) {
	var cs []Criterion
	for _, c := range []Category{HappyPath, EdgeCase, ErrorHandling, Completeness, Security} {
		for range quota[c] {
			word := fmt.Sprintf("word%d", len(cs))
			if len(cs) < len(s.words) {
				word = s.words[len(cs)]
			}
			cr := Criterion{
				Category:  c,
				Assertion: fmt.Sprintf("The sealed assertion about %s holds", word),
				Expected:  fmt.Sprintf("the sealed expectation of %s", word),
				Check:     "text.contains(material.word)",
				Material:  map[string]Material{},
			}
			for _, dom := range d.Domains {
				cr.Material[dom.Domain] = Material{Message: "Cover " + word + " in " + dom.Domain, Data: map[string]any{"word": word}}
			}
			cs = append(cs, cr)
		}
	}
	if s.mangle != nil {
		cs = s.mangle(cs)
	}
	return cs, nil
}

func settings() *Settings {
	return &Settings{
		Policy:      Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: "legacy", MaxCycles: 1, Threshold: 15, EnforceGates: true},
		MaxCriteria: 10, FixTimeout: time.Minute, RunTimeout: time.Hour, DefaultScale: "ss-100",
		Categories: []Category{HappyPath, EdgeCase, ErrorHandling, Completeness},
		Scales:     map[string]Scale{"ss-50": {6, false}, "ss-100": {8, true}, "ss-250": {10, true}},
	}
}

func decomposition() *Decomposition {
	return &Decomposition{
		RunID: "run-1", Task: "Build the thing", Specifier: &Model{Family: "alpha"},
		Domains: []Domain{
			{Domain: "one", CommanderID: "cmd-1", Implementer: &Model{Family: "beta"}},
			{Domain: "two", CommanderID: "cmd-2", Implementer: &Model{Family: "gamma"}},
		},
	}
}

// words are the eight that make a bundle perfect at ss-100.
var words = []string{"alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"}

func mustSeal(t testing.TB, d *Decomposition, s *Settings) *Envelope {
	t.Helper()
	return sealWith(t, d, s, nil)
}

// sealWith seals what the scripted author wrote and mangle changed.
func sealWith(t testing.TB, d *Decomposition, s *Settings, mangle func([]Criterion) []Criterion) *Envelope {
	t.Helper()
	e, err := Seal(context.Background(), d, SealInput{
		Digest: Digest([]byte(d.RunID)), Settings: s, Filler: scripted{words: words, model: Model{Family: "rules"}, mangle: mangle},
		Now: time.Unix(1, 0), Rand: rand.Reader,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func mustExam(t testing.TB, d *Decomposition, s *Settings) *Exam {
	t.Helper()
	return examOf(t, mustSeal(t, d, s))
}

func mangledExam(t testing.TB, d *Decomposition, mangle func([]Criterion) []Criterion) *Exam {
	t.Helper()
	return examOf(t, sealWith(t, d, settings(), mangle))
}

func examOf(t testing.TB, e *Envelope) *Exam {
	t.Helper()
	c := e.Commitment()
	x, err := NewExam(e, &c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// evidence of a submission for domain one that holds all words but the first n.
func evidence(cycle, n int) Evidence {
	content := ""
	for _, w := range words[n:] {
		content += w + " "
	}
	return evidenceOf(cycle, content)
}

func evidenceOf(cycle int, content string) Evidence {
	b := Bundle{BundleID: "b-1", Domain: "one", CommanderID: "cmd-1", Status: "success", Content: content}
	raw, err := json.Marshal(bundleComplete{"run-1", b})
	if err != nil {
		panic(err)
	}
	return Evidence{
		Submission: &Submission{RunID: "run-1", Cycle: cycle, Bundle: b},
		Raw:        raw,
		Digest:     Digest([]byte(content)),
		In:         Place{Sequence: uint64(10 + cycle), Time: time.Unix(int64(100+cycle), 0).UTC()},
	}
}
