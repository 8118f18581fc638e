package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// pathsOfPage are all that the page has of a run.
func pathsOfPage(t *testing.T, base, run string) []string {
	t.Helper()
	paths := []string{"/", "/?q=" + run, "/?state=hardening", "/runs/" + run, "/metrics", "/status", "/readyz", "/login", "/events/"}
	for _, ext := range []string{"txt", "md", "html", "json", "xml", "log", "intoto.jsonl", "sarif", "inspect.json"} {
		paths = append(paths, "/runs/"+run+"/report."+ext)
	}
	_, body := httpGet(t, base+"/runs/"+run)
	for _, m := range regexp.MustCompile(`(?:href|src|action)="(/[^"]*)"`).FindAllStringSubmatch(body, -1) {
		if !slices.Contains(paths, m[1]) {
			paths = append(paths, m[1])
		}
	}
	return paths
}

// TestPageKeepsTheSeal: while a run is under way, no answer holds sealed text,
// neither of the envelope nor of judges and checks. When it is scored the page
// shows it.
func TestPageKeepsTheSeal(t *testing.T) {
	// Judges that repeat what they are asked, in all that they say.
	models := httptest.NewServer(llmtest.Handler(func(r *llmtest.Request) string {
		if strings.Contains(r.User(), "Write criteria by the rules") {
			return scriptedCriteria(r)
		}
		return llmtest.Verdict("", "asked for: "+llmtest.Find(r.User(), "criterion")+llmtest.Find(r.User(), "item"), "failed")
	}))
	defer models.Close()
	dir := t.TempDir()
	r := startRun(t, fmt.Sprintf(`
shadow_scoring: {hardening: {timeout: 1h, max_cycles: 1}}
models:
  - {name: alpha, model: "%[1]s/v1#alpha-1", family: alpha}
  - {name: beta, model: "%[1]s/v1#beta-1", family: beta}
seal: {authors: [{model: alpha}]}
judging: {panel: [{model: alpha}, {model: beta, name: doubter}, {model: alpha, name: second}]}
bus: {listen: "127.0.0.1:0", data_dir: %[2]q}
%[3]s`, models.URL, dir, onFreePort))
	nc, err := connect(r.url())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	const run = "run-judged"
	sealed, scored := hears(t, nc, "swarm.envelope-sealed."+run), hears(t, nc, "swarm.run-scored."+run)
	says(t, nc, "swarm.decomposition-done."+run, shadow.DecompositionDone, map[string]any{
		"run_id": run, "scale": "ss-100", "task": "Move the payment queues",
		"domains": []any{map[string]any{"domain": "service", "commander_id": "cmd-service", "sub_tasks": []string{"Move the queues"}}},
	})
	next(t, r, sealed)
	bundle := map[string]any{"run_id": run, "bundle_id": "b", "domain": "service", "commander_id": "cmd-service", "status": "success",
		"content": "# The work\n\n" + strings.ReplaceAll(poorWork, "\n", "\n\n")}
	events := listenTo(t, r.http()+"/events")
	says(t, nc, "swarm.bundle-complete."+run+".cmd-service", shadow.BundleComplete, bundle)
	bustest.WaitFor(t, "the page to show what the commander was told", func() bool {
		_, body := httpGet(t, r.http()+"/runs/"+run)
		return strings.Contains(body, "SHADOW HARDENING")
	})
	if got := <-events; got != "data: "+run {
		t.Errorf("the page is told %q", got)
	}

	base, answers := r.http(), map[string]string{}
	for _, path := range pathsOfPage(t, base, run) {
		code, body := httpGet(t, base+path)
		answers[path] = body
		if strings.Contains(path, "/report.") && code != http.StatusConflict {
			t.Errorf("%s under way: %d", path, code)
		}
	}
	if page := answers["/runs/"+run]; !strings.Contains(page, "Not final") || !strings.Contains(page, "SHADOW HARDENING") || !strings.Contains(page, "mark-failed") {
		t.Errorf("the page of the run says too little:\n%s", page)
	}
	delete(bundle, "status")
	inner := map[string]any{"bundle_id": "b", "domain": "service", "commander_id": "cmd-service", "status": "success", "content": bundle["content"]}
	says(t, nc, "swarm.fix-submitted."+run+".cmd-service", shadow.FixSubmitted, map[string]any{
		"run_id": run, "bundle_id": "b", "domain": "service", "commander_id": "cmd-service", "cycle": 1, "bundle": inner})
	next(t, r, scored)
	var rep shadow.Report
	code, body := httpGet(t, base+"/runs/"+run+"/report.json")
	if err := json.Unmarshal([]byte(body), &rep); err != nil || code != http.StatusOK || len(rep.Failures) == 0 {
		t.Fatalf("%d %v\n%s", code, err, body)
	}
	_, after := httpGet(t, base+"/runs/"+run)
	r.signal(syscall.SIGTERM)
	r.wantExit(hint.ExitClean)

	secrets := map[string]bool{}
	for _, f := range rep.Failures {
		secrets[f.Expected], secrets[f.Actual] = true, true
	}
	for _, b := range rep.Swarm.Ballots {
		for _, v := range b.Votes {
			secrets[v.Actual], secrets[v.Quote], secrets[v.Why] = true, true, true
		}
	}
	for _, e := range envelopes(t, dir) {
		secrets[e.Salt], secrets[e.Decoy.Token], secrets[e.Decoy.Assertion] = true, true, true
		for _, c := range e.Criteria {
			secrets[c.Assertion], secrets[c.Expected], secrets[c.Check] = true, true, true
		}
	}
	// What the commander was told, and what the swarm itself said, is no secret.
	told := plainWords(html.UnescapeString(regexp.MustCompile(`(?s)<pre class="quote">SHADOW HARDENING.*?</pre>`).FindString(answers["/runs/"+run])) + " Move the queues")
	shown, looked := 0, 0
	for secret := range secrets {
		words := plainWords(secret)
		words = words[:min(len(words), 40)] // long ones are cut where they are shown
		if len(words) < 12 || strings.Contains(told, words) {
			continue
		}
		looked++
		for path, body := range answers {
			if strings.Contains(plainWords(html.UnescapeString(body)), words) {
				t.Errorf("%s shows %q while the run is under way", path, secret)
			}
		}
		if strings.Contains(plainWords(html.UnescapeString(after)), words) {
			shown++
		}
	}
	if looked < 20 || shown == 0 {
		t.Errorf("%d sealed texts were looked for, and %d are shown afterwards", looked, shown)
	}
}

