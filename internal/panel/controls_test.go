package panel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// controlled are n questions on items, with the false one second and the true
// one last.
func controlled(n int) []shadow.Question {
	b := &shadow.Bundle{Domain: "one", Content: text + "\n\nKeys are rotated each quarter.\n"}
	on := func(name, text string, c shadow.Control) shadow.Question {
		return shadow.Question{RunID: "run", Bundle: b, BundleDigest: "sha256:bundle", Item: &shadow.Item{Name: name, Kind: shadow.SubTask, Text: text}, Control: c}
	}
	var qs []shadow.Question
	for i := range n {
		qs = append(qs, on(fmt.Sprint("sub-task ", i+1), fmt.Sprintf("item %d", i+1), ""))
		if i == 0 {
			qs = append(qs, on("control item", "the colour codes of tokens", shadow.ControlFalse))
		}
	}
	return append(qs, on("control passage", "The work contains this passage: \""+text+"\"", shadow.ControlTrue))
}

// by makes a judge of a function.
func by(name string, say func(q *shadow.Question) shadow.Vote) *scripted {
	return &scripted{name: name, say: func(_ context.Context, q *shadow.Question) (shadow.Vote, error) { return say(q), nil }}
}

func always(v shadow.Vote) func(*shadow.Question) shadow.Vote {
	return func(*shadow.Question) shadow.Vote { return v }
}

// reads answers control questions rightly, and else as v.
func reads(v shadow.Vote) func(*shadow.Question) shadow.Vote {
	return func(q *shadow.Question) shadow.Vote {
		switch q.Control {
		case shadow.ControlFalse:
			return fail
		case shadow.ControlTrue:
			return pass
		}
		return v
	}
}

// on answers a control question with v, and else reads and passes.
func on(c shadow.Control, v shadow.Vote) func(*shadow.Question) shadow.Vote {
	return func(q *shadow.Question) shadow.Vote {
		if q.Control == c {
			return v
		}
		return reads(pass)(q)
	}
}

// Who answers a control question wrongly has no vote, is named, and others are
// asked in its place.
func TestControls(t *testing.T) {
	const lacks, denies = "it passed an item that the work cannot hold", "it failed a passage that stands in the content"
	distant := shadow.Vote{Outcome: shadow.Passed, Quote: "words from nowhere at all", Calls: 1}
	for name, c := range map[string]struct {
		first    func(*shadow.Question) shadow.Vote
		excluded string
	}{
		"reads":                        {reads(pass), ""},
		"passes all":                   {always(pass), lacks},
		"fails all":                    {always(fail), denies},
		"obeys":                        {on(shadow.ControlFalse, pass), lacks},
		"passes without evidence":      {on(shadow.ControlFalse, distant), lacks},
		"fails without a reason":       {on(shadow.ControlTrue, shadow.Vote{Outcome: shadow.Failed, Calls: 1}), denies},
		"says nothing to the false":    {on(shadow.ControlFalse, shadow.NoVote("", "unreadable")), ""},
		"says nothing to the true":     {on(shadow.ControlTrue, shadow.NoVote("", "unreadable")), ""},
		"finds the passage, misquotes": {on(shadow.ControlTrue, distant), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			judges := []*scripted{by("first", c.first), by("second", reads(fail)), by("third", reads(fail))}
			p, _ := panelOf("", func(cfg *Config) {
				cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
				cfg.Judges = []shadow.Judge{judges[0], judges[1], judges[2]}
			})
			out, err := p.Ask(t.Context(), controlled(4))
			if err != nil || len(out.Ballots) != 4 {
				t.Fatalf("%d ballots, %v", len(out.Ballots), err)
			}
			// The first says pass and the others fail: the third decides in any
			// case, and each judge has had four questions and two controls.
			for i, b := range out.Ballots {
				first := &b.Votes[0]
				if b.About != fmt.Sprint("sub-task ", i+1) || b.Outcome != shadow.Failed || len(b.Votes) != 3 {
					t.Errorf("%+v", b)
				}
				if c.excluded == "" && first.Outcome != shadow.Passed {
					t.Errorf("an honest vote is lost: %+v", first)
				}
				if c.excluded != "" && (first.Outcome != shadow.Undecided || first.Quote+first.Actual != "" || first.Calls != 1 ||
					first.Why != "its answer to a control question was wrong: "+c.excluded) {
					t.Errorf("%+v", first)
				}
			}
			for i, j := range judges {
				if j.calls.Load() != 6 {
					t.Errorf("%s had %d questions", j.name, j.calls.Load())
				}
				if want := c.excluded; i == 0 && out.Judges[0].Excluded != want || i > 0 && out.Judges[i].Excluded != "" {
					t.Errorf("%+v", out.Judges[i])
				}
			}
			if out.Controls.Calls != 6 || c.excluded != "" && !strings.Contains(log.String(), "judge=first questions=4 reason=\"its answer to a control question was wrong: "+c.excluded) {
				t.Errorf("%+v; %s", out.Controls, &log)
			}
		})
	}
}

