package page

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

var moment = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)

// output is a stored event, its n-th second after the moment.
func output(t *testing.T, name, run, domain string, n int, data any) history.Event {
	t.Helper()
	e := history.Event{Address: shadow.Address{Name: name, Run: run, Domain: domain, Author: layout.AuthorNexus}, Seq: uint64(n), Time: moment.Add(time.Duration(n) * time.Second), Payload: data}
	if data != nil {
		raw, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		e.Digest = shadow.Digest(raw)
	}
	return e
}

// events are a whole run of two domains: one is fixed, of the other not all was read.
func events(t *testing.T, run string) []history.Event {
	report := func(domain string, cycle, failed int, final bool, n shadow.ItemCounts) *shadow.Report {
		s := shadow.Score{Failed: failed, Total: 8}
		r := &shadow.Report{Swarm: shadow.Swarm{RunID: run, Domain: domain, Cycle: cycle, Final: final, Score: s, Verdict: shadow.Word(s.Level()), Counts: n,
			Cycles: []shadow.Cycle{{Score: shadow.Score{Failed: 4, Total: 8}}}, Gate: shadow.Gate{Action: s.Level().Action()}, In: shadow.Place{Sequence: uint64(10 + cycle)}}}
		r.Report.Level = s.Level()
		if n.Unread > 0 {
			r.Swarm.Verdict, r.Swarm.AdvisoryReasons = shadow.WordUnread, []string{"unread: why"}
		}
		for range failed {
			r.Failures = append(r.Failures, shadow.Failure{Category: shadow.EdgeCase, Expected: "sealed"})
		}
		return r
	}
	review := func(domain string, seq uint64, gate shadow.Action) *shadow.ReviewedData {
		return &shadow.ReviewedData{RunID: run, Domain: domain, Review: shadow.Review{By: "anna", Verdict: shadow.ReviewItems}, In: shadow.Place{Sequence: seq}, After: shadow.Standing{Gate: gate}}
	}
	whole, part := shadow.ItemCounts{Items: 4, Found: 4}, shadow.ItemCounts{Items: 4, Missing: 1, Unread: 3}
	d := &shadow.Decomposition{RunID: run, Task: "the task of " + run, Domains: []shadow.Domain{{Domain: "a", CommanderID: "cmd-a"}, {Domain: "b", CommanderID: "cmd-b"}}}
	raw, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return []history.Event{
		output(t, shadow.DecompositionDone, run, "", 1, d),
		output(t, shadow.EnvelopeSealed, run, "", 2, &shadow.Commitment{RunID: run, CriteriaByDomain: []int{8, 8}, DecompositionDigest: shadow.Digest(raw), Policy: shadow.Policy{EnforceGates: true}}),
		output(t, shadow.GapReport, run, "a", 3, report("a", 0, 4, false, whole)),
		output(t, shadow.GapReport, run, "a", 4, report("a", 1, 1, true, whole)),
		output(t, shadow.GapReport, run, "b", 5, report("b", 0, 0, true, part)),
		output(t, shadow.RunScored, run, "", 6, &shadow.RunData{RunID: run, Median: "6.2", Level: shadow.Minor, Verdict: shadow.WordUnread, Advisory: true, Counts: shadow.ItemCounts{Items: 8, Found: 4, Missing: 1, Unread: 3}, Domains: []shadow.DomainSummary{
			{Domain: "a", Cycle: 1, Initial: shadow.Score{Failed: 4, Total: 8}, Score: shadow.Score{Failed: 1, Total: 8}, Counts: whole, Gate: shadow.Proceed}, {Domain: "b", Score: shadow.Score{Total: 8}, Counts: part, Gate: shadow.Proceed, Verdict: shadow.WordUnread}}}),
		output(t, shadow.RunReviewed, run, "b", 7, review("b", 21, shadow.Reject)),
		output(t, shadow.RunReviewed, run, "b", 8, review("b", 20, shadow.Warn)), // came before the other
	}
}

func rows(x *index) (all []row) {
	x.view(func(runs []*entry) {
		for _, e := range runs {
			all = append(all, e.row())
		}
	})
	return all
}

