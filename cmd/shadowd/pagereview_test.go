package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestPageReview: a reviewer writes a review through the page, which stands in the log as if it had come from the
// command; a reader cannot, and neither can another website in the reviewer's browser.
func TestPageReview(t *testing.T) {
	b := openBrowser(t)
	dir := t.TempDir()
	tokens := map[string]string{}
	for _, name := range []string{"reader", "anna"} {
		tokens[name] = written(t, name+".token", "the-long-token-of-"+name)
	}
	walled := strings.Replace(embedded(dir), "max_bytes", fmt.Sprintf("users: [{name: cmd-1, role: commander, nkey_file: %q}], max_bytes", newUserFile(t)), 1)
	r := startRun(t, walled+fmt.Sprintf("http: {listen: \"127.0.0.1:0\", token_file: %q, reviewers: [{name: anna, token_file: %q}]}\n", tokens["reader"], tokens["anna"]))
	base, operator := r.http(), operatorConfig(t, r.url(), dir)
	shadowd(t, "replay", "--config", operator, "--server", r.url(), unfixed(t))
	key, err := nats.NkeyOptionFromSeed(filepath.Join(dir, "operator.nk"))
	if err != nil {
		t.Fatal(err)
	}
	nc := connected(t, r.url(), key)
	reviewed := hears(t, nc, "swarm.run-reviewed.>")

	work := base + "/runs/run-small/work/service"
	logIn := func(name string) {
		b.open(base + "/login")
		b.until(focus + ` == "token"`)
		b.press("the-long-token-of-" + name + kb.Enter)
		b.until(has("run-small"), isLive)
		b.open(work)
		b.until(isLive, has("The whole bundle"))
	}
	logIn("reader")
	if tells[bool](b, `document.querySelector("#review, fieldset") != null`) {
		t.Error("a reader sees the form of a review")
	}
	tells[bool](b, `fetch(location.href, {method: "POST", body: new URLSearchParams({verdict: "reject", because: "x"})}).then(a => a.text()).then(text => window.answer = text); true`)
	b.until(`window.answer?.includes("the token of a reviewer is needed")`)

	logIn("anna")
	b.do(chromedp.Click(`[href="#whole"]`))
	b.until(`document.querySelector("#whole .passage").checkVisibility()`)
	b.looks("the work for a reviewer", 320, 390, 768, 1600)
	b.do(chromedp.Click(`[name="state sub-task 1"][value=missing]`), chromedp.SendKeys(`[name="line sub-task 1"]`, "3"), chromedp.SendKeys(`[name="because sub-task 1"]`, "No word of it."+kb.Enter)) // which sends nothing yet
	b.do(chromedp.Click(`[name=verdict][value=accept]`), chromedp.Click("#review button:enabled"))
	b.until(isLive, has("Not taken:"), `document.querySelector('[name="state sub-task 1"][value=missing]').checked`)
	b.looks("a review that is not taken", 390)
	b.do(chromedp.Click(`[name=verdict][value=items]`), chromedp.SendKeys("#review textarea", "I have read all of it."), chromedp.Click("#review button:enabled"))
	b.until(isLive, has("Reviewed by anna, who finds sub-task 1 missing: I have read all of it."), has("The report says warn"), "!"+has("Not taken"))
	b.looks("the work after a review", 390, 1600)
	b.open(base + "/")
	b.until(isLive, has("reviewed; the reports say warn"))
	b.looks("the list after a review", 390, 1600)
	b.open(base + "/runs/run-small")
	b.until(isLive, has("reviewed; the report says warn"))
	b.looks("the run after a review", 390, 1600)

	var event struct{ Data shadow.ReviewedData }
	m := <-reviewed
	if err := json.Unmarshal(m.Data, &event); err != nil {
		t.Fatal(err)
	}
	got := &event.Data
	if f := got.Review.Found; got.SignedBy == "" || got.Review.By != "anna" || got.Review.Because != "I have read all of it." || len(f) != 1 || f[0].Line != 3 || f[0].Because != "No word of it." {
		t.Errorf("the review is %+v", got)
	}
	if code, out, errs := ended(t, []string{"SHADOWD_ENVELOPE_KEY=" + filepath.Join(dir, "envelope.nk")}, "audit", "run-small", "--config", operator); code != 0 {
		t.Errorf("the audit: %s%s", out, errs)
	}
	unscored(t, nc, base, r)

	// The cookie comes with it: a site has all of its ports.
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<form method="post" action="%s"><input name="verdict" value="reject"><input name="because" value="evil"><input name="cycle" value="0"><input name="report" value="%s"><button>x</button></form>`, work, html.EscapeString(got.Review.ReportDigest))
	}))
	defer evil.Close()
	b.open(evil.URL)
	b.do(chromedp.Click("button"))
	b.until(has("this was sent by the page of another website"))
	if len(reviewed) > 0 {
		t.Error("another website has written a review")
	}
}

// unscored: a reviewer sees the work of a final domain while others are awaited, and a reader does not.
func unscored(t *testing.T, nc *nats.Conn, base string, r *running) {
	t.Helper()
	sealed, final := hears(t, nc, "swarm.envelope-sealed.run-2"), hears(t, nc, "swarm.gap-report.run-2.service.0")
	domain := func(name, commander string) map[string]any {
		return map[string]any{"domain": name, "commander_id": commander, "sub_tasks": []string{"Move the queues"}}
	}
	says(t, nc, "swarm.decomposition-done.run-2", shadow.DecompositionDone, map[string]any{"run_id": "run-2", "task": "t", "domains": []any{domain("service", "cmd-1"), domain("other", "cmd-2")}})
	next(t, r, sealed)
	says(t, nc, "swarm.bundle-complete.run-2.cmd-1", shadow.BundleComplete, workOf("run-2"))
	next(t, r, final)
	for name, want := range map[string]int{"reader": http.StatusConflict, "anna": http.StatusOK} {
		req, err := http.NewRequest("GET", base+"/runs/run-2/work/service", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer the-long-token-of-"+name)
		res, err := http.DefaultClient.Do(req)
		if err != nil || res.Body.Close() != nil || res.StatusCode != want {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
}