// listenTo delivers the lines with data of server-sent events.
func listenTo(t *testing.T, url string) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 100)
	go func() {
		defer res.Body.Close()
		for in := bufio.NewScanner(res.Body); in.Scan(); {
			if strings.HasPrefix(in.Text(), "data:") {
				select {
				case lines <- in.Text():
				default:
				}
			}
		}
	}()
	return lines
}

// TestPageInBrowser looks at the page in a real browser: it is live, runs
// without a complaint, fits three widths and has nothing that keeps a screen
// reader or a keyboard out.
func TestPageInBrowser(t *testing.T) {
	tab := openBrowser(t)
	dir := t.TempDir()
	r := startRun(t, embedded(dir)+onFreePort)
	nurl, base := r.url(), r.http()
	v := &visited{}
	if err := chromedp.Listen(tab, v.listen); err != nil {
		t.Fatal(err)
	}
	do := func(actions ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(tab, actions...); err != nil {
			t.Fatal(err)
		}
	}
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(tab, network.Enable, network.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(tab, log.Enable, cdp.Empty{}); return err },
	} {
		if err := enable(); err != nil {
			t.Fatal(err)
		}
	}
	do(chromedp.Navigate(base + "/"))
	until(t, tab, `document.getElementById("live").innerText.includes("live") && document.body.innerText.includes("There are no runs yet")`)
	looks(t, tab, "the empty list")
	shadowd(t, "replay", "--config", operatorConfig(t, nurl, dir), "--server", nurl, smallRun)
	until(t, tab, `[...document.querySelectorAll("tbody th a")].some(a => a.innerText == "run-small") && document.body.innerText.includes("scored")`)
	looks(t, tab, "the list")
	do(chromedp.Navigate(base + "/runs/run-small"))
	until(t, tab, `document.querySelectorAll("main section[id]").length == 2`)
	looks(t, tab, "a run")
	do(chromedp.Navigate(base + "/?q=nothing"))
	until(t, tab, `document.body.innerText.includes("No run fits")`)
	looks(t, tab, "a search without a find")
	v.mu.Lock()
	for _, u := range v.requests {
		if at, err := url.Parse(u); err != nil || "http://"+at.Host != base {
			t.Errorf("the page asks for %s", u)
		}
	}
	if len(v.said) > 0 || len(v.requests) < 10 {
		t.Errorf("after %d requests the browser says %q", len(v.requests), v.said)
	}
	v.mu.Unlock()
	r.signal(syscall.SIGTERM)
	r.wantExit(hint.ExitClean)
	until(t, tab, `!document.getElementById("lost").hidden`)
	looks(t, tab, "a page without a daemon")
}

