package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/hint"
)

// TestCost: what a model with a price costs is in the reports, in the sum of the run
// and in the metrics, which have the same sum, and the audit follows it.
func TestCost(t *testing.T) {
	data := t.TempDir()
	r := startRun(t, embedded(data)+onFreePort+fmt.Sprintf("currency: EUR\nmodels: [{name: reader, model: %q, timeout: 1m, price: {input: 1000, output: 10000}}]\njudging: {panel: [reader]}\n",
		judgeAt(t, smallBook.answer)+"#m"))
	url := r.url()
	env := []string{"SHADOWD_BUS_URL=" + url, "SHADOWD_BUS_NKEY=" + filepath.Join(data, "operator.nk"), "SHADOWD_ENVELOPE_KEY=" + filepath.Join(data, "envelope.nk"), "SHADOWD_SIGNING_KEY=" + filepath.Join(data, "signing.pem")}
	if code, out, said := ended(t, env, "replay", "--server", url, smallRun); code != hint.ExitClean {
		t.Fatalf("%d %s\n%s", code, out, said)
	}
	code, out, said := ended(t, env, "report", "run-small")
	// Each reply of the scripted model has 90 and 10 tokens.
	each := 90*1000 + 10*10000
	sums := regexp.MustCompile(`judges    (\d+) calls and (\d+)00 tokens, (\d+\.\d\d) EUR`).FindStringSubmatch(out)
	if code != hint.ExitClean || sums == nil || strings.Count(out, "EUR") < 3 {
		t.Fatalf("%d %s\n%s", code, out, said)
	}
	var calls int
	if _, err := fmt.Sscan(sums[1], &calls); err != nil || calls < 10 || sums[2] != sums[1] || sums[3] != fmt.Sprintf("%.2f", float64(calls*each)/1e6) {
		t.Errorf("%q, %v", sums, err)
	}
	if code, out, _ := ended(t, env, "report", "run-small", "--format", "html"); code != hint.ExitClean || !strings.Contains(out, "judges took "+sums[1]+" calls") {
		t.Errorf("the page of %d has no cost", code)
	}
	if _, body := httpGet(t, r.http()+"/metrics"); !strings.Contains(body, fmt.Sprintf(`shadowd_model_cost_total{currency="EUR",model="reader"} %v`+"\n", float64(calls*each)/1e6)) {
		t.Error(regexp.MustCompile(`shadowd_model_cost.*`).FindAllString(body, -1))
	}
	if code, out, said := ended(t, env, "audit", "run-small"); code != hint.ExitClean {
		t.Errorf("the audit ends with %d\n%s%s", code, out, said)
	}
}
