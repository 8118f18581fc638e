package recorded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

const content = "Tokens expire after one hour.\n\nKeys are rotated each quarter."

func bundle(runs string) *shadow.Bundle {
	return &shadow.Bundle{BundleID: runs, Domain: "auth", CommanderID: runs, Content: content, Summary: "All is done."}
}

func item(b *shadow.Bundle, n int) *shadow.Question {
	return &shadow.Question{RunID: b.BundleID, Bundle: b, BundleDigest: b.BundleID, Item: &shadow.Item{Name: fmt.Sprint("sub-task ", n), Text: fmt.Sprintf("item %d", n)}}
}

func criterion(b *shadow.Bundle, id, assertion string) *shadow.Question {
	return &shadow.Question{Bundle: b, Criterion: &shadow.Asked{ID: id, Material: &shadow.Material{Assertion: assertion}}}
}

// model is a judge and an author.
type model struct{ name string }

func (m model) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: m.name, Model: shadow.Model{Model: m.name + "-5", Family: "gpt"}}
}

func (m model) Vote(_ context.Context, q *shadow.Question) (shadow.Vote, error) {
	switch text := q.Text(); {
	case text == "broken":
		return shadow.Vote{Outcome: shadow.Passed, Quote: "Tokens expire after one hour."}, errors.New("broken")
	case text == "silent":
		return shadow.NoVote(m.name, "no verdict"), nil
	case strings.HasSuffix(text, "2"):
		return shadow.Vote{Judge: m.name, Outcome: shadow.Failed, Actual: m.name + " finds nothing", Calls: 1, Tokens: 10}, nil
	}
	return shadow.Vote{Judge: m.name, Outcome: shadow.Passed, Quote: "Tokens expire after one hour.", Calls: 1, Tokens: 10}, nil
}

func (model) Reachable(context.Context) error { return errors.New("the server answered 503") }

func (m model) Write(_ context.Context, o *shadow.Order) (map[string]shadow.Draft, error) {
	drafts := map[string]shadow.Draft{}
	for _, d := range o.Decomposition.Domains {
		if d.Domain != "idle" {
			drafts[d.Domain] = shadow.Draft{Criteria: []shadow.Material{{Category: shadow.EdgeCase, Assertion: m.name + " asks " + d.Domain, Expected: "x", Items: []string{"sub-task 1"}}}, Refused: []string{"one more"}}
		}
	}
	return drafts, nil
}

func (model) Expect(context.Context, *shadow.Decomposition) (map[string]shadow.Expectation, error) {
	return map[string]shadow.Expectation{"R1": {AtMost: "1 hour"}}, nil
}

