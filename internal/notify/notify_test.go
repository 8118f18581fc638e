package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// receiver answers each try with the next status, the last one for ever.
type receiver struct {
	*httptest.Server
	tries chan try
}

type try struct {
	head http.Header
	body []byte
}

func newReceiver(t *testing.T, statuses ...int) *receiver {
	r := &receiver{tries: make(chan try, 2*maxWaiting)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		status := statuses[0]
		if len(statuses) > 1 {
			statuses = statuses[1:]
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		r.tries <- try{req.Header, body}
	}))
	t.Cleanup(r.Close)
	return r
}

// running starts a notifier, and returns how its messages end and what ends it.
func running(t *testing.T, c Config) (n *Notifier, outcomes chan string, end func()) {
	t.Helper()
	outcomes = make(chan string, 2*maxWaiting)
	c.Count = func(outcome string) { outcomes <- outcome }
	if c.Waits == nil {
		c.Waits = func() map[string]int { return nil }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	n, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	n.pause = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.Run(ctx)
	}()
	return n, outcomes, func() {
		cancel()
		<-done
	}
}

func report(action shadow.Action, change func(*shadow.Report)) *shadow.Report {
	r := &shadow.Report{}
	r.Report.ID, r.Report.Timestamp = "run-1/api/1", time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
	r.Failures = []shadow.Failure{{TestName: "sc-01", Expected: "SEALED", Actual: "SECRET", Message: "SECRET"}}
	r.Swarm = shadow.Swarm{RunID: "run-1", Domain: "api", BundleID: "b-1", CommanderID: "cmd-1", Cycle: 1, Final: true, Score: shadow.Score{Failed: 3, Total: 8},
		Gate: shadow.Gate{Action: action, Because: []string{"level"}, Reason: "SECRET"}, Verdict: shadow.Word(shadow.Significant), AdvisoryReasons: []string{"SECRET"},
		Items: []shadow.ItemVerdict{{Why: "SECRET", Quote: "SECRET"}}}
	if change != nil {
		change(r)
	}
	return r
}

// TestToldOf: of these reports it is told, with nothing that was sealed or written
// by somebody.
func TestToldOf(t *testing.T) {
	for name, c := range map[string]struct {
		of   *shadow.Report
		want Kind
	}{
		"proceed":        {report(shadow.Proceed, nil), ""},
		"warn":           {report(shadow.Warn, nil), ""},
		"quarantine":     {report(shadow.Quarantine, nil), Quarantine},
		"reject":         {report(shadow.Reject, nil), Reject},
		"a fix awaited":  {report(shadow.Reject, func(r *shadow.Report) { r.Swarm.Final = false }), ""},
		"the seal":       {report(shadow.Quarantine, func(r *shadow.Report) { r.Swarm.SealBroken = "SECRET" }), SealBroken},
		"only observing": {report(shadow.Proceed, func(r *shadow.Report) { r.Swarm.SealBroken = "SECRET" }), SealBroken},
	} {
		m := judged(c.of)
		if (m == nil) != (c.want == "") || m != nil && m.Type != c.want {
			t.Errorf("%s: %+v, want %q", name, m, c.want)
			continue
		}
		if m == nil {
			continue
		}
		for _, slack := range []bool{false, true} {
			body, err := m.body(slack)
			if err != nil || !bytes.Contains(body, []byte("run-1")) || bytes.Contains(body, []byte("SE")) {
				t.Errorf("%s: %s, %v", name, body, err)
			}
		}
	}
	if a, b := judged(report(shadow.Reject, nil)), judged(report(shadow.Quarantine, nil)); a.id == b.id || a.id != judged(report(shadow.Reject, nil)).id {
		t.Error("the id is not that of the message")
	}
}