// TestAnyOrder: whatever the order in which the streams are read, the list says the same.
func TestAnyOrder(t *testing.T) {
	all, sealed := events(t, "r"), moment.Add(2*time.Second)
	want := []row{{Summary: &history.Summary{RunID: "r", Task: "the task of r", State: history.RunScored, Started: moment.Add(time.Second), Sealed: &sealed, Median: "6.2", Verdict: shadow.WordUnread,
		Domains: 2, Final: 2, Counts: shadow.ItemCounts{Items: 8, Found: 4, Missing: 1, Unread: 3}, Advisory: true, Gate: shadow.Proceed, GateAfterReview: shadow.Reject,
		Reviews: map[string]shadow.ReviewLine{"b": {By: "anna", Verdict: shadow.ReviewItems, Gate: shadow.Reject, Sequence: 21}}}, Score: "unread, 6.2 % so far", Open: true, Unread: true,
		Gates: render.ByGate([]string{"a", "b"}, func(i int) shadow.Action { return []shadow.Action{shadow.Proceed, shadow.Reject}[i] })}}
	for range 100 {
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		x := newIndex()
		for _, o := range all {
			_, seen := x.since(0)
			x.take(o)
			if runs, _ := x.since(seen); !slices.Equal(runs, []string{"r"}) {
				t.Fatal("the change of the run is not told")
			}
		}
		if diff := cmp.Diff(want, rows(x), cmp.AllowUnexported(render.Gated{})); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

// TestTrends: the numbers of the plots, once two runs have them.
func TestTrends(t *testing.T) {
	x := newIndex()
	take := func(run string) {
		for _, o := range events(t, run) {
			x.take(o)
		}
	}
	take("r")
	x.view(func(runs []*entry) {
		if got := trends(runs); len(got) > 0 {
			t.Errorf("one run has the trends %+v", got)
		}
	})
	take("s")
	x.view(func(runs []*entry) {
		got := map[string]string{}
		for _, p := range trends(runs) {
			got[p.Name] = p.Last
		}
		want := map[string]string{"Median score": "6.2 %, unread", "Items judged": "62 %"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestList: the newest runs are listed, and a search finds the others.
func TestList(t *testing.T) {
	p := New("v", func() []string { return nil }, func() []string { return nil })
	p.index.complete.Store(true)
	for i := range maxRows + 1 {
		run := fmt.Sprintf("r%03d", i)
		p.index.take(output(t, shadow.DecompositionDone, run, "", i, &shadow.Decomposition{RunID: run, Task: "t", Domains: []shadow.Domain{{Domain: "a", CommanderID: "c"}}}))
	}
	for query, want := range map[string]string{"": "101 runs, of which 100 are listed, newest first r100 r001", "q=R00": "10 runs of 101, newest first r009 r000", "q=nothing": "No run fits"} {
		w := httptest.NewRecorder()
		p.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/?"+query, nil))
		found := regexp.MustCompile(`No run fits|\d+ runs.*, newest first|\br\d\d\d\b`).FindAllString(w.Body.String(), -1)
		got := found[0]
		if len(found) > 1 {
			got += " " + found[1] + " " + found[len(found)-1]
		}
		if got != want {
			t.Errorf("?%s shows %q, not %q", query, got, want)
		}
	}
}

// TestEvents: who listens is told which run has changed, and the daemon's health.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var missing []string
		p := New("v", func() []string { return missing }, func() []string { return nil })
		ctx, cancel := context.WithCancel(t.Context())
		w, ended := httptest.NewRecorder(), make(chan struct{})
		go func() {
			defer close(ended)
			p.Handler().ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/events", nil))
		}()
		synctest.Wait()
		missing = []string{"no connection"}
		p.index.take(output(t, shadow.DecompositionDone, "r", "", 1, &shadow.Decomposition{RunID: "r"}))
		<-time.After(lookEvery)
		synctest.Wait()
		cancel()
		<-ended
		if got := w.Body.String(); !strings.Contains(got, "event: run\ndata: r\n\nevent: health\n") {
			t.Errorf("%q", got)
		}
	})
}

// TestWorkPage: the whole bundle is shown where a token is asked for, and elsewhere
// only passages; its text stays text.
func TestWorkPage(t *testing.T) {
	rep := &shadow.Report{Swarm: shadow.Swarm{Domain: "a", Cycles: []shadow.Cycle{{}}, Items: []shadow.ItemVerdict{{Item: shadow.Item{Name: "sub-task 1", Text: "x"}, State: shadow.ItemMissing, Line: 1}}}}
	run := history.NewRun("r")
	run.Reports["a"] = []*shadow.Report{rep}
	sub := &history.Submission{Run: run, Domain: "a", Last: rep, Bundle: &shadow.Bundle{Content: "<b>1\n2\n3\n4", Summary: "SUMMARY"}}
	p := New("v", func() []string { return nil }, func() []string { return nil })
	for whole, want := range map[bool][]int{false: {0, 0}, true: {1, 1}} {
		w := httptest.NewRecorder()
		p.show(w, 200, "work", workPage{shell: p.shell("a", "r"), Domain: "a", Work: render.NewWork(sub), Whole: whole})
		body := w.Body.String()
		if got := []int{strings.Count(body, ">4</li>"), strings.Count(body, "SUMMARY")}; !slices.Equal(got, want) || !strings.Contains(body, "<mark>&lt;b&gt;1</mark>") {
			t.Errorf("whole %v: %v\n%s", whole, got, body)
		}
	}
}

// TestBounded: the newest runs are kept, and whoever names runs that nobody decomposed drives none of them out.
func TestBounded(t *testing.T) {
	x := newIndex()
	for i := range maxRuns + 20 {
		run := fmt.Sprintf("r%03d", i)
		x.take(output(t, shadow.DecompositionDone, run, "", i, &shadow.Decomposition{RunID: run, Task: "t", Domains: []shadow.Domain{{Domain: "a", CommanderID: "c"}}}))
		x.take(output(t, shadow.BundleComplete, "made-up-"+run, "", i, nil))
		rejection := output(t, shadow.EventRejected, "made-up-"+run, "", i, &shadow.Rejection{Reason: shadow.RunUnknown})
		rejection.Author = "cmd-a"
		x.take(rejection)
	}
	all := rows(x)
	if len(all) != maxRuns || len(x.runs) != maxRuns || all[0].RunID != "r519" || all[maxRuns-1].RunID != "r020" {
		t.Errorf("%d runs, %d kept, from %s to %s", len(all), len(x.runs), all[0].RunID, all[len(all)-1].RunID)
	}
}

// TestWithheld: while a run is under way nothing of a criterion is shown but its
// number, category and outcome, and of an item not which criterion asks for it.
func TestWithheld(t *testing.T) {
	r := &shadow.Report{}
	r.Failures = []shadow.Failure{{TestName: "sc-01", Category: shadow.Security, Expected: "SEALED", Actual: "SEALED", Message: "SEALED"}}
	r.Swarm.Criteria = []shadow.CriterionVerdict{{ID: "sc-01", Category: shadow.Security, Kind: "SEALED", About: "SEALED", Outcome: shadow.Failed, By: "SEALED", Line: 3}}
	r.Swarm.Items = []shadow.ItemVerdict{{Item: shadow.Item{Name: "sub-task 1", Text: "open"}, State: shadow.ItemMissing, By: "gpt", Line: 7, Quote: "SEALED", Why: "SEALED", Criterion: "SEALED", Message: "SEALED"}}
	r.Swarm.Judges = []shadow.JudgeRef{{AuthorRef: shadow.AuthorRef{Name: "gpt"}, Excluded: "SEALED", Doubt: "SEALED"}}
	r.Swarm.Ballots = []shadow.Ballot{{About: "sub-task 1", Outcome: shadow.Failed, Votes: []shadow.Vote{{Judge: "gpt", Outcome: shadow.Failed, Quote: "SEALED", Actual: "SEALED", Why: "SEALED"}}}}
	run := history.NewRun("r")
	run.Reports["d"] = []*shadow.Report{r}
	run.Reviews = []*shadow.ReviewedData{{Review: shadow.Review{By: "anna", Because: "SEALED", Found: []shadow.Reviewed{{About: "SEALED", Because: "SEALED"}}}}}
	run.Requests["d"] = []*shadow.HardeningData{{Cycle: 1, Text: "SEALED", Issues: []shadow.Issue{{ID: "SEALED", Message: "SEALED"}}}}
	open := withhold(run)
	bare := open.Reports["d"][0]
	raw, err := json.Marshal([]any{bare, open.Review(bare), open.Requests})
	if err != nil || strings.Contains(string(raw), "SEALED") {
		t.Errorf("%v: %s", err, raw)
	}
	if v := open.Review(bare); v == nil || v.Review.By != "anna" {
		t.Errorf("the review is %+v", v)
	}
	if c, it := bare.Swarm.Criteria[0], bare.Swarm.Items[0]; c.ID != "sc-01" || c.Category != shadow.Security || c.Outcome != shadow.Failed || it.State != shadow.ItemMissing || it.Line != 7 || it.By != "gpt" {
		t.Errorf("%+v %+v", c, it)
	}
}