// recording has a file of what work does with its recorder.
func recording(t *testing.T, work func(*Recorder)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	r, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	work(r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// What judges say while they are recorded, at once and about one file, they say
// again, whatever the run is.
func TestJudges(t *testing.T) {
	path := recording(t, func(r *Recorder) {
		var all sync.WaitGroup
		for _, name := range []string{"one", "two"} {
			j := r.Judge(model{name})
			for n := range 50 {
				all.Go(func() { _, _ = j.Vote(t.Context(), item(bundle("first"), n)) })
			}
			for _, text := range []string{"broken", "silent", "limits hold"} {
				all.Go(func() { _, _ = j.Vote(t.Context(), criterion(bundle("first"), "sc-01", text)) })
			}
			control := item(bundle("first"), 99)
			control.Control = shadow.ControlTrue
			all.Go(func() { _, _ = j.Vote(t.Context(), control) })
		}
		all.Wait()
	})
	if raw, err := os.ReadFile(path); err != nil || strings.Count(string(raw), "\n") != 2*51 {
		t.Errorf("%s, %v", raw, err)
	}
	if _, err := OpenJudge(path, "own"); err == nil || !strings.Contains(err.Error(), "holds answers of one, two: say whose are meant, recorded:"+path+"#NAME") {
		t.Errorf("%v", err)
	}
	j, err := OpenJudge(path+"#two", "own")
	if err != nil {
		t.Fatal(err)
	}
	if ref := j.Ref(); ref.Name != "own" || ref.Model.Model != "two-5" || ref.Family != "gpt" || !j.Recorded() {
		t.Errorf("%+v", ref)
	}
	other := bundle("first")
	other.Summary = "Most is done."
	for _, c := range []struct {
		q    *shadow.Question
		want shadow.Outcome
		says string
	}{
		{item(bundle("second"), 1), shadow.Passed, "Tokens expire after one hour."},
		{item(bundle("second"), 42), shadow.Failed, "two finds nothing"},
		{criterion(bundle("second"), "sc-07", "limits hold"), shadow.Passed, "Tokens expire after one hour."},
		{item(bundle("second"), 60), shadow.Undecided, "answers.jsonl has no answer to this question about this bundle: record it again"},
		{item(bundle("second"), 99), shadow.Undecided, "answers.jsonl has no answer to this question about this bundle: record it again"},
		{criterion(bundle("second"), "sc-01", "broken"), shadow.Undecided, "answers.jsonl has no answer to this question about this bundle: record it again"},
		{item(other, 1), shadow.Undecided, "answers.jsonl has no answer to this question about this bundle: record it again"},
	} {
		v, err := j.Vote(t.Context(), c.q)
		if err != nil || v.Outcome != c.want || v.Quote+v.Actual+v.Why != c.says || v.Judge != "own" || v.Unreachable || c.want == shadow.Undecided && !v.Own {
			t.Errorf("%s: %+v, %v", c.q.Text(), v, err)
		}
	}
}

// A recorded judge stays what it is for a panel.
func TestRecordingKeeps(t *testing.T) {
	recording(t, func(r *Recorder) {
		j := r.Judge(model{"one"}).(recordingJudge)
		if err := j.Reachable(t.Context()); err == nil || j.Recorded() {
			t.Errorf("%v, recorded %v", err, j.Recorded())
		}
		j = r.Judge(&Judge{}).(recordingJudge)
		if err := j.Reachable(t.Context()); err != nil || !j.Recorded() {
			t.Errorf("%v, recorded %v", err, j.Recorded())
		}
	})
}

func decomposition() *shadow.Decomposition {
	return &shadow.Decomposition{
		RunID: "r", Task: "Log in", Specification: "Tokens expire.", Requirements: []shadow.Requirement{{ID: "R1", Text: "within an hour"}},
		Domains: shadow.Domains{{Domain: "auth", SubTasks: []string{"tokens", "keys"}}, {Domain: "idle", SubTasks: []string{"other"}}},
	}
}

func TestAuthors(t *testing.T) {
	path := recording(t, func(r *Recorder) {
		a := r.Author(model{"one"})
		if _, err := a.Write(t.Context(), &shadow.Order{Decomposition: decomposition()}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Expect(t.Context(), decomposition()); err != nil {
			t.Fatal(err)
		}
		_, _ = r.Judge(model{"judge"}).Vote(t.Context(), item(bundle("x"), 1))
	})
	a, err := OpenAuthor(path, "own")
	if err != nil || a.Ref().Name != "own" || a.Ref().Model.Model != "one-5" {
		t.Fatalf("%+v, %v", a, err)
	}
	again := decomposition()
	again.RunID = "another"
	again.Domains[0].CommanderID = "another"
	drafts, err := a.Write(t.Context(), &shadow.Order{Decomposition: again})
	if d := drafts["auth"]; err != nil || len(d.Criteria) != 1 || d.Criteria[0].Assertion != "one asks auth" || d.Refused[0] != "one more" {
		t.Errorf("%+v, %v", drafts, err)
	}
	if d := drafts["idle"]; len(d.Criteria) != 0 || len(d.Refused) != 1 || !strings.Contains(d.Refused[0], "no answer for this assignment") {
		t.Errorf("%+v", d)
	}
	table, err := a.Expect(t.Context(), again)
	if err != nil || !reflect.DeepEqual(table, map[string]shadow.Expectation{"R1": {AtMost: "1 hour"}}) {
		t.Errorf("%+v, %v", table, err)
	}
	// Whatever is asked otherwise has other answers.
	for name, change := range map[string]func(*shadow.Decomposition){
		"task":          func(d *shadow.Decomposition) { d.Task = "x" },
		"specification": func(d *shadow.Decomposition) { d.Specification = "x" },
		"brief":         func(d *shadow.Decomposition) { d.Domains[0].TaskBrief = "x" },
		"item":          func(d *shadow.Decomposition) { d.Domains[0].SubTasks[1] = "x" },
		"kind": func(d *shadow.Decomposition) {
			d.Domains[0].SubTasks, d.Domains[0].Deliverables = d.Domains[0].SubTasks[:1], d.Domains[0].SubTasks[1:]
		},
	} {
		d := decomposition()
		change(d)
		if drafts, _ := a.Write(t.Context(), &shadow.Order{Decomposition: d}); len(drafts["auth"].Criteria) != 0 {
			t.Errorf("another %s has the same answers", name)
		}
	}
	again.Requirements[0].Text = "within a day"
	if _, err := a.Expect(t.Context(), again); err == nil {
		t.Error("another requirement is expected the same of")
	}
}

// What is wrong with a file is told with its line.
func TestFaults(t *testing.T) {
	const good = `{"judge":"a","bundle":"sha256:1","question":"q","outcome":"passed","quote":"words"}`
	for text, want := range map[string]string{
		good + "\n\nno JSON":                     "x.jsonl:3: this is no recorded answer: ",
		good + " " + good:                        "x.jsonl:1: this is no recorded answer: more than one JSON value",
		`{"judge":"a","author":"b"}`:             "x.jsonl:1: this is no recorded answer: an answer is of a judge or of an author: name one of them",
		`{"outcome":"passed"}`:                   "x.jsonl:1: this is no recorded answer: an answer is of a judge or of an author: name one of them",
		good + "\n" + `{"judge":"a","vote":"p"}`: "x.jsonl:2: this is no recorded answer: unknown field \"vote\"",
		`{"judge":"a","bundle":"b","question":"q","outcome":"undecided"}`: "x.jsonl:1: this is no recorded answer: a judge's answer has bundle, question and outcome, which is passed or failed",
		`{"judge":"a","question":"q","outcome":"passed"}`:                 "x.jsonl:1: this is no recorded answer: a judge's answer has bundle",
		`{"author":"a","domain":"d"}`:                                     "x.jsonl:1: this is no recorded answer: an author's answer has domain and criteria, or run and expect",
		`{"author":"a","run":"r","expect":{"R1":{"at_most":"soon"}}}`:     `x.jsonl:1: this is no recorded answer: expect "R1": give bounds`,
		`{"author":"a","run":"r","expect":{"R1":{"at_most":"1 h"}}}`:      "x.jsonl holds no answers of a judge",
		"": "x.jsonl holds no answers of a judge",
	} {
		if _, err := ParseJudge("x.jsonl", []byte(text), "a"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	// The later of two answers counts.
	j, err := ParseJudge("x.jsonl", []byte(good+"\n"+strings.Replace(good, `"passed"`, `"failed","actual":"nothing"`, 1)), "a")
	if err != nil || j.votes[place{"sha256:1", "q"}].Outcome != shadow.Failed {
		t.Errorf("%+v, %v", j, err)
	}
	dir := t.TempDir()
	if _, err := OpenJudge(filepath.Join(dir, "none"), "a"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	file := filepath.Join(dir, "some")
	if err := os.WriteFile(file, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJudge(file+"#b", "a"); err == nil || !strings.Contains(err.Error(), "holds answers of a: say whose are meant") {
		t.Errorf("%v", err)
	}
	if _, err := OpenAuthor(file, "a"); err == nil || !strings.Contains(err.Error(), "holds no answers of an author") {
		t.Errorf("%v", err)
	}
	if _, err := Create(file); !errors.Is(err, os.ErrExist) {
		t.Errorf("it writes over a file: %v", err)
	}
}

// A disk that is full is told at the end.
func TestRecordingFails(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	r := &Recorder{w: f}
	if v, err := r.Judge(model{"one"}).Vote(t.Context(), item(bundle("x"), 1)); err != nil || v.Outcome != shadow.Passed {
		t.Errorf("%+v, %v", v, err)
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("%v", err)
	}
}
