package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// counted is the address of a model that judges by a book, and counts its requests. A key must come with them.
func counted(t *testing.T, key string, book answerBook) (url string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	model := llmtest.Handler(llmtest.Judge(book.answer))
	return modelAt(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if got := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); got != key {
			t.Errorf("asked with the key %q, want %q", got, key)
		}
		model.ServeHTTP(w, r)
	})), requests
}

// reportsIn are the reports in what replay --format json prints, by domain and cycle: "guide 0".
func reportsIn(t *testing.T, out string) map[string]*shadow.Report {
	t.Helper()
	all := map[string]*shadow.Report{}
	for _, ev := range outputEvents(t, out) {
		if nameOf(ev) != shadow.GapReport {
			continue
		}
		var rep shadow.Report
		if err := json.Unmarshal(ev.Data(), &rep); err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprint(rep.Swarm.Domain, " ", rep.Swarm.Cycle)] = &rep
	}
	if len(all) == 0 {
		t.Fatalf("no report in %s", out)
	}
	return all
}

// nobodyPanel is a configuration whose panel cannot be reached, and that has no hardening.
const nobodyPanel = "shadow_scoring: {hardening: {enabled: false}}\njudging: {panel: [\"http://127.0.0.1:1/v1#nobody\"]}\n"

// TestReplayJudge: replay asks whom --judge names, in the place of the panel.
func TestReplayJudge(t *testing.T) {
	cfg := written(t, "config.yml", nobodyPanel)
	reads, requests := counted(t, "", smallBook)
	never, more := counted(t, "", nil)
	out, _ := called(t, hint.ExitClean, "replay", "--format", "json", "--config", cfg, "--judge", reads+"#yes-1", "--judge", reads+"#yes-2", "--judge", never+"#no", unfixed(t))
	s := &reportsIn(t, out)["service 0"].Swarm
	if s.Counts.Found != 7 || len(s.Ballots) != 7 || s.Ballots[0].Configured != 3 || s.Verdict != shadow.Word(shadow.Perfect) {
		t.Errorf("%+v", s)
	}
	// Two domains of seven items, with two control questions each. The third is
	// asked nothing where the first two agree.
	if requests.Load() != 2*2*(7+2) || more.Load() != 0 {
		t.Errorf("%d and %d requests", requests.Load(), more.Load())
	}
	names := []string{}
	for _, j := range s.Judges {
		names = append(names, j.Name)
	}
	if strings.Join(names, " ") != "yes-1 yes-2 no" {
		t.Errorf("judges %v", names)
	}
}

// TestRecord: what judges and authors answer is recorded, and answers the same
// without them. Nothing but recorded answers makes an authoritative score.
func TestRecord(t *testing.T) {
	url := modelAt(t, llmtest.Handler(func(r *llmtest.Request) string {
		if !asksForCriteria(r) {
			return llmtest.Judge(answerBook{"says how long": "10 years"}.or(smallBook))(r)
		}
		return criteriaReply([]criterion{{Rests: []string{"sub-task 2"}, Category: "edge_case", Assertion: "The work says how long rendered files are kept.", Expected: "a number of years"}})
	}))
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	const config = "shadow_scoring: {hardening: {enabled: false}}\n"
	cfg := written(t, "config.yml", config)
	args := []string{"replay", "--format", "json", "--config", cfg, unfixed(t)}
	live, _ := called(t, hint.ExitClean, append(args, "--judge", url+"#m", "--author", url+"#m", "--record", file)...)
	again, _ := called(t, hint.ExitClean, append(args, "--judge", "recorded:"+file, "--author", "recorded:"+file)...)
	for name, want := range reportsIn(t, live) {
		got := reportsIn(t, again)[name]
		if got == nil || got.Swarm.Score != want.Swarm.Score || got.Swarm.Counts != want.Swarm.Counts || len(got.Swarm.Criteria) != 8 || !got.Swarm.Judges[0].Recorded {
			t.Errorf("%s: %+v\nand recorded %+v", name, want.Swarm, got)
		}
		if len(want.Swarm.AdvisoryReasons) != 0 || !strings.Contains(strings.Join(got.Swarm.AdvisoryReasons, " "), "read from a file") {
			t.Errorf("%s: advisory for %q, and recorded for %q", name, want.Swarm.AdvisoryReasons, got.Swarm.AdvisoryReasons)
		}
	}
	if strings.Contains(readFile(t, file), "control") {
		t.Error("control questions are recorded")
	}
}

// TestJudgeOfYourOwn: the judge of docs/judging.md reads items, in at most 60 lines.
func TestJudgeOfYourOwn(t *testing.T) {
	const program = "../../docs/examples/judge/judge.py"
	if n := strings.Count(readFile(t, program), "\n"); n > 60 {
		t.Errorf("%s has %d lines", program, n)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no python3 is here, so the program was not tried")
	}
	judge := exec.CommandContext(t.Context(), python, program, "0")
	out, err := judge.StdoutPipe()
	if err == nil {
		err = judge.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = judge.Process.Kill()
		_ = judge.Wait() // it was killed
	})
	word, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	said, stderr := called(t, hint.ExitClean, "replay", "--hardening-timeout", "1s", "--judge", strings.TrimSpace(word), "../../docs/examples/run.jsonl")
	for _, want := range []string{"4 items: ", "constraint 1: At most 2 ms added latency (by mine, ", "no line has most of added, latency, most"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s%s", want, said, stderr)
		}
	}
	if strings.Contains(said, "sub-task 1: Implement a token bucket") {
		t.Errorf("the judge finds nothing:\n%s", said)
	}
}
