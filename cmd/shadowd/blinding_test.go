package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// part is the work of one commander in a run of a test.
type part struct {
	domain   string
	subTasks []string
	content  string
	more     map[string]any // further fields of the bundle
}

// runOf writes a run as replay takes it.
func runOf(t *testing.T, task string, parts ...part) string {
	t.Helper()
	var lines []byte
	add := func(subject, name string, data map[string]any) {
		raw, err := json.Marshal(map[string]any{"nats_subject": subject, "event": map[string]any{"specversion": "1.0", "id": subject, "source": "/test", "type": shadow.Type(name), "data": data}})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, raw...), '\n')
	}
	var domains []any
	for _, p := range parts {
		domains = append(domains, map[string]any{"domain": p.domain, "commander_id": "cmd-" + p.domain, "sub_tasks": p.subTasks})
	}
	add("swarm.decomposition-done.r", shadow.DecompositionDone, map[string]any{"run_id": "r", "scale": "ss-100", "task": task, "domains": domains})
	for _, p := range parts {
		bundle := map[string]any{"run_id": "r", "bundle_id": "b-" + p.domain, "domain": p.domain, "commander_id": "cmd-" + p.domain, "status": "success", "content": p.content}
		for k, v := range p.more {
			bundle[k] = v
		}
		add("swarm.bundle-complete.r.cmd-"+p.domain, shadow.BundleComplete, bundle)
	}
	return written(t, "run.jsonl", string(lines))
}

// The queues are moved by two commanders: the first leaves three of four items out, and its colleague delivers all.
var (
	movedBook = answerBook{"Move the orders queue": "amber", "Move the payments queue": "basalt", "Move the mails queue": "cobalt", "Move the audit queue": "dolomite"}
	queueWork = []string{"Move the orders queue", "Move the payments queue", "Move the mails queue", "Move the audit queue"}
	lazyWork  = part{"lazy", queueWork, "# Queues\n\nThe orders run on the amber cluster since Monday, with three brokers.\n", nil}
	goodMoves = part{"good", queueWork, `# Queues

The orders run on the amber cluster since Monday, with three brokers.

The payments were copied to basalt during the night and compared by digest.

The mails were drained first; cobalt has taken them over without a loss.

The audit log is replicated to dolomite, which nobody can write to but the exporter.
`, nil}
)

// blinded replays the two commanders' work before judges and returns the report of the lazy one and of its colleague.
func blinded(t *testing.T, config string, lazy part, judges ...string) (got, colleague *shadow.Report) {
	t.Helper()
	args := []string{"replay", "--format", "json", "--config", written(t, "config.yml", "shadow_scoring: {hardening: {enabled: false}}\n"+config), runOf(t, "Move the queues", lazy, goodMoves)}
	for i, url := range judges {
		args = append(args, "--judge", url+fmt.Sprint("#judge-", i+1))
	}
	out, _ := called(t, hint.ExitClean, args...)
	reports := reportsIn(t, out)
	if reports["lazy 0"] == nil || reports["good 0"] == nil {
		t.Fatalf("reports of %d domains", len(reports))
	}
	return reports["lazy 0"], reports["good 0"]
}

// wantUndecided: what no judge decides is not passed, and reviewed again.
func wantUndecided(t *testing.T, rep *shadow.Report) {
	t.Helper()
	s := &rep.Swarm
	if s.Counts.Undecided == 0 || s.Score.Undecided == 0 || s.Score.Failed < s.Score.Undecided || s.Gate.Action != shadow.Quarantine || s.Verdict != shadow.WordUndecided || len(s.AdvisoryReasons) == 0 {
		t.Errorf("%s: %+v, %+v, gate %+v, %s, advisory for %q", s.Domain, s.Score, s.Counts, s.Gate, s.Verdict, s.AdvisoryReasons)
	}
}

// wantDelivered: all of the colleague's work is found.
func wantDelivered(t *testing.T, rep *shadow.Report) {
	t.Helper()
	if s := &rep.Swarm; s.Counts.Found != 4 || s.Gate.Action != shadow.Proceed || len(s.AdvisoryReasons) != 0 {
		t.Errorf("%s: %+v, gate %+v, advisory for %q", s.Domain, s.Counts, s.Gate, s.AdvisoryReasons)
	}
}

// TestBlindingByLength: what is too long for the judges is refused at the door,
// with the limit.
func TestBlindingByLength(t *testing.T) {
	judge := judgeAt(t, movedBook.answer) + "#judge-1"
	long := lazyWork
	long.content += strings.Repeat("\nAnd so on and on, about nothing that anybody asked for.", 255<<10/56)
	var out, errs strings.Builder
	code := run(t.Context(), []string{"replay", "--judge", judge, runOf(t, "Move the queues", long, goodMoves)}, &app{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
	if code != hint.ExitFailed || !strings.Contains(errs.String(), "rejected: too_large") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "rejected") && strings.Contains(line, "too_large") {
			if !strings.Contains(line, "196608") {
				t.Errorf("the limit is not said: %s", line)
			}
			return
		}
	}
	t.Errorf("no rejection is shown:\n%s", out.String())
}

// TestBlindingByReplies: a bundle that has its judge answer what nobody can read
// is undecided. Its colleague's is judged.
func TestBlindingByReplies(t *testing.T) {
	for _, reply := range []string{"", "I think it is fine.", `{"verdict": "passed"} {"verdict": "failed"}`, `{"evidence": "x", "verdict": "perhaps", "defect": ""}`} {
		judge := modelAt(t, llmtest.Handler(func(r *llmtest.Request) string {
			if content := llmtest.Find(r.User(), "content"); content != "" && !strings.Contains(content, "dolomite") {
				return reply
			}
			return llmtest.Judge(movedBook.answer)(r)
		}))
		got, colleague := blinded(t, "", lazyWork, judge)
		wantUndecided(t, got)
		wantDelivered(t, colleague)
	}
}

// TestBlindingByBudget: who spends its budget is undecided, and spends nobody else's.
func TestBlindingByBudget(t *testing.T) {
	greedy := lazyWork
	greedy.content, greedy.subTasks = goodMoves.content+strings.Repeat("\nEach shop keeps its queue, and all of them run on amber.", 10), queueWork
	for i := range 20 {
		greedy.subTasks = append(greedy.subTasks[:len(greedy.subTasks):len(greedy.subTasks)], fmt.Sprintf("Move the queue of shop %d", i))
	}
	got, colleague := blinded(t, "judging: {budget: {calls: 8}}\n", greedy, judgeAt(t, answerBook{"of shop": "amber"}.or(movedBook)))
	wantUndecided(t, got)
	wantDelivered(t, colleague)
}