// visited is what a browser asked for, and what it complained of.
type visited struct {
	mu       sync.Mutex
	requests []string
	said     []string
}

func (v *visited) listen(event any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		v.requests = append(v.requests, e.Request.URL)
	case *runtime.EventConsoleAPICalled:
		v.said = append(v.said, "console."+string(e.Type))
	case *runtime.EventExceptionThrown:
		v.said = append(v.said, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		v.said = append(v.said, e.Entry.Text)
	}
}

// openBrowser opens a headless browser, which lasts until the test ends. Without
// one the test is skipped; in CI that is a failure.
func openBrowser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox) // which root lacks; the page is ours
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	err := chromedp.Do(ctx) // starts it, and must not have a deadline
	if errors.Is(err, exec.ErrNotFound) {
		notHere(t, "no Chromium or Chrome is installed; on Debian: apt-get install chromium")
	}
	if err != nil {
		t.Fatalf("starting the browser: %v", err)
	}
	ctx, cancel = context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	return ctx
}

// notHere skips a test for want of a tool; in CI it fails.
func notHere(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// until waits until an expression holds in the page.
func until(t *testing.T, tab context.Context, expression string) {
	t.Helper()
	if _, err := chromedp.Run(tab, chromedp.Poll[bool](expression, chromedp.WithPollingInterval(50*time.Millisecond))); err != nil {
		text, _ := chromedp.Run(tab, chromedp.Evaluate[string](`document.body.innerText`))
		t.Fatalf("%s: %v\n%s", expression, err, text)
	}
}

// looks checks the page at three widths in light and dark, and asks axe.
func looks(t *testing.T, tab context.Context, what string) {
	t.Helper()
	axe, err := os.ReadFile(filepath.Join("..", "..", ".ci", "page", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		notHere(t, "axe-core is not installed: npm ci in .ci/page")
	}
	for width, scheme := range map[int64]string{390: "light", 768: "dark", 1600: "light"} {
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
		if _, err := chromedp.Call(tab, emulation.SetEmulatedMedia, media); err != nil {
			t.Fatal(err)
		}
		if err := chromedp.Do(tab, chromedp.EmulateViewport(width, 900)); err != nil {
			t.Fatal(err)
		}
		wide, err := chromedp.Run(tab, chromedp.Evaluate[int64](`document.documentElement.scrollWidth`))
		if err != nil || wide > width {
			t.Errorf("%s at %d is %d wide, %v", what, width, wide, err)
		}
		if _, err := chromedp.Run(tab, chromedp.Evaluate[bool](string(axe)+"; true")); err != nil {
			t.Fatal(err)
		}
		wrong, err := chromedp.Run(tab, chromedp.Evaluate[[]string](`axe.run().then(r => r.violations.map(v => v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(" | ")))`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range wrong {
			t.Errorf("%s at %d, %s: %s", what, width, scheme, w)
		}
	}
}
