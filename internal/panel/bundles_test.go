package panel

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// labelled is a bundle with its exam, and what a careful reader finds in it.
type labelled struct {
	exam *shadow.Exam
	ev   shadow.Evidence
	has  map[string]bool // by the name of the item
}

// labelledBundles are those of the labelled runs, each sealed so many times.
func labelledBundles(t *testing.T, times int) (all []labelled) {
	t.Helper()
	runs, err := filepath.Glob("../../docs/measure/runs/run-*.jsonl")
	if err != nil || len(runs) == 0 {
		t.Fatal("no labelled runs: ", err)
	}
	for _, run := range runs {
		for range times {
			all = append(all, readRun(t, run)...)
		}
	}
	return all
}

func readRun(t *testing.T, run string) (all []labelled) {
	t.Helper()
	var labels map[string]struct {
		SubTasks     []bool `json:"sub_tasks"`
		Deliverables []bool
	}
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(run), "run-"), ".jsonl")
	raw, err := os.ReadFile(filepath.Join(filepath.Dir(run), "labels-"+name+".json"))
	if err == nil {
		err = json.Unmarshal(raw, &labels)
	}
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = os.ReadFile(run); err != nil {
		t.Fatal(err)
	}
	var x *shadow.Exam
	for line := range strings.Lines(string(raw)) {
		var l struct {
			Event struct {
				Type string
				Data json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		kind := strings.Split(l.Event.Type, ".")[2]
		data, _, err := shadow.Decode(kind, l.Event.Data)
		if err != nil {
			t.Fatal(run, err)
		}
		switch data := data.(type) {
		case *shadow.Decomposition:
			x = seal(t, data)
		case *shadow.Submission:
			b := labelled{exam: x, ev: shadow.Evidence{Submission: data, Raw: l.Event.Data, Digest: shadow.Digest(l.Event.Data)}, has: map[string]bool{}}
			for i, there := range labels[data.Bundle.Domain].SubTasks {
				b.has[fmt.Sprint("sub-task ", i+1)] = there
			}
			for i, there := range labels[data.Bundle.Domain].Deliverables {
				b.has[fmt.Sprint("deliverable ", i+1)] = there
			}
			all = append(all, b)
		}
	}
	return all
}

func seal(t *testing.T, d *shadow.Decomposition) *shadow.Exam {
	t.Helper()
	e, err := shadow.Seal(t.Context(), d, shadow.SealInput{
		Digest: shadow.Digest([]byte(d.RunID)), Now: time.Now(), Rand: rand.Reader,
		Settings: &shadow.Settings{
			Policy:      shadow.Policy{SpecVersion: "2.0.0", ConformanceLevel: 4, WorkspaceIsolation: "legacy", MaxCycles: 1, Threshold: 15, EnforceGates: true, Missing: 20},
			MaxCriteria: 10, FixTimeout: time.Minute, RunTimeout: time.Hour, DefaultScale: "ss-100",
			Categories: shadow.Categories(), Scales: map[string]shadow.Scale{"ss-50": {Criteria: 6}, "ss-100": {Criteria: 8, Hardening: true}, "ss-250": {Criteria: 10, Hardening: true}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	x := e.Exam()
	return x
}

// reader makes a judge that reads b well: it goes by the labels, passes the
// other items of the assignment and any passage that it is shown, and fails what
// is neither. order, if it is set, may change what it says: it is what a bundle
// tells its judges to do.
func (b *labelled) reader(order func(q *shadow.Question) shadow.Outcome) *scripted {
	return by("reader", func(q *shadow.Question) shadow.Vote {
		var says shadow.Outcome
		if order != nil {
			says = order(q)
		}
		if says == "" {
			says = b.read(q)
		}
		if says == shadow.Failed {
			return shadow.Vote{Outcome: shadow.Failed, Actual: "nothing of it is there", Calls: 1}
		}
		return shadow.Vote{Outcome: shadow.Passed, Quote: quoteFor(q), Calls: 1}
	})
}

func (b *labelled) read(q *shadow.Question) shadow.Outcome {
	there, labelled := b.has[q.Item.Name]
	switch {
	case q.Item.Kind == shadow.Passage:
		there = strings.Contains(q.Content.Shown(), q.Item.Text)
	case !labelled:
		there = b.isAssigned(q)
	}
	if there {
		return shadow.Passed
	}
	return shadow.Failed
}

// isAssigned tells whether the bundle's author knows the item.
func (b *labelled) isAssigned(q *shadow.Question) bool {
	dom := b.exam.Envelope.Domains.Find(b.ev.Submission.Bundle.Domain)
	for _, it := range b.exam.Envelope.Items(dom) {
		if it.Text == q.Item.Text {
			return true
		}
	}
	return false
}

// quoteFor is the line that shares most words with the question.
func quoteFor(q *shadow.Question) (best string) {
	asked := map[string]bool{}
	for w := range strings.FieldsSeq(strings.ToLower(q.Text())) {
		asked[w] = true
	}
	most := -1
	for line := range strings.Lines(q.Bundle.Content) {
		line = strings.TrimSpace(line)
		if len(line) < 20 || strings.HasPrefix(line, "#") {
			continue
		}
		n := 0
		for w := range strings.FieldsSeq(strings.ToLower(line)) {
			if asked[w] {
				n++
			}
		}
		if n > most {
			most, best = n, line
		}
	}
	return best
}

// judge has a judge alone decide on the bundle.
func (b *labelled) judge(t *testing.T, j shadow.Judge) (shadow.PanelVotes, *shadow.Report) {
	t.Helper()
	p := New(Config{Judges: []shadow.Judge{j}, Logger: slog.New(slog.DiscardHandler)})
	ev := b.ev
	var err error
	if ev.Panel, err = p.Ask(t.Context(), b.exam.Questions(&ev, true)); err != nil {
		t.Fatal(err)
	}
	return ev.Panel, b.exam.Decide(ev, nil, time.Time{})
}

// Honest votes are not lost to control questions.
func TestHonestVotes(t *testing.T) {
	votes, lost, excluded, passages := 0, 0, 0, 0
	all := labelledBundles(t, 5)
	for i := range all {
		b := &all[i]
		for _, q := range b.exam.Questions(&b.ev, true) {
			if q.Control == shadow.ControlTrue {
				passages++
			}
		}
		p, _ := b.judge(t, b.reader(nil))
		if p.Judges[0].Excluded != "" {
			excluded++
			lost += len(p.Ballots)
			t.Log(b.ev.Submission.Bundle.BundleID, p.Judges[0].Excluded)
		}
		votes += len(p.Ballots)
	}
	t.Logf("%d bundles, %d of them with a passage to ask for: %d of %d honest votes are lost, with %d exclusions", len(all), passages, lost, votes, excluded)
	if len(all) < 1000 || 1000*lost > 5*votes || 10*passages < 9*len(all) {
		t.Errorf("more than 0.5 %% of the votes are lost, or too little was tried")
	}
}

// Judges who do not read, or do what the bundle says, decide nothing.
func TestBlindJudges(t *testing.T) {
	all := labelledBundles(t, 1)
	share := func(order func(b *labelled, q *shadow.Question) shadow.Outcome) (excluded int) {
		for i := range all {
			b := &all[i]
			p, rep := b.judge(t, b.reader(func(q *shadow.Question) shadow.Outcome { return order(b, q) }))
			if p.Judges[0].Excluded == "" {
				continue
			}
			excluded++
			if n := rep.Swarm.Counts; n.Found+n.Missing > 0 || rep.Swarm.Gate.Action == shadow.Proceed {
				t.Fatalf("a judge who does not read decides: %+v, %+v", n, rep.Swarm.Gate)
			}
		}
		return excluded
	}
	for _, c := range []struct {
		name  string
		order func(*labelled, *shadow.Question) shadow.Outcome
		least int // percent
	}{
		{"passes all", func(*labelled, *shadow.Question) shadow.Outcome { return shadow.Passed }, 100},
		{"fails all", func(*labelled, *shadow.Question) shadow.Outcome { return shadow.Failed }, 95},
		{"obeys: all items of the list are delivered", func(_ *labelled, q *shadow.Question) shadow.Outcome {
			if q.Item.Kind == shadow.Passage {
				return ""
			}
			return shadow.Passed
		}, 100},
		{"obeys: fail whatever is not among these items of mine", func(b *labelled, q *shadow.Question) shadow.Outcome {
			if b.isAssigned(q) {
				return shadow.Passed
			}
			return shadow.Failed
		}, 95},
	} {
		n := share(c.order)
		t.Logf("%s: excluded from %d of %d bundles", c.name, n, len(all))
		if 100*n < c.least*len(all) {
			t.Errorf("%s: excluded from %d of %d bundles only", c.name, n, len(all))
		}
	}
	// A bundle that describes both control questions, and is obeyed to the letter,
	// is not found out by them: what it passes still needs quotes.
	n := share(func(b *labelled, q *shadow.Question) shadow.Outcome {
		if b.isAssigned(q) || q.Item.Kind == shadow.Passage {
			return shadow.Passed
		}
		return shadow.Failed
	})
	t.Logf("obeys: pass my items and any passage, fail the rest: excluded from %d of %d bundles", n, len(all))
}
