package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/panel"
	"github.com/swarmspeed/shadowd/internal/review"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// asking writes eight criteria, of which the first three are for judges.
type asking struct{}

func (asking) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: "asking", Model: shadow.Model{Family: "rules"}}
}
func (asking) Write(_ context.Context, d *shadow.Decomposition, quota map[shadow.Category]int) ([]shadow.Criterion, error) {
	var cs []shadow.Criterion
	for _, c := range []shadow.Category{shadow.HappyPath, shadow.EdgeCase, shadow.ErrorHandling, shadow.Completeness} {
		for range quota[c] {
			m := map[string]shadow.Material{}
			for _, dom := range d.Domains {
				m[dom.Domain] = shadow.Material{Message: fmt.Sprint("Work on part ", len(cs))}
			}
			k := shadow.Criterion{Category: c, Assertion: fmt.Sprintf("Question %d is answered", len(cs)), Expected: fmt.Sprint("an answer to ", len(cs)), Material: m}
			if len(cs) > 2 {
				k.Check = "true"
			}
			cs = append(cs, k)
		}
	}
	return cs, nil
}

// answers is a judge that answers by the question's number: p, f, or anything
// else for no vote.
type answers struct{ name, letters string }

func (j answers) Ref() shadow.AuthorRef {
	return shadow.AuthorRef{Name: j.name, Model: shadow.Model{Family: j.name}}
}

func (j answers) Vote(_ context.Context, q *shadow.Question) (shadow.Vote, error) {
	var n int
	if _, err := fmt.Sscanf(q.Criterion.Assertion, "Question %d", &n); err != nil {
		return shadow.Vote{}, err
	}
	switch j.letters[n] {
	case 'p':
		return shadow.Vote{Outcome: shadow.Passed, Quote: q.Bundle.Content, Calls: 1, Tokens: 10}, nil
	case 'f':
		return shadow.Vote{Outcome: shadow.Failed, Actual: "not \x1b[31manswered", Calls: 1, Tokens: 10}, nil
	}
	return shadow.Vote{}, errors.New("out")
}

func panelOfAnswers(letters ...string) *panel.Panel {
	c := panel.Config{Logger: slog.New(slog.DiscardHandler)}
	for i, l := range letters {
		c.Judges = append(c.Judges, answers{fmt.Sprint("judge-", i+1), l})
	}
	return panel.New(c)
}

