package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

const onFreePort = "http: {listen: \"127.0.0.1:0\"}\n"

// http is where the daemon serves metrics and health.
func (r *running) http() string {
	r.t.Helper()
	return r.says(`"msg":"the page, metrics and health are served","url":"([^"]+)"`)
}

func httpGet(t *testing.T, url string) (code int, body string) {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

// metrics are the samples of shadowd's own that are not 0, by name and labels,
// and the whole text. Of histograms it is the count.
func (r *running) metrics() (values map[string]float64, text string) {
	r.t.Helper()
	code, text := httpGet(r.t, r.http()+"/metrics")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil || code != http.StatusOK {
		r.t.Fatalf("%d %v\n%s", code, err, text)
	}
	values = map[string]float64{}
	for name, f := range families {
		name, own := strings.CutPrefix(name, "shadowd_")
		for _, m := range f.Metric {
			key := name
			for _, l := range m.Label {
				key += " " + l.GetValue()
			}
			if v := m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount()); own && v != 0 {
				values[key] = v
			}
		}
	}
	// Which bytes of IN were seen last depends on when.
	name := version()
	for _, key := range []string{"build_info " + name, "in_bytes", "in_max_bytes"} {
		delete(values, key)
	}
	return values, text
}

// wantMetrics waits until the daemon shows these and no others, with the metrics of some names summed up.
func (r *running) wantMetrics(want map[string]float64, names ...string) (text string) {
	r.t.Helper()
	var got map[string]float64
	for late := time.Now().Add(patience); time.Now().Before(late); { // events count after their acknowledgement
		if got, text = r.metrics(); maps.Equal(summed(got, names...), want) {
			return text
		}
	}
	r.t.Errorf("metrics (-want +got):\n%s", cmp.Diff(want, summed(got, names...)))
	return text
}

// summed adds up the samples of metrics whose labels depend on chance.
func summed(values map[string]float64, names ...string) map[string]float64 {
	out := map[string]float64{}
	for key, v := range values {
		for _, name := range names {
			if strings.HasPrefix(key, name+" ") {
				key = name
			}
		}
		out[key] += v
	}
	return out
}

// TestMetricsOfARun plays a run against a daemon and reads what it shows: each
// metric has moved as far as it should, and nothing of the run is in there.
func TestMetricsOfARun(t *testing.T) {
	dir := t.TempDir()
	r := startRun(t, reading(t, embedded(dir)+onFreePort))
	url := r.url()
	r.wantMetrics(map[string]float64{"active": 1, "ready": 1})
	config := operatorConfig(t, url, dir)
	shadowd(t, "replay", "--config", config, "--server", url, smallRun)
	text := r.wantMetrics(map[string]float64{
		"active": 1, "ready": 1,
		"events_accepted_total decomposition-done": 1,
		"events_accepted_total bundle-complete":    2,
		"events_accepted_total fix-submitted":      1,
		"outputs_total envelope-sealed":            1,
		"outputs_total gap-report":                 3,
		"outputs_total hardening-request":          1,
		"outputs_total domain-settled":             2,
		"outputs_total run-scored":                 1,
		"seal_duration_seconds":                    1,
		"criteria_sealed_total shadowd":            16,
		"gate_reasons_total fix_awaited":           1,
		"gate_reasons_total level":                 2,
		"items_total found":                        14,
		"items_total missing":                      7,
		"judge_calls_total reader":                 21,
		"judge_tokens_total reader":                2100,
		"judge_vote_duration_seconds reader":       21,
		"judge_votes_total reader passed":          14,
		"judge_votes_total reader failed":          7,
		"judging_duration_seconds":                 3,
		"reports_total":                            3,
		"gates_total":                              3,
	}, "reports_total", "gates_total")
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v %+v", err, problems)
	}
	r.signal(syscall.SIGTERM)
	r.wantExit(hint.ExitClean)
	wantNothingOf(t, text, envelopes(t, dir))
}

// wantNothingOf looks in metrics for anything that runs have of their own.
func wantNothingOf(t *testing.T, text string, es []*shadow.Envelope) {
	t.Helper()
	if len(es) == 0 {
		t.Fatal("no envelope to look for")
	}
	for _, e := range es {
		secrets := append(sealedTexts(e), e.RunID, e.SealedHash, e.Task)
		for _, d := range e.Domains {
			secrets = append(secrets, `"`+d.Domain+`"`, d.CommanderID)
		}
		for _, c := range e.Criteria {
			secrets = append(secrets, c.ID)
		}
		for _, s := range secrets {
			if strings.Contains(text, s) || strings.Contains(plainWords(text), plainWords(s)) && len(s) > 12 {
				t.Errorf("the metrics hold %q", s)
			}
		}
	}
}

// TestReady: health follows the bus, from before it is there to after it has gone and come back.
func TestReady(t *testing.T) {
	broker := bustest.Server(t)
	url := broker.URL()
	broker.Stop()
	daemon := fmt.Sprintf("bus: {url: %q, data_dir: %q, max_bytes: 100MiB}\n", url, t.TempDir()) + onFreePort
	waits := startRun(t, daemon) // and can be stopped
	waits.says("no connection to the bus yet")
	waits.signal(syscall.SIGTERM)
	waits.wantExit(hint.ExitClean)
	r := startRun(t, daemon)
	at := r.http()
	ready := func(code int, body string) {
		t.Helper()
		bustest.WaitFor(t, fmt.Sprintf("%d %q", code, body), func() bool {
			c, b := httpGet(t, at+"/readyz")
			return c == code && b == body
		})
	}
	r.says("no connection to the bus yet")
	ready(http.StatusServiceUnavailable, "no connection to the bus\n")
	config := written(t, "there.yml", fmt.Sprintf("http: {listen: %q}\n", strings.TrimPrefix(at, "http://")))
	if code, _, said := ended(t, nil, "status", "--config", config); code != hint.ExitFailed || !strings.Contains(said, "not ready: no connection to the bus") {
		t.Errorf("status: %d, %s", code, said)
	}
	if code, body := httpGet(t, at+"/healthz"); code != http.StatusOK || body != "ok\n" {
		t.Errorf("health: %d %s", code, body)
	}
	broker.Start(t)
	ready(http.StatusOK, "ok\n")
	broker.Stop()
	ready(http.StatusServiceUnavailable, "no connection to the bus\n")
	r.wantMetrics(map[string]float64{})
	broker.Start(t)
	ready(http.StatusOK, "ok\n")
	r.wantMetrics(map[string]float64{"active": 1, "ready": 1, "bus_reconnects_total": 1})
	r.signal(syscall.SIGTERM)
	r.wantExit(hint.ExitClean)
	res, err := http.Get(at + "/healthz")
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("after its end: %v", err)
	}
	if err == nil {
		_ = res.Body.Close()
	}
}
