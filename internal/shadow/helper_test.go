package shadow

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// encoded is the JSON of something.
func encoded(v any) string {
	raw, err := Encode(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// scripted is an author that writes as many criteria as it is asked for.
type scripted struct {
	// most is how many it writes at most, if it is not 0.
	most   int
	name   string
	model  Model
	mangle func([]Material) []Material
	err    error
	asked  *Order // where the order is kept, if it is set
	expect map[string]Expectation
}

func (s scripted) Ref() AuthorRef {
	return AuthorRef{Name: cmp.Or(s.name, "scripted"), Model: s.model}
}

func (s scripted) Write(_ context.Context, o *Order) (map[string]Draft, error) {
	if s.asked != nil {
		*s.asked = *o
	}
	all := map[string]Draft{}
	for domain, n := range o.Count {
		var d Draft
		if s.most > 0 {
			n = min(n, s.most)
		}
		for i := range n {
			word := fmt.Sprintf("%s%d", cmp.Or(s.name, "secret"), i)
			d.Criteria = append(d.Criteria, Material{
				Category:  EdgeCase,
				Assertion: fmt.Sprintf("The sealed assertion about %s in %s holds", word, domain),
				Expected:  fmt.Sprintf("the sealed expectation of %s", word),
				Basis:     "Build the thing",
			})
		}
		if s.mangle != nil {
			d.Criteria = s.mangle(d.Criteria)
		}
		all[domain] = d
	}
	return all, s.err
}

func (s scripted) Expect(context.Context, *Decomposition) (map[string]Expectation, error) {
	return s.expect, nil
}

func settings() *Settings {
	return &Settings{
		Policy:      Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: "legacy", MaxCycles: 1, Threshold: 15, EnforceGates: true, Missing: 100},
		MaxCriteria: 10, FixTimeout: time.Minute, RunTimeout: time.Hour, DefaultScale: "ss-100",
		Categories: []Category{HappyPath, EdgeCase, ErrorHandling, Completeness},
		Scales:     map[string]Scale{"ss-50": {6, false}, "ss-100": {8, true}, "ss-250": {10, true}},
	}
}

// words are those of the sub-tasks of each domain. Without an author each has a
// criterion of its own, and figures have the eighth.
var words = []string{"alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf"}

func subTasks() (list []string) {
	for _, w := range words {
		list = append(list, "Write the chapter on "+w)
	}
	return list
}

func decomposition() *Decomposition {
	return &Decomposition{
		RunID: "run-1", Task: "Build the thing", Specifier: &Model{Family: "alpha"},
		Domains: []Domain{
			{Domain: "one", CommanderID: "cmd-1", SubTasks: subTasks(), Implementer: &Model{Family: "beta"}},
			{Domain: "two", CommanderID: "cmd-2", SubTasks: subTasks(), Implementer: &Model{Family: "gamma"}},
		},
	}
}

func mustSeal(t rapid.TB, d *Decomposition, s *Settings, authors ...Author) *Envelope {
	t.Helper()
	e, err := trySeal(d, s, authors...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func trySeal(d *Decomposition, s *Settings, authors ...Author) (*Envelope, error) {
	return Seal(context.Background(), d, SealInput{
		Digest: Digest([]byte(d.RunID)), Settings: s, Authors: authors, Now: time.Unix(1, 0), Rand: rand.Reader,
	})
}

func mustExam(t rapid.TB, d *Decomposition, s *Settings, authors ...Author) *Exam {
	t.Helper()
	e := mustSeal(t, d, s, authors...)
	x, err := NewExam(e, &e.Commitment)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// content is a bundle's that says something of each word, without figures.
func content() string {
	var b strings.Builder
	b.WriteString("# The thing\n\n")
	for _, w := range words {
		fmt.Fprintf(&b, "The part about %s explains how it works and where it ends.\n\n", w)
	}
	return b.String()
}

// evidence of a submission for domain one of which a judge finds the first n
// sub-tasks missing.
func evidence(cycle, n int) Evidence {
	var missing []string
	for i := range n {
		missing = append(missing, fmt.Sprintf("sub-task %d", i+1))
	}
	return judged(evidenceOf(cycle, content()+strings.Repeat("\n", n)), missing...)
}

// judged adds what one judge says, who finds all but some items and criteria.
func judged(ev Evidence, missing ...string) Evidence {
	ev.Panel = PanelVotes{Judges: []JudgeRef{{AuthorRef: AuthorRef{Name: "judge", Model: Model{Model: "m", Family: "zeta"}}}}}
	about := []string{}
	for i := range words {
		about = append(about, fmt.Sprintf("sub-task %d", i+1))
	}
	for i := range 10 {
		about = append(about, CriterionID(i))
	}
	for _, name := range about {
		v := Vote{Judge: "judge", Outcome: Passed, Quote: "explains how it works and where it ends", Calls: 1}
		if slices.Contains(missing, name) {
			v = Vote{Judge: "judge", Outcome: Failed, Actual: "the chapter is not there", Calls: 1}
		}
		ev.Panel.Ballots = append(ev.Panel.Ballots, Ballot{About: name, Outcome: v.Outcome, Configured: 1, Cast: 1, Agreed: 1, Votes: []Vote{v}})
	}
	return ev
}

// polled adds what one judge says to each question.
func polled(x *Exam, ev Evidence, say func(q *Question) Outcome) Evidence {
	ev.Panel = PanelVotes{Judges: []JudgeRef{{AuthorRef: AuthorRef{Name: "judge", Model: Model{Model: "m", Family: "zeta"}}}}}
	for _, q := range x.Questions(&ev, false) {
		v := Vote{Judge: "judge", Outcome: say(&q), Why: "timeout"}
		switch v.Outcome {
		case Passed:
			v.Quote, v.Why = "explains how it works and where it ends", ""
		case Failed:
			v.Actual, v.Why = "the chapter is not there", ""
		}
		ev.Panel.Ballots = append(ev.Panel.Ballots, NewBallot(&q, []Vote{v}, 1))
	}
	return ev
}

// undecided takes the vote of the judge on some questions.
func undecided(ev Evidence, about ...string) Evidence {
	for i := range ev.Panel.Ballots {
		if b := &ev.Panel.Ballots[i]; slices.Contains(about, b.About) {
			*b = Ballot{About: b.About, Outcome: Undecided, Configured: 1, Votes: []Vote{NoVote("judge", "timeout")}}
		}
	}
	return ev
}

// written is the id of the i-th criterion of domain one that an author wrote.
func written(x *Exam, i int) string {
	for _, c := range x.Envelope.asked("one") {
		if c.Kind == AskWritten {
			if i--; i < 0 {
				return c.ID
			}
		}
	}
	return ""
}

func evidenceOf(cycle int, content string) Evidence {
	return withBundle(cycle, Bundle{BundleID: "b-1", Domain: "one", CommanderID: "cmd-1", Status: "success", Content: content})
}

func withBundle(cycle int, b Bundle) Evidence {
	raw := []byte(encoded(bundleComplete{"run-1", b}))
	return Evidence{
		Submission: &Submission{RunID: "run-1", Cycle: cycle, Bundle: b},
		Raw:        raw,
		Digest:     Digest(raw),
		In:         Place{Sequence: uint64(10 + cycle), Time: time.Unix(int64(100+cycle), 0).UTC()},
	}
}