// TestSend: a message is tried again while the receiver cannot take it, under one
// id, and signed each time; where trying again does not help it is given up. An
// error shows no more of the address than its host.
func TestSend(t *testing.T) {
	secret, err := ParseSecret("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		statuses []int
		tries    int
		want     string
	}{
		{[]int{200}, 1, Sent}, {[]int{500, 429, 503, 204}, 4, Sent}, {[]int{404}, 1, Failed}, {[]int{307}, 1, Failed},
	} {
		var log bytes.Buffer
		r := newReceiver(t, c.statuses...)
		n, outcomes, end := running(t, Config{URL: r.URL + "/hidden", Secret: func() ([]byte, error) { return secret, nil }, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		n.Judged(report(shadow.Reject, nil))
		ids := map[string]bool{}
		for range c.tries {
			got := <-r.tries
			want := http.Header{}
			ids[got.head.Get("webhook-id")] = true
			var stamp int64
			if _, err := fmt.Sscan(got.head.Get("webhook-timestamp"), &stamp); err != nil {
				t.Fatal(err)
			}
			sign(want, secret, got.head.Get("webhook-id"), time.Unix(stamp, 0), got.body)
			if got.head.Get("webhook-signature") != want.Get("webhook-signature") || time.Since(time.Unix(stamp, 0)) > time.Minute {
				t.Errorf("%v: signed %v, want %v", c.statuses, got.head, want)
			}
			var m map[string]any
			if err := json.Unmarshal(got.body, &m); err != nil || m["type"] != "reject" {
				t.Errorf("%v: %s, %v", c.statuses, got.body, err)
			}
		}
		got := <-outcomes
		if end(); got != c.want || len(outcomes) > 0 || len(ids) != 1 || len(r.tries) > 0 {
			t.Errorf("%v: %s with ids %v, want %s", c.statuses, got, ids, c.want)
		}
		if text := log.String(); strings.Contains(text, "hidden") || strings.Contains(text, "cannot be sent") != (c.want == Failed) {
			t.Errorf("%v: the log says %s", c.statuses, text)
		}
	}
}

// TestNobodyWaits: while the receiver does not answer, nothing waits but messages,
// so many at most. At the end what waits is tried once.
func TestNobodyWaits(t *testing.T) {
	away := newReceiver(t, 503)
	n, outcomes, end := running(t, Config{URL: away.URL, Slack: true})
	n.pause, n.tryFor = time.Hour, 2*time.Hour
	n.SealBroken()
	<-away.tries // it waits for the next try now, or is about to
	for range maxWaiting + 10 {
		n.SealBroken()
	}
	end()
	got := map[string]int{}
	for len(outcomes) > 0 {
		got[<-outcomes]++
	}
	if got[Dropped] < 10 || got[Dropped] > 11 || got[Sent] > 0 || got[Failed] < maxWaiting || len(away.tries) == 0 {
		t.Errorf("%v, and %d tries at the end", got, len(away.tries))
	}
}

// TestJudgesAway: of a judge that bundles wait for it is told once in a while.
func TestJudgesAway(t *testing.T) {
	r := newReceiver(t, 200)
	waiting := map[string]int{"alpha": 1}
	n, _, end := running(t, Config{URL: r.URL, Slack: true, Waits: func() map[string]int { return waiting }})
	end() // so that nobody else looks
	now := time.Now()
	for i, c := range []struct {
		after time.Duration
		waits map[string]int
		want  int
	}{{0, waiting, 1}, {time.Minute, map[string]int{"alpha": 5, "beta": 2}, 2}, {5 * time.Minute, nil, 2}, {quietFor, map[string]int{"alpha": 2}, 3}} {
		waiting = c.waits
		if n.look(now.Add(c.after)); len(n.queue) != c.want {
			t.Errorf("look %d: %d messages, want %d", i, len(n.queue), c.want)
		}
	}
	m := <-n.queue
	body, err := m.body(true)
	if want := `{"text":"Judge alpha is out of reach. Waiting for it: 1 bundle. shadowd status says why."}`; err != nil || string(body) != want {
		t.Errorf("%s, want %s, %v", body, want, err)
	}
}

// TestDocumentedCheck: what docs/operate.md says in Python takes a signature, and
// no other message under it.
func TestDocumentedCheck(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	docs, err := os.ReadFile("../../docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(docs), "```python\n")
	code, _, _ = strings.Cut(code, "```")
	const secret = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
	key, err := ParseSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	head := http.Header{}
	sign(head, key, "msg_1", time.Now(), []byte(`{"a": 1}`))
	lower := map[string]string{}
	for name := range head {
		lower[strings.ToLower(name)] = head.Get(name)
	}
	headers, err := json.Marshal(lower)
	if err != nil {
		t.Fatal(err)
	}
	code += fmt.Sprintf("\nh = %s\nprint(signed(%q, h, b'{\"a\": 1}'), signed(%q, h, b'{\"a\": 2}'), signed('whsec_' + %q, h, b'{\"a\": 1}'))\n", headers, secret, secret, secret)
	out, err := exec.CommandContext(t.Context(), python, "-c", code).CombinedOutput()
	if err != nil || string(out) != "True False True\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestParseSecret: a secret is long enough and base64, and no error shows it.
func TestParseSecret(t *testing.T) {
	for _, text := range []string{"", "secret", "c2hvcnQ=", "whsec_c2hvcnQ=", strings.Repeat("YWFh", 30)} {
		if _, err := ParseSecret(text); err == nil || text != "" && strings.Contains(err.Error(), text) && text != "secret" {
			t.Errorf("%q: %v", text, err)
		}
	}
}
