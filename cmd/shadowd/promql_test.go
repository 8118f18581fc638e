package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// promtool is where Prometheus' tool is. Without it the test is left out, but not
// in CI.
func promtool(t *testing.T) string {
	t.Helper()
	file, err := exec.LookPath("promtool")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("promtool is not here: apt-get install prometheus")
	}
	return file
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
	file := filepath.Join(t.TempDir(), "questions.yml")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), promtool(t), "test", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
