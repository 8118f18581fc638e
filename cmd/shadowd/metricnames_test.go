package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shown are the metrics of a daemon: the values of each label, by the names of the metric and of the label.
type shown map[string]map[string][]string

var (
	sample   = regexp.MustCompile(`(?m)^(shadowd_[a-z_]+)(?:\{(.*)\})? \S+$`)
	selector = regexp.MustCompile(`\b(shadowd_[a-z_]+)(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`([a-z_]+)(=~|!=|!~|=)\\?"([^"\\]*)\\?"`)
)

// metricsShown starts a daemon that has the judges and authors that examples name, and reads its metrics.
func metricsShown(t *testing.T) shown {
	t.Helper()
	r := startRun(t, embedded(t.TempDir())+onFreePort+`
models: [{name: gpt, model: "http://127.0.0.1:1/v1#gpt", price: {input: 1}}]
currency: EUR
judging: {panel: [{model: gpt}, {model: gpt, name: gone}]}
seal: {authors: [{model: gpt}]}
`)
	code, text := httpGet(t, r.http()+"/metrics")
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	all := shown{}
	for _, m := range sample.FindAllStringSubmatch(text, -1) {
		if all[m[1]] == nil {
			all[m[1]] = map[string][]string{}
		}
		for _, l := range matcher.FindAllStringSubmatch(m[2], -1) {
			all[m[1]][l[1]] = append(all[m[1]][l[1]], l[3])
		}
	}
	// # TYPE names histograms without the ending of a sample.
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (shadowd_\S+) histogram$`).FindAllStringSubmatch(text, -1) {
		all[m[1]] = all[m[1]+"_count"]
	}
	return all
}

// instance is the label that Prometheus gives each series it has scraped.
const instance = "instance"

// wrong says what of the metrics that a text names is not there.
func (s shown) wrong(text string) (problems []string) {
	for _, m := range selector.FindAllStringSubmatch(text, -1) {
		labels, ok := s[m[1]]
		if !ok {
			problems = append(problems, "there is no metric "+m[1])
			continue
		}
		matchers := matcher.FindAllStringSubmatch(m[2], -1)
		if m[2] != "" && len(matchers) == 0 {
			problems = append(problems, m[0]+" cannot be read")
		}
		for _, l := range matchers {
			want := regexp.QuoteMeta(l[3])
			if strings.HasSuffix(l[2], "~") {
				want = l[3]
			}
			if l[1] != instance && !slices.ContainsFunc(labels[l[1]], regexp.MustCompile("^(?:"+want+")$").MatchString) {
				problems = append(problems, fmt.Sprintf("%s: %s has no %s %q", m[0], m[1], l[1], l[3]))
			}
		}
	}
	return problems
}

// dashboard are the questions of the dashboard. A number that stands alone is
// asked for as of now, or it would be the last that was ever known.
func dashboard(t *testing.T) (all []string) {
	t.Helper()
	var board struct {
		Panels []struct {
			Title, Type string
			Targets     []struct {
				Expr    string
				Instant bool
			}
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(repository, "deploy", "grafana", "shadowd.json"))), &board); err != nil {
		t.Fatal(err)
	}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			if target.Instant != (p.Type == "stat") {
				t.Errorf("%s: instant is %v", p.Title, target.Instant)
			}
			all = append(all, strings.ReplaceAll(target.Expr, "$__rate_interval", "5m"))
		}
	}
	return all
}

// TestMetricNames: each metric, label and value that the docs, the alerts and
// the dashboard name is one that a daemon shows.
func TestMetricNames(t *testing.T) {
	t.Parallel()
	s := metricsShown(t)
	n := 0
	for _, dir := range []string{"docs", "deploy"} {
		err := filepath.WalkDir(filepath.Join(repository, dir), func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains([]string{".md", ".yml", ".yaml", ".json"}, filepath.Ext(file)) {
				return err
			}
			text := readFile(t, file)
			n += len(selector.FindAllString(text, -1))
			for _, problem := range s.wrong(text) {
				t.Errorf("%s: %s", file, problem)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 80 {
		t.Errorf("only %d metrics were found", n)
	}
}

// TestDashboardQuestions: promtool can read each question of the dashboard.
func TestDashboardQuestions(t *testing.T) {
	t.Parallel()
	all := dashboard(t)
	if len(all) < 10 {
		t.Errorf("only %d questions were found", len(all))
	}
	var b strings.Builder
	b.WriteString("groups:\n  - name: questions\n    rules:\n")
	for i, q := range all {
		fmt.Fprintf(&b, "      - {record: \"question:%d\", expr: %q}\n", i, q)
	}
	promtool(t, "check", b.String())
}

// promtool has Prometheus' tool check or test rules. Without it the test is left out, but not in CI.
func promtool(t *testing.T, verb, rules string) {
	t.Helper()
	tool, err := exec.LookPath("promtool")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("promtool is not here: apt-get install prometheus")
	}
	if out, err := exec.CommandContext(t.Context(), tool, verb, "rules", written(t, "rules.yml", rules)).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPromQL has promtool evaluate the questions of docs/metrics.md on series of a
// day: each is answered, and rightly.
func TestPromQL(t *testing.T) {
	page := readFile(t, filepath.Join(repository, "docs", "metrics.md"))
	var queries []string
	for _, m := range regexp.MustCompile("(?s)```promql\n(.*?)\n```").FindAllStringSubmatch(page, -1) {
		queries = append(queries, m[1])
	}
	// Counters grow each minute, by what stands here.
	series := map[string]int{
		`shadowd_reports_total{cycle="bundle",verdict="perfect"}`:                    3,
		`shadowd_reports_total{cycle="bundle",verdict="critical"}`:                   1,
		`shadowd_reports_total{cycle="fix",verdict="minor"}`:                         3,
		`shadowd_reports_total{cycle="timeout",verdict="critical"}`:                  1,
		`shadowd_reports_advisory_total`:                                             2,
		`shadowd_gates_total{action="proceed"}`:                                      6,
		`shadowd_events_rejected_total{event="bundle-complete",reason="slot_taken"}`: 2,
		`shadowd_judge_vote_duration_seconds_bucket{judge="gpt",le="1"}`:             0,
		`shadowd_judge_vote_duration_seconds_bucket{judge="gpt",le="2.5"}`:           10,
		`shadowd_judge_vote_duration_seconds_bucket{judge="gpt",le="+Inf"}`:          10,
		`shadowd_judge_tokens_total{judge="gpt"}`:                                    8000,
		`shadowd_model_cost_total{currency="EUR",model="gpt"}`:                       4,
		`shadowd_judge_votes_total{judge="gpt",outcome="none"}`:                      1,
		`shadowd_judge_votes_total{judge="gpt",outcome="passed"}`:                    9,
		`shadowd_items_total{state="missing"}`:                                       1,
		`shadowd_items_total{state="found"}`:                                         3,
		`shadowd_items_total{state="unread"}`:                                        4,
		`shadowd_judge_exclusions_total{judge="gpt"}`:                                1,
		`shadowd_judge_exclusions_total{judge="llama"}`:                              0,
	}
	const minutes = 24 * 60
	answers := []struct {
		labels string
		value  float64
	}{
		{"{}", 0.75}, {"{}", 0.25}, {`{action="proceed"}`, 6 * minutes}, {"{}", 0.25}, {`{event="bundle-complete",reason="slot_taken"}`, 2 * minutes},
		{`{judge="gpt"}`, 2.425}, {"{}", 1000}, {`{currency="EUR"}`, 0.5}, {`{judge="gpt"}`, 0.1}, {"{}", 0.25}, {"{}", 0.5}, {`{judge="gpt"}`, minutes},
	}
	if len(queries) != len(answers) {
		t.Fatalf("%d questions, and %d answers", len(queries), len(answers))
	}
	var b strings.Builder
	b.WriteString("evaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n")
	for name, step := range series {
		fmt.Fprintf(&b, "      - {series: %q, values: \"0+%dx%d\"}\n", name, step, 2*minutes)
	}
	b.WriteString("    promql_expr_test:\n")
	for i, query := range queries {
		fmt.Fprintf(&b, "      - {expr: %q, eval_time: %dm, exp_samples: [{labels: %q, value: %v}]}\n", query, 2*minutes, answers[i].labels, answers[i].value)
	}
	promtool(t, "test", b.String())
}
