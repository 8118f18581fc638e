package dash

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.uber.org/goleak"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

var update = flag.Bool("update", false, "rewrite the table of docs/metrics.md")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

func newMetrics() *Metrics {
	return New(Config{Version: "v1.2.3", Authors: []string{"shadowd", "gpt"}, Judges: []string{"alpha", "beta"},
		Ready: func() bool { return true }, Reconnects: func() uint64 { return 2 }, Waiting: func() int { return 3 }, Active: func() bool { return true }, In: func() (int64, int64) { return 5, 9 },
		Awaiting: func(judge string) int { return map[string]int{"beta": 2}[judge] },
		Currency: "EUR", Spent: map[string]func() int64{"gpt": func() int64 { return 1_250_000 }}})
}

// get asks a handler, through a real server.
func get(t *testing.T, h http.Handler, method, path string) (int, string) {
	t.Helper()
	s := httptest.NewServer(h)
	defer s.Close()
	defer s.Client().CloseIdleConnections()
	req, err := http.NewRequest(method, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	code, text := get(t, m.Handler(quiet), "GET", "/metrics")
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	return text
}

func parse(t *testing.T, text string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// values are the samples of shadowd's own metrics that are not 0.
func values(t *testing.T, text string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for name, f := range parse(t, text) {
		if !strings.HasPrefix(name, "shadowd_") || name == "shadowd_build_info" {
			continue
		}
		for _, m := range f.Metric {
			key := name
			for _, l := range m.Label {
				key += " " + l.GetValue()
			}
			if v := m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount()); v != 0 {
				all[key] = v
			}
			if sum := m.GetHistogram().GetSampleSum(); sum != 0 {
				all[key+" sum"] = sum
			}
		}
	}
	return all
}

// polled are those that ask when they are read.
var polled = map[string]float64{"shadowd_ready": 1, "shadowd_active": 1, "shadowd_bus_reconnects_total": 2, "shadowd_events_waiting": 3, "shadowd_in_bytes": 5, "shadowd_in_max_bytes": 9, "shadowd_bundles_awaiting_judge beta": 2, "shadowd_model_cost_total EUR gpt": 1.25}

// TestMoves: each thing that is told moves what it should, and nothing else.
func TestMoves(t *testing.T) {
	report := func(change func(*shadow.Swarm)) *shadow.Report {
		r := &shadow.Report{Swarm: shadow.Swarm{Verdict: "significant", Gate: shadow.Gate{Action: shadow.Quarantine, Because: []string{"level", "missing"}},
			Items:  []shadow.ItemVerdict{{State: shadow.ItemFound}, {State: shadow.ItemMissing}, {State: shadow.ItemMissing}},
			Judges: []shadow.JudgeRef{{AuthorRef: shadow.AuthorRef{Name: "alpha"}, Excluded: "why"}, {AuthorRef: shadow.AuthorRef{Name: "beta"}, Doubt: "why"}}}}
		change(&r.Swarm)
		return r
	}
	judged := func(more map[string]float64) map[string]float64 {
		all := map[string]float64{"shadowd_gates_total quarantine": 1, "shadowd_gate_reasons_total level": 1, "shadowd_gate_reasons_total missing": 1,
			"shadowd_items_total found": 1, "shadowd_items_total missing": 2, "shadowd_judge_exclusions_total alpha": 1,
			"shadowd_judging_duration_seconds": 1, "shadowd_judging_duration_seconds sum": 1}
		maps.Copy(all, more)
		return all
	}
	for name, c := range map[string]struct {
		tell func(*Metrics)
		want map[string]float64
	}{
		"nothing":     {func(*Metrics) {}, nil},
		"taken":       {func(m *Metrics) { m.Processed("bundle-complete", "") }, map[string]float64{"shadowd_events_accepted_total bundle-complete": 1}},
		"rejected":    {func(m *Metrics) { m.Processed("fix-submitted", shadow.Late) }, map[string]float64{"shadowd_events_rejected_total fix-submitted late": 1}},
		"failed":      {func(m *Metrics) { m.Failed("run") }, map[string]float64{"shadowd_events_failed_total run": 1}},
		"stored":      {func(m *Metrics) { m.Stored("run-scored") }, map[string]float64{"shadowd_outputs_total run-scored": 1}},
		"seal broken": {func(m *Metrics) { m.SealBroken("decoy") }, map[string]float64{"shadowd_seals_broken_total decoy": 1}},
		"withheld":    {func(m *Metrics) { m.Withheld() }, map[string]float64{"shadowd_leaks_stopped_total": 1}},
		"sealed": {func(m *Metrics) {
			m.Sealed(1500*time.Millisecond, map[string]int{"gpt": 3, "shadowd": 5})
		}, map[string]float64{"shadowd_seal_duration_seconds": 1, "shadowd_seal_duration_seconds sum": 1.5, "shadowd_criteria_sealed_total gpt": 3, "shadowd_criteria_sealed_total shadowd": 5}},
		"a bundle": {func(m *Metrics) { m.Judged(report(func(*shadow.Swarm) {}), time.Second, "") },
			judged(map[string]float64{"shadowd_reports_total bundle significant": 1})},
		"unread": {func(m *Metrics) {
			m.Judged(report(func(s *shadow.Swarm) {
				s.Verdict, s.Gate.Because = shadow.WordUnread, []string{"level", "missing", "unread"}
			}), time.Second, "")
		}, judged(map[string]float64{"shadowd_reports_total bundle unread": 1, "shadowd_gate_reasons_total unread": 1})},
		"an advisory fix": {func(m *Metrics) {
			m.Judged(report(func(s *shadow.Swarm) { s.Cycle, s.AdvisoryReasons = 1, []string{"a", "b"} }), time.Second, "")
		}, judged(map[string]float64{"shadowd_reports_total fix significant": 1, "shadowd_reports_advisory_total": 1})},
		// Its items were counted with the report before it.
		"a deadline": {func(m *Metrics) {
			m.Judged(report(func(s *shadow.Swarm) { s.Cycle, s.Hardening.TimedOut = 1, true }), 0, "")
		}, map[string]float64{"shadowd_reports_total timeout significant": 1, "shadowd_gates_total quarantine": 1, "shadowd_gate_reasons_total level": 1, "shadowd_gate_reasons_total missing": 1}},
		"votes": {func(m *Metrics) {
			m.Votes([]shadow.Ballot{{Votes: []shadow.Vote{
				{Judge: "alpha", Outcome: shadow.Passed, Calls: 2, Tokens: 70, Millis: 1500},
				{Judge: "beta", Outcome: shadow.Failed, Millis: 0},
				{Judge: "alpha", Outcome: shadow.Undecided, Calls: 1, Millis: 500},
				{Judge: "beta", Outcome: shadow.Passed},
			}}, {Votes: []shadow.Vote{{Judge: "beta", Outcome: shadow.Undecided, Why: "budget: its budget for the run is spent"}}}})
		}, map[string]float64{
			"shadowd_judge_votes_total alpha passed": 1, "shadowd_judge_votes_total alpha none": 1, "shadowd_judge_votes_total beta failed": 1, "shadowd_judge_votes_total beta passed": 1, "shadowd_judge_votes_total beta none": 1,
			"shadowd_judge_calls_total alpha": 3, "shadowd_judge_tokens_total alpha": 70,
			"shadowd_judge_vote_duration_seconds alpha": 2, "shadowd_judge_vote_duration_seconds alpha sum": 2}},
		// What is on no list does not become a label.
		"nonsense": {func(m *Metrics) {
			m.Processed("the sealed words", "the sealed words")
			m.Votes([]shadow.Ballot{{Votes: []shadow.Vote{{Judge: "a stranger", Outcome: "the sealed words", Calls: 1, Millis: 1000}}}})
			m.Sealed(time.Second, map[string]int{"a stranger": 1})
			m.Judged(&shadow.Report{Swarm: shadow.Swarm{Verdict: "the sealed words", Gate: shadow.Gate{Action: "the sealed words", Because: []string{"the sealed words"}},
				Items: []shadow.ItemVerdict{{State: "the sealed words"}}, Judges: []shadow.JudgeRef{{AuthorRef: shadow.AuthorRef{Name: "a stranger"}, Excluded: "why"}}}}, time.Second, "")
		}, map[string]float64{"shadowd_events_rejected_total other other": 1, "shadowd_judge_votes_total other other": 1, "shadowd_judge_calls_total other": 1,
			"shadowd_judge_vote_duration_seconds other": 1, "shadowd_judge_vote_duration_seconds other sum": 1,
			"shadowd_seal_duration_seconds": 1, "shadowd_seal_duration_seconds sum": 1, "shadowd_criteria_sealed_total other": 1,
			"shadowd_reports_total bundle other": 1, "shadowd_gates_total other": 1, "shadowd_gate_reasons_total other": 1, "shadowd_items_total other": 1, "shadowd_judge_exclusions_total other": 1,
			"shadowd_judging_duration_seconds": 1, "shadowd_judging_duration_seconds sum": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMetrics()
			c.tell(m)
			want := maps.Clone(polled)
			maps.Copy(want, c.want)
			if diff := gocmp.Diff(want, values(t, scrape(t, m))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestLint: the names and types are as Prometheus wants them.
func TestLint(t *testing.T) {
	problems, err := promlint.New(strings.NewReader(scrape(t, newMetrics()))).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v %+v", err, problems)
	}
}

// TestLabels: every label is a word of the protocol from the start.
func TestLabels(t *testing.T) {
	for name, f := range parse(t, scrape(t, newMetrics())) {
		for _, m := range f.Metric {
			for _, l := range m.Label {
				if strings.HasPrefix(name, "shadowd_") && !regexp.MustCompile(`^[a-z0-9_.-]+$|^[A-Z]{3}$`).MatchString(l.GetValue()) || l.GetValue() == other {
					t.Errorf("%s has %s=%q", name, l.GetName(), l.GetValue())
				}
			}
		}
	}
}

// table writes what is exposed as the table of docs/metrics.md has it.
func table(t *testing.T) string {
	t.Helper()
	families := slices.SortedFunc(maps.Values(parse(t, scrape(t, newMetrics()))), func(a, b *dto.MetricFamily) int { return cmp.Compare(a.GetName(), b.GetName()) })
	var b strings.Builder
	b.WriteString("| metric | type | labels | meaning |\n|---|---|---|---|\n")
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "shadowd_") {
			continue
		}
		var labels []string
		for _, l := range f.Metric[0].Label {
			labels = append(labels, "`"+l.GetName()+"`")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.GetName(), strings.ToLower(f.GetType().String()), strings.Join(labels, ", "), f.GetHelp())
	}
	return b.String()
}

// TestDocumented: docs/metrics.md lists what is exposed, with its help.
func TestDocumented(t *testing.T) {
	const file = "../../docs/metrics.md"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	in := regexp.MustCompile(`(?m)^\| metric \|.*\n(\|.*\n)+`)
	want := table(t)
	if *update {
		raw = in.ReplaceAllLiteral(raw, []byte(want))
		if err := os.WriteFile(file, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := gocmp.Diff(want, string(in.Find(raw))); diff != "" {
		t.Errorf("%s (-code +file), go test -update writes it:\n%s", file, diff)
	}
	for _, l := range []label{inputs, stored, failing, cycles, verdicts, states, because, actions, causes, outcomes, reviewed} {
		for _, v := range l.values {
			if !strings.Contains(string(raw), "`"+v+"`") {
				t.Errorf("%s does not have %s %s", file, l.name, v)
			}
		}
	}
}

func TestHealth(t *testing.T) {
	var missing, judges []string
	o := options(Access{}, func() []string { return missing })
	o.Warnings = func() []string { return judges }
	h := Handler(o)
	for _, c := range []struct {
		method, path string
		missing      []string
		code         int
		body         string
	}{
		{"GET", "/healthz", nil, 200, "ok\n"},
		{"GET", "/healthz", []string{"starting"}, 200, "ok\n"},
		{"GET", "/readyz", nil, 200, "ok\n2 bundles wait for judge gpt\n"},
		{"GET", "/readyz", []string{"no connection to the bus", "starting"}, 503, "no connection to the bus\nstarting\n"},
		{"HEAD", "/readyz", []string{"starting"}, 503, ""},
		{"POST", "/metrics", nil, 405, "Method Not Allowed\n"},
		{"GET", "/", nil, 200, "runs\n"},
		{"GET", "/debug/pprof/", nil, 404, "404 page not found\n"},
	} {
		missing, judges = c.missing, []string{"2 bundles wait for judge gpt"} // which is no reason not to be ready
		if code, body := get(t, h, c.method, c.path); code != c.code || body != c.body {
			t.Errorf("%s %s: %d %q, want %d %q", c.method, c.path, code, body, c.code, c.body)
		}
	}
}

// TestServe: the server takes a port, says when it is taken, and lets a request
// that is under way end before it closes.
func TestServe(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	s, err := Serve(Listener{Address: "127.0.0.1:0"}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-end
		_, _ = io.WriteString(w, "whole")
	}), quiet)
	if err != nil {
		t.Fatal(err)
	}
	taken := strings.TrimPrefix(s.URL(), "http://")
	if _, err := Serve(Listener{Address: taken}, nil, quiet); err == nil || !strings.Contains(err.Error(), "http.listen: the address "+taken+" is in use") {
		t.Errorf("a port that is taken: %v", err)
	}
	if _, err := Serve(Listener{Address: "127.0.0.1:nonsense"}, nil, quiet); err == nil {
		t.Error("no port is accepted")
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	answer := make(chan string, 1)
	go func() {
		res, err := client.Get(s.URL())
		if err != nil {
			answer <- err.Error()
			return
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		answer <- string(body)
	}()
	<-begun
	closed := make(chan struct{})
	s.http.RegisterOnShutdown(func() { close(end) }) // closing has begun, and waits
	go func() {
		s.Close(t.Context())
		close(closed)
	}()
	if got := <-answer; got != "whole" {
		t.Errorf("the request under way got %q", got)
	}
	<-closed
	if res, err := client.Get(s.URL()); err == nil {
		_ = res.Body.Close()
		t.Error("it still answers")
	}
}

// TestCloseInTime: a request that does not end is cut off when there is no time left.
func TestCloseInTime(t *testing.T) {
	begun := make(chan struct{})
	s, err := Serve(Listener{Address: "127.0.0.1:0"}, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
	}), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	cut := make(chan error, 1)
	go func() {
		res, err := client.Get(s.URL())
		if err == nil {
			_ = res.Body.Close()
		}
		cut <- err
	}()
	<-begun
	ctx, end := context.WithCancel(t.Context())
	s.http.RegisterOnShutdown(end)
	s.Close(ctx)
	if err := <-cut; err == nil {
		t.Error("the request has an answer")
	}
}