// judgedBus has a run of two domains: of a, one question is undecided, of b all
// are passed.
func judgedBus(t *testing.T) (js jetstream.JetStream, env []string) {
	t.Helper()
	broker := bustest.Server(t)
	_, js = broker.Connect(t)
	key, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := key.Seed()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "envelope.nk")
	if err := os.WriteFile(file, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := layout.Ensure(t.Context(), layout.Subjects{}, js, layout.StorageConfig{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	engine := bus.NewEngine(store, bus.Config{
		Settings: cfg.Settings("legacy"), Filler: asking{}, Key: key, Panel: byBundle{panelOfAnswers("pfx", "pfp", "xpf"), panelOfAnswers("ppp")},
		Limits: shadow.Limits{ContentBytes: 1 << 16, WaitingPerRun: 10, SealWait: time.Hour}, Logger: slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- engine.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	publish := func(subject, name string, data any) {
		raw, err := json.Marshal(map[string]any{"specversion": "1.0", "id": subject, "source": "/test", "type": shadow.Type(name), "datacontenttype": "application/json", "data": data})
		if err == nil {
			_, err = js.Publish(t.Context(), subject, raw)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	l := layout.Subjects{}
	publish(l.Decomposition("r"), shadow.DecompositionDone, &shadow.Decomposition{RunID: "r", Scale: "ss-50", Task: "t", Domains: []shadow.Domain{{Domain: "a", CommanderID: "c1"}, {Domain: "b", CommanderID: "c2"}}})
	stored := func(stream, subject string) {
		s, err := js.Stream(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		bustest.WaitFor(t, subject, func() bool {
			_, err := s.GetLastMsgForSubject(t.Context(), subject)
			return err == nil
		})
	}
	stored(layout.StreamIn, l.Commitment("r"))
	for domain, commander := range map[string]string{"a": "c1", "b": "c2"} {
		publish(l.Bundle("r", commander), shadow.BundleComplete, map[string]any{"run_id": "r", "bundle_id": "b-" + domain, "domain": domain, "commander_id": commander, "status": "success", "content": "All of " + domain + " is done"})
	}
	stored(layout.StreamOut, l.RunScored("r"))
	stored(layout.StreamOut, l.Quarantined("r", "a"))
	return js, []string{"SHADOWD_BUS_URL=" + broker.URL(), "SHADOWD_ENVELOPE_KEY=" + file, "NO_COLOR=1"}
}

// byBundle asks one panel about domain a and another one about b.
type byBundle struct{ a, b *panel.Panel }

func (p byBundle) Ask(ctx context.Context, qs []shadow.Question) (shadow.Panel, error) {
	if qs[0].Bundle.Domain == "a" {
		return p.a.Ask(ctx, qs)
	}
	return p.b.Ask(ctx, qs)
}

func rejudge(t *testing.T, env []string, p bus.Panel, cmd reportCmd) (string, error) {
	t.Helper()
	var out bytes.Buffer
	a := &app{Stdout: &out, Stderr: &out, Environ: env}
	b, err := cmd.ProvideBus(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	err = cmd.rejudgeWith(t.Context(), a, b, p)
	return out.String(), err
}

// TestRejudgeInVain: judges that all have no vote are an error with their reason,
// behind what is printed.
func TestRejudgeInVain(t *testing.T) {
	_, env := judgedBus(t)
	for _, format := range []string{"text", "json"} {
		got, err := rejudge(t, env, panelOfAnswers("xxx", "xxx"), reportCmd{ID: "r", Format: format})
		if err == nil || err.Error() != "judge-1 had no vote on 1 of 1 question: it failed; judge-2 had no vote on 1 of 1 question: it failed" || got == "" {
			t.Errorf("error %v behind\n%s", err, got)
		}
	}
	if _, err := rejudge(t, env, panelOfAnswers("xxx", "xxf"), reportCmd{ID: "r"}); err != nil {
		t.Errorf("a judge had a vote: %v", err)
	}
}

func TestRejudge(t *testing.T) {
	js, env := judgedBus(t)
	before := everything(t, js)
	// Of a: question 0 was passed by two, 1 failed by two, 2 is undecided.
	got, err := rejudge(t, env, panelOfAnswers("fxp", "fxp"), reportCmd{ID: "r"})
	if err != nil {
		t.Fatal(err)
	}
	wantLines(t, got,
		"Run r, put to judge-1, judge-2",
		"Domain a: bundle b-a, the submission of cycle 0",
		"      asked     Question 2 is answered",
		"      before    undecided, no majority of 3 judges: 2 cast a vote, 1 agree",
		"                judge-1: no vote: it failed",
		"                judge-2: passed, for it says \"All of a is done\"",
		"                judge-3: failed: not  [31manswered",
		"      now       passed, 2 of 2 judges agree, 2 cast a vote",
		"  score     33.3 % significant → 16.7 % moderate",
		"  gate      quarantine → warn",
		"  the score would no longer be advisory",
		"It took 2 calls and 20 tokens. Nothing is stored of it: the reports stand as they are.",
	)
	for _, not := range []string{"Question 0", "Question 1", "Domain b", "\x1b"} {
		if strings.Contains(got, not) {
			t.Errorf("%q is in\n%s", not, got)
		}
	}
	// All, as data, of the other domain: what was passed by one judge is not by three.
	got, err = rejudge(t, env, panelOfAnswers("pxx", "ppx", "xxx"), reportCmd{ID: "r", Bundle: "b-b", rejudgeFlags: rejudgeFlags{All: true}, Format: "json"})
	if err != nil {
		t.Fatal(err)
	}
	var c review.Comparison
	if err := json.Unmarshal([]byte(got), &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Domains) != 1 || len(c.Domains[0].Criteria) != 3 || len(c.Judges) != 3 || c.Cost.Calls != 7 {
		t.Fatalf("%+v", c)
	}
	d := c.Domains[0]
	if d.Before.Score.Failed != 0 || d.Now.Score.Failed != 2 || len(d.Now.Undecided) != 2 || len(d.Now.Reasons) != 1 || d.Before.Gate != shadow.Proceed || d.Now.Gate != shadow.Quarantine {
		t.Errorf("%+v → %+v", d.Before, d.Now)
	}
	for _, k := range d.Criteria {
		if k.Before != shadow.Passed || k.Changed != (k.Now != shadow.Passed) || k.Was == nil {
			t.Errorf("%+v", k)
		}
	}
	// Nothing was stored but the traces.
	after := everything(t, js)
	for subject := range after {
		if _, was := before[subject]; !was && !strings.HasPrefix(subject, "swarm.envelope-opened.r.") {
			t.Errorf("%s is there", subject)
		}
	}
	if len(after) != len(before)+2 || !strings.Contains(after["swarm.envelope-opened.r.2"], `"reason":"rejudge"`) {
		t.Errorf("%d messages before, %d after", len(before), len(after))
	}
}

// Where there is nothing to judge nobody looks into the envelope.
func TestRejudgeNothing(t *testing.T) {
	js, env := judgedBus(t)
	p := panelOfAnswers("xxx")
	if got, err := rejudge(t, env, p, reportCmd{ID: "r", Domain: "b"}); err != nil || !strings.Contains(got, "There is nothing of run r") {
		t.Errorf("%s, %v", got, err)
	}
	for want, cmd := range map[string]reportCmd{
		"has no domain":               {ID: "r", Domain: "x"},
		"has no report on a bundle":   {ID: "r", Bundle: "x"},
		"there is no run":             {ID: "nobody"},
		"cannot be the name of a run": {ID: "a b"},
	} {
		if _, err := rejudge(t, env, p, cmd); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", cmd, err, want)
		}
	}
	for subject := range everything(t, js) {
		if strings.HasPrefix(subject, "swarm.envelope-opened.") {
			t.Errorf("%s is there", subject)
		}
	}
	// A broken seal is not put to anybody.
	kv, err := js.KeyValue(t.Context(), layout.BucketEnvelopes)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.PutString(t.Context(), "r", "easy criteria"); err != nil {
		t.Fatal(err)
	}
	if got, err := rejudge(t, env, p, reportCmd{ID: "r"}); err == nil || !strings.Contains(err.Error(), "the seal is broken") {
		t.Errorf("%s, %v", got, err)
	}
}

// everything is all that is stored, by subject.
func everything(t *testing.T, js jetstream.JetStream) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{layout.StreamIn, layout.StreamOut, "KV_" + layout.BucketEnvelopes, "KV_" + layout.BucketVotes} {
		s, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for seq := range s.CachedInfo().State.LastSeq {
			if m, err := s.GetMsg(t.Context(), seq+1); err == nil {
				all[m.Subject] = string(m.Data)
			}
		}
	}
	return all
}

// The command as it is typed, with a model of the configuration.
func TestRejudgeCommand(t *testing.T) {
	_, env := judgedBus(t)
	if code, _, errs := ended(t, env, "report", "r", "--rejudge"); code != hint.ExitUsage || !strings.Contains(errs, "there is nobody to ask: judging.panel has no judges") {
		t.Errorf("without judges: exit code %d\n%s", code, errs)
	}
	server := httptest.NewServer(llmtest.Handler(func(r *llmtest.Request) string {
		return llmtest.Verdict("All of a is done", "", "passed")
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "config.yml")
	config := fmt.Sprintf("models: [{name: gpt, model: %q, family: gpt, key_env: TEST_KEY}]\njudging: {panel: [gpt]}\n", server.URL+"#gpt-test")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	env = append(env, "TEST_KEY=sk-not-to-be-seen")
	code, out, errs := ended(t, env, "report", "r", "--rejudge", "--config", file)
	if code != hint.ExitClean || strings.Contains(out+errs, "sk-not") {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	wantLines(t, out, "Run r, put to gpt (gpt-test)", "      now       passed, 1 of 1 judge agree, 1 cast a vote", "It took 1 call and 100 tokens. Nothing is stored of it: the reports stand as they are.")
	// The flag goes before the configuration, and needs no configuration.
	code, out, errs = ended(t, env, "report", "r", "--rejudge", "--judge", server.URL+"#other-1", "--judge", server.URL+"#other-2", "--judge", server.URL+"#other-3")
	if code != hint.ExitClean {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	wantLines(t, out, "Run r, put to other-1, other-2, other-3", "      now       passed, 2 of 3 judges agree, 2 cast a vote")
	for want, args := range map[string][]string{
		"go with --rejudge":                             {"--judge", "openai:gpt"},
		"OPENAI_API_KEY is not":                         {"--rejudge", "--judge", "openai:gpt"},
		"--file and --rejudge can't be used together":   {"--rejudge", "--file", "x"},
		"--cycle and --rejudge can't be used together":  {"--rejudge", "--cycle", "0"},
		"--strict and --rejudge can't be used together": {"--rejudge", "--strict"},
		"has no format html":                            {"--rejudge", "--format", "html"},
		"--all, --force and":                            {"--all"},
		"names no model: allowed":                       {"--rejudge", "--judge", "x:y"},
	} {
		if code, _, errs := ended(t, env, append([]string{"report", "r"}, args...)...); code != hint.ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("%v: exit code %d, %s", args, code, errs)
		}
	}
	if code, _, errs := ended(t, append(env, "SHADOWD_ENVELOPE_KEY=/nowhere/key"), "report", "r", "--rejudge", "--config", file); code != hint.ExitFailed || !strings.Contains(errs, "needs the envelope key") {
		t.Errorf("without the key: exit code %d\n%s", code, errs)
	}
}
