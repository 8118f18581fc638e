package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// shown are the metrics of a daemon: the values of each label, by the names of
// the metric and of the label.
type shown map[string]map[string][]string

var (
	sample   = regexp.MustCompile(`(?m)^(shadowd_[a-z_]+)(?:\{(.*)\})? \S+$`)
	selector = regexp.MustCompile(`\b(shadowd_[a-z_]+)(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`([a-z_]+)(=~|!=|!~|=)\\?"([^"\\]*)\\?"`)
	grouping = regexp.MustCompile(`\bby \(([^)]*)\)`)
	template = regexp.MustCompile(`\{\{ ?(?:\$labels\.)?([a-z_]+) ?\}\}`)
)

// metricsShown starts a daemon that has the judges and authors that examples
// name, and reads its metrics.
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

// labels are those that the answer to a question has, as far as its metrics have
// them.
func (s shown) labels(t *testing.T, expr string) []string {
	t.Helper()
	var common []string
	for i, m := range selector.FindAllStringSubmatch(expr, -1) {
		have := slices.Sorted(maps.Keys(s[m[1]]))
		if i == 0 {
			common = have
		}
		common = slices.DeleteFunc(common, func(l string) bool { return !slices.Contains(have, l) })
	}
	groups := grouping.FindAllStringSubmatch(expr, -1)
	for _, g := range groups {
		for by := range strings.SplitSeq(g[1], ", ") {
			if !slices.Contains(common, by) {
				t.Errorf("%s: not all metrics have a label %s", expr, by)
			}
		}
	}
	if len(groups) > 0 {
		return strings.Split(groups[0][1], ", ")
	}
	return common
}

// question is an expression in PromQL, and the text that is shown with the
// answer. title is that of its panel.
type question struct{ title, expr, text string }

// dashboard are the questions of the dashboard. A number that stands alone is
// asked for as of now, or it would be the last that was ever known.
func dashboard(t *testing.T) (all []question) {
	t.Helper()
	var board struct {
		Panels []struct {
			Title, Type string
			Targets     []struct {
				Expr, LegendFormat string
				Instant            bool
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
			all = append(all, question{p.Title, strings.ReplaceAll(target.Expr, "$__rate_interval", "5m"), target.LegendFormat})
		}
	}
	return all
}

// questions are those of the dashboard and of the alerts.
func questions(t *testing.T) []question {
	t.Helper()
	all := dashboard(t)
	var alerts struct {
		Groups []struct {
			Rules []struct {
				Expr        string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(readFile(t, filepath.Join(repository, "deploy", "prometheus", "alerts.yml"))), &alerts); err != nil {
		t.Fatal(err)
	}
	for _, g := range alerts.Groups {
		for _, r := range g.Rules {
			all = append(all, question{"", r.Expr, r.Annotations["summary"] + r.Annotations["action"]})
		}
	}
	if len(all) < 20 {
		t.Fatalf("only %d questions were found", len(all))
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
	for _, q := range questions(t) {
		have := s.labels(t, q.expr)
		for _, m := range template.FindAllStringSubmatch(q.text, -1) {
			if m[1] != "end" && !slices.Contains(have, m[1]) && (m[1] != instance || grouping.MatchString(q.expr)) {
				t.Errorf("%q shows a label that %s does not have", q.text, q.expr)
			}
		}
	}
}

// TestDashboardQuestions: promtool can read each question of the dashboard.
func TestDashboardQuestions(t *testing.T) {
	t.Parallel()
	type rule struct{ Record, Expr string }
	var rules []rule
	for i, q := range questions(t) {
		rules = append(rules, rule{fmt.Sprintf("question:%d", i), q.expr})
	}
	text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "questions", "rules": rules}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), promtool(t), "check", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestDashboardTells: what the panels say that are looked at when something is
// wrong. b is down, c was replaced by d, and the counters of d were never seen
// at 0.
func TestDashboardTells(t *testing.T) {
	t.Parallel()
	type series struct{ Series, Values string }
	type answer struct {
		Expr     string
		EvalTime string           `yaml:"eval_time"`
		Samples  []map[string]any `yaml:"exp_samples"`
	}
	input := []series{{`up{job="shadowd",instance="c"}`, "1x10 _x50"}, {`shadowd_ready{job="shadowd",instance="c"}`, "1x10 _x50"}}
	for instance, values := range map[string][2]string{"a": {"1x60", "1x60"}, "b": {"1x10 0x50", "1x10 _x50"}, "d": {"_x20 1x40", "_x20 0x40"}} {
		labels := fmt.Sprintf(`{job="shadowd",instance=%q}`, instance)
		input = append(input, series{"up" + labels, values[0]}, series{"shadowd_ready" + labels, values[1]})
	}
	for _, s := range []string{`shadowd_seals_broken_total{cause="decoy"}`, "shadowd_leaks_stopped_total", `shadowd_events_rejected_total{reason="cannot_process"}`} {
		input = append(input, series{s, "_x20 1x40"})
	}
	input = append(input, series{"shadowd_in_bytes", "80x60"}, series{"shadowd_in_max_bytes", "100x60"})
	var answers []answer
	for title, want := range map[string]float64{"Seals broken": 1, "Leaks stopped": 1, "Events given up": 1, "Daemons that cannot work": 2, "How full IN is": 0.8} {
		for _, q := range dashboard(t) {
			if q.title == title {
				answers = append(answers, answer{q.expr, "60m", []map[string]any{{"labels": "{}", "value": want}}})
			}
		}
	}
	if len(answers) != 5 {
		t.Fatalf("%d of 5 panels were found", len(answers))
	}
	text, err := yaml.Marshal(map[string]any{"tests": []any{map[string]any{"interval": "1m", "input_series": input, "promql_expr_test": answers}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tells.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), promtool(t), "test", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