// An answer that ends in an error shows nothing.
func TestControlsFail(t *testing.T) {
	j := by("a", nil)
	j.say = func(_ context.Context, q *shadow.Question) (shadow.Vote, error) {
		if q.Control != "" {
			return shadow.Vote{Said: map[shadow.Control]shadow.Outcome{shadow.ControlFalse: shadow.Passed, shadow.ControlTrue: shadow.Failed}[q.Control]}, errors.New("broken")
		}
		return pass, nil
	}
	p, _ := panelOf("", func(c *Config) { c.Judges = []shadow.Judge{j} })
	out, err := p.Ask(t.Context(), controlled(3))
	if err != nil || out.Judges[0].Excluded != "" || out.Ballots[2].Outcome != shadow.Passed {
		t.Errorf("%+v, %v", out, err)
	}
}

type fromFile struct{ *scripted }

func (fromFile) Recorded() bool { return true }

func TestRecordedJudge(t *testing.T) {
	j := fromFile{by("a", always(pass))}
	out, err := New(Config{Judges: []shadow.Judge{j}, Logger: slog.New(slog.DiscardHandler)}).Ask(t.Context(), controlled(3))
	if err != nil || j.calls.Load() != 3 || !out.Judges[0].Recorded || out.Judges[0].Excluded != "" || out.Ballots[0].Outcome != shadow.Passed {
		t.Errorf("%d calls, %+v, %v", j.calls.Load(), out, err)
	}
}

// One quote for most of what a judge passes is told, and counts.
func TestDoubt(t *testing.T) {
	const other = "Keys are rotated each quarter."
	for _, c := range []struct {
		n, same int
		want    string
	}{
		{7, 7, ""},
		{8, 4, "one quote serves 4 of its 8 passes"},
		{9, 4, "one quote serves 5 of its 9 passes"},
		{10, 10, "one quote serves 10 of its 10 passes"},
	} {
		var log bytes.Buffer
		var mu sync.Mutex
		said := 0
		j := by("a", func(q *shadow.Question) shadow.Vote {
			if q.Control != "" {
				return reads(pass)(q)
			}
			mu.Lock()
			defer mu.Unlock()
			v := pass
			if said++; said > c.same {
				v.Quote = other
			}
			return v
		})
		p, _ := panelOf("", func(cfg *Config) {
			cfg.Judges, cfg.Logger = []shadow.Judge{j}, slog.New(slog.NewTextHandler(&log, nil))
		})
		out, err := p.Ask(t.Context(), controlled(c.n))
		if err != nil || out.Judges[0].Doubt != c.want || out.Ballots[0].Outcome != shadow.Passed || strings.Contains(log.String(), c.want) != (c.want != "" || log.Len() == 0) {
			t.Errorf("%d of %d: %+v, %v; %s", c.same, c.n, out.Judges, err, &log)
		}
	}
}

// A judge's first question about a bundle is answered before it has the others,
// and those it has at once.
func TestFirstBeforeOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var at []time.Duration
		began := time.Now()
		j := by("a", func(q *shadow.Question) shadow.Vote {
			mu.Lock()
			at = append(at, time.Since(began))
			mu.Unlock()
			time.Sleep(3 * time.Second) // in the bubble's time
			return reads(pass)(q)
		})
		p, _ := panelOf("", func(c *Config) { c.Judges = []shadow.Judge{j} })
		if _, err := p.Ask(t.Context(), controlled(5)); err != nil {
			t.Fatal(err)
		}
		if len(at) != 7 || at[0] != 0 || at[1] != 3*time.Second || at[6] != 3*time.Second {
			t.Errorf("asked at %v", at)
		}
	})
}
