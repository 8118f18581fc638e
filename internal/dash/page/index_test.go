package page

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

var moment = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)

// output is a stored event, its n-th second after the moment.
func output(t *testing.T, name, run, domain string, n int, data any) history.Output {
	t.Helper()
	o := history.Output{Address: shadow.Address{Name: name, Run: run, Domain: domain, Author: layout.AuthorNexus}, Seq: uint64(n), Time: moment.Add(time.Duration(n) * time.Second)}
	if data != nil {
		raw, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		o.Event = event.New()
		if err := o.Event.SetData("application/json", raw); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// events are a whole run of two domains: one is fixed, of the other too little
// was read.
func events(t *testing.T, run string) []history.Output {
	report := func(domain string, cycle, failed int, final bool, read shadow.Read) *shadow.Report {
		s := shadow.Score{Failed: failed, Total: 8}
		r := &shadow.Report{Swarm: shadow.Swarm{RunID: run, Domain: domain, Cycle: cycle, Final: final, Score: s, Read: read,
			Cycles: []shadow.Cycle{{Score: shadow.Score{Failed: 4, Total: 8}}}, Gate: shadow.Gate{Action: s.Level().Action()}, In: shadow.Place{Sequence: uint64(10 + cycle)}}}
		r.Report.Level = s.Level()
		if read.Below(50) {
			r.Swarm.AdvisoryReasons = []string{"unread: " + read.Words()}
		}
		for range failed {
			r.Failures = append(r.Failures, shadow.Failure{Category: shadow.EdgeCase, Expected: "sealed"})
		}
		votes := make([]shadow.Vote, 3)
		r.Swarm.Ballots = []shadow.Ballot{{Configured: 3, Cast: 3, Agreed: 2, Outcome: shadow.Passed, Votes: votes}, {Configured: 3, Cast: 3, Agreed: 3, Outcome: shadow.Passed, Votes: votes},
			{Configured: 3, Outcome: shadow.Undecided, Votes: votes[:2]}}
		return r
	}
	whole, part := shadow.Read{Items: 4, Read: 4}, shadow.Read{Items: 4, Read: 1}
	d := &shadow.Decomposition{RunID: run, Task: "the task of " + run, Domains: []shadow.Domain{{Domain: "a", CommanderID: "cmd-a"}, {Domain: "b", CommanderID: "cmd-b"}}}
	raw, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return []history.Output{
		output(t, shadow.DecompositionDone, run, "", 1, d),
		output(t, shadow.EnvelopeSealed, run, "", 2, shadow.Commitment{RunID: run, Domains: 2, DecompositionDigest: shadow.Digest(raw), Policy: shadow.Policy{MinRead: 50, EnforceGates: true}}),
		output(t, shadow.GapReport, run, "a", 3, report("a", 0, 4, false, whole)),
		output(t, shadow.GapReport, run, "a", 4, report("a", 1, 1, true, whole)),
		output(t, shadow.GapReport, run, "b", 5, report("b", 0, 0, true, part)),
		output(t, shadow.RunScored, run, "", 6, shadow.RunData{RunID: run, Median: "6.2", Level: shadow.Minor, Advisory: true, Read: shadow.Read{Items: 8, Read: 5}, Domains: []shadow.DomainSummary{
			{Domain: "a", Cycle: 1, Initial: shadow.Score{Failed: 4, Total: 8}, Score: shadow.Score{Failed: 1, Total: 8}, Read: whole}, {Domain: "b", Score: shadow.Score{Total: 8}, Read: part, Unread: true}}}),
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

// TestAnyOrder: whatever the order in which the streams are read, the list says
// the same.
func TestAnyOrder(t *testing.T) {
	all, sealed := events(t, "r"), moment.Add(2*time.Second)
	want := []row{{Summary: &history.Summary{RunID: "r", Task: "the task of r", State: history.RunScored, Started: moment.Add(time.Second), Sealed: &sealed, Median: "6.2", Level: shadow.Minor,
		Domains: 2, Final: 2, Read: shadow.Read{Items: 8, Read: 5}, Advisory: true, Unread: 1}, Level: "unread",
		Cells: []cell{{"level-minor", "a: 12.5 % minor, proceed"}, {"level-unread unsure", "b: 0.0 % unread, proceed, advisory"}}}}
	for range 100 {
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		x := newIndex()
		for _, o := range all {
			if x.take(o) != "r" {
				t.Fatal("the change of the run is not told")
			}
		}
		if diff := cmp.Diff(want, rows(x)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

// TestTrends: the numbers of the plots.
func TestTrends(t *testing.T) {
	x := newIndex()
	for _, o := range events(t, "r") {
		x.take(o)
	}
	x.view(func(runs []*entry) {
		got := map[string]string{}
		for _, p := range trends(runs) {
			got[p.Name] = p.Last
		}
		want := map[string]string{"Median score": "6.2 %, unread", "Velocity": "+37.5 points a cycle", "Share read": "62 %", "Judges disagree": "50 % of questions", "Judges silent": "25 % of votes"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if h := heatOf(runs); h == nil || len(h.Rows) != 1 || h.Rows[0].Total != 1 || h.Rows[0].Name != "edge case" {
			t.Errorf("%+v", h)
		}
	})
}

// TestPages: the list goes on from page to page, and beyond the last one stands
// the last one.
func TestPages(t *testing.T) {
	p := New("v", func() []string { return nil })
	p.index.complete.Store(true)
	for i := range 2*rowsPerPage + 1 {
		run := fmt.Sprintf("r%03d", i)
		p.index.take(output(t, shadow.DecompositionDone, run, "", i, shadow.Decomposition{RunID: run, Domains: []shadow.Domain{{Domain: "a"}}}))
	}
	for query, want := range map[string]string{
		"":                          "r100 r051 next",
		"page=2":                    "r050 r001 prev next",
		"page=3":                    "r000 r000 prev",
		"page=4":                    "r000 r000 prev",
		"page=9223372036854775807":  "r000 r000 prev",
		"page=-9223372036854775808": "r100 r051 next",
		"page=nonsense":             "r100 r051 next",
		"q=R04&page=3":              "r049 r040",
		"q=nothing&page=2":          "No run fits",
	} {
		w := httptest.NewRecorder()
		p.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/?"+query, nil))
		var runs, got []string
		for _, m := range regexp.MustCompile(`href="/runs/(r\d+)"|rel="(prev|next)"|(No run fits|There are no runs yet)`).FindAllStringSubmatch(w.Body.String(), -1) {
			if m[1] != "" {
				runs = append(runs, m[1])
				got = []string{runs[0], m[1]}
			} else {
				got = append(got, m[2]+m[3])
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("?%s shows %v, not %s", query, got, want)
		}
	}
}

// TestBounded: the newest runs are kept, and whoever names runs that nobody
// decomposed drives none of them out.
func TestBounded(t *testing.T) {
	x := newIndex()
	for i := range maxRuns + 20 {
		run := fmt.Sprintf("r%03d", i)
		x.take(output(t, shadow.DecompositionDone, run, "", i, shadow.Decomposition{RunID: run, Domains: []shadow.Domain{{Domain: "a"}}}))
		x.take(output(t, shadow.BundleComplete, "made-up-"+run, "", i, nil))
		rejection := output(t, shadow.EventRejected, "made-up-"+run, "", i, nil)
		rejection.Author, rejection.Rejection = "cmd-a", &shadow.Rejection{Reason: shadow.RunUnknown}
		x.take(rejection)
	}
	all := rows(x)
	if len(all) != maxRuns || len(x.runs) != maxRuns || all[0].RunID != "r519" || all[maxRuns-1].RunID != "r020" {
		t.Errorf("%d runs, %d kept, from %s to %s", len(all), len(x.runs), all[0].RunID, all[len(all)-1].RunID)
	}
	for range 2 * maxEvents {
		x.take(output(t, shadow.BundleComplete, "r519", "", 600, nil))
	}
	if n := len(x.runs["r519"].work); n > maxEvents {
		t.Errorf("%d bundles are kept", n)
	}
}
