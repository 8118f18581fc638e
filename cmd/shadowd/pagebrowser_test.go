package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestPageInBrowser looks at the page in a real browser, from before the bus is
// there to after the daemon has gone and come back: it is live, runs without a
// complaint, fits three widths and keeps no screen reader and no keyboard out.
func TestPageInBrowser(t *testing.T) {
	b := openBrowser(t)
	broker := bustest.Server(t)
	at := broker.URL()
	broker.Stop()
	address := freeAddress(t)
	base := "http://" + address
	text := reading(t, fmt.Sprintf("bus: {url: %q, data_dir: %q, max_bytes: 100MiB}\nhttp: {listen: %q}\n", at, t.TempDir(), address))
	config := written(t, "config.yml", text)
	r := startRun(t, text)
	r.http()

	b.open(base + "/")
	b.until(has("Loading: the log is being read"), has("shadowd cannot work: no connection to the bus"))
	b.looks("the page before the bus is there", 390)
	broker.Start(t)
	b.until(isLive, has("There are no runs yet"), "!"+has("Loading"))
	b.looks("the empty list", 768)
	listByKeyboard(b, base, func() { shadowd(t, "replay", "--config", config, "--server", at, smallRun) })
	runLive(b, r, base, at)
	b.open(base + "/")
	b.until(`document.querySelectorAll("tbody tr").length == 2`, `document.querySelectorAll(".plot svg circle").length > 0`, `document.querySelector("tbody td .gate")`)
	b.looks("the list", 390, 768, 1600)
	b.open(base + "/?q=nothing")
	b.until(isLive, has("No run fits"))
	b.looks("a search without a find", 390)
	downloads(b, base, config)
	showTheWork(b, base)
	b.quiet(base)
	policyHolds(b)

	b.open(base + "/")
	b.until(isLive, `document.getElementById("lost").hidden`)
	r.signal(syscall.SIGTERM)
	r.wantExit(hint.ExitClean)
	b.until(`!document.getElementById("lost").hidden`, "!"+isLive)
	b.looks("a page without a daemon", 768)
	// As a refresh does whose answer came late.
	tells[bool](b, `document.querySelector("header").replaceWith(document.querySelector("header").cloneNode(true)); true`)
	startRun(t, text).http()
	b.until(`document.getElementById("lost").hidden`, isLive, has("run-small"))
}

// freeAddress is one that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// isLive holds where the page hears of changes.
const isLive = `document.getElementById("live").innerText.includes("● live")`

// has holds where the page shows a text.
func has(text string) string { return fmt.Sprintf("document.body.innerText.includes(%q)", text) }

// focus says where the keyboard's focus is, in words.
const focus = `(e => e.id || e.name || e.innerText.slice(0, 40))(document.activeElement)`

// listByKeyboard uses the list as docs/page.md promises, while a run comes in.
func listByKeyboard(b *browser, base string, replay func()) {
	b.t.Helper()
	b.press("/")
	if at := tells[string](b, focus); at != "q" {
		b.t.Errorf("after / the focus is on %s", at)
	}
	b.press("sma/") // the second / is a letter
	replay()
	b.until(`[...document.querySelectorAll("tbody th a")].some(a => a.innerText == "run-small")`, `document.querySelector("tbody .score")`)
	if at, typed := tells[string](b, focus), tells[string](b, `document.getElementById("q").value`); at != "q" || typed != "sma/" {
		b.t.Errorf("a change of the list leaves the focus on %s and %q in the search", at, typed)
	}
	b.press(kb.Backspace + kb.Enter)
	b.until(`location.search.includes("q=sma")`, isLive, `document.querySelectorAll("tbody tr").length == 1`)
	b.open(base + "/")
	b.until(isLive)
	var stops []string
	for range 7 {
		b.press(kb.Tab)
		stops = append(stops, tells[string](b, focus))
	}
	if diff := cmp.Diff([]string{"To the contents", "shadowd", "q", "state", "doubt", "Show", "run-small"}, stops); diff != "" {
		b.t.Errorf("Tab goes (-want +got):\n%s", diff)
	}
	b.press(kb.Enter)
	b.until(`location.pathname == "/runs/run-small"`, isLive, `document.querySelectorAll("main section[id]").length == 2`)
	b.looks("a run", 390, 768, 1600)
}

// runLive watches a run from its seal to its verdict. Its task is a page that would run a script.
func runLive(b *browser, r *running, base, at string) {
	b.t.Helper()
	const run = "run-live"
	nc := connected(b.t, at)
	d := &drill{t: b.t, running: r}
	sealed, asked := hears(b.t, nc, "swarm.envelope-sealed."+run), hears(b.t, nc, "swarm.hardening-request.cmd-1."+run+".*.*")
	says(b.t, nc, "swarm.decomposition-done."+run, shadow.DecompositionDone, map[string]any{
		"run_id": run, "task": `<script>hacked = 1</script><img src=x onerror="hacked = 1">`,
		"domains": []any{map[string]any{"domain": "service", "commander_id": "cmd-1", "sub_tasks": []string{"Move the queues", "Write the runbook"}}},
	})
	next(b.t, r, sealed)
	b.open(base + "/runs/" + run)
	b.until(isLive, has("no report yet"), has("<script>hacked"))
	poor := workOf(run).(map[string]any)
	poor["content"] = "# The work\n\nThe queues were not moved. TODO\n\nThe runbook was not written.\n"
	says(b.t, nc, "swarm.bundle-complete."+run+".cmd-1", shadow.BundleComplete, poor)
	next(b.t, r, asked)
	received := `document.querySelector("pre.quote")?.textContent.includes("SHADOW HARDENING")`
	b.until(has("Not final"), "!"+has("show the work"), "!"+received)
	if res, err := http.Get(base + "/runs/" + run + "/work/service"); err != nil || res.Body.Close() != nil || res.StatusCode != http.StatusConflict {
		b.t.Errorf("the work of a run that is not scored: %+v, %v", res, err)
	}
	b.looks("a run under way", 390, 768)
	tells[bool](b, `document.querySelector("summary").click(); document.querySelector(".home").focus(); true`)
	d.fix(nc, run)
	b.until(`document.querySelectorAll(".downloads a").length == 6`, received)
	if at := tells[string](b, focus); at != "shadowd" || !tells[bool](b, `document.querySelector("details").open`) {
		b.t.Errorf("a change of the run moves the focus to %s, or closes what was open", at)
	}
	if tells[bool](b, `typeof hacked != "undefined" || document.querySelectorAll("script").length != 1`) {
		b.t.Error("the page runs a script of the swarm's")
	}
}

// fix answers the hardening request of a bundle that work handed in.
func (d *drill) fix(nc *nats.Conn, run string) {
	d.t.Helper()
	work := workOf(run).(map[string]any)
	delete(work, "run_id")
	work["content"] = "# The work\n\nWe moved the queues on Monday: all three are on the new cluster.\n\nThe runbook is written: docs/runbook.md.\n"
	says(d.t, nc, "swarm.fix-submitted."+run+".cmd-1", shadow.FixSubmitted, map[string]any{
		"run_id": run, "bundle_id": "b", "domain": "service", "commander_id": "cmd-1", "cycle": 1, "bundle": work})
}

// downloads clicks on each link of a scored run, and compares the files with what shadowd report prints.
func downloads(b *browser, base, config string) {
	b.t.Helper()
	dir := b.t.TempDir()
	allow := cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir}
	if _, err := chromedp.Call(b, cdpbrowser.SetDownloadBehavior, allow); err != nil {
		b.t.Fatal(err)
	}
	b.open(base + "/runs/run-small")
	b.until(isLive)
	names := tells[[]string](b, `[...document.querySelectorAll(".downloads a")].map(a => a.innerText)`)
	var formats []string
	for i, name := range names {
		tells[bool](b, fmt.Sprintf(`document.querySelectorAll(".downloads a")[%d].click(); true`, i))
		path := strings.TrimPrefix(tells[string](b, fmt.Sprintf(`document.querySelectorAll(".downloads a")[%d].pathname`, i)), "/runs/")
		file := filepath.Join(dir, strings.Replace(path, "/", ".", 1)) // run-small.report.txt
		formats = append(formats, name)
		code, want, errs := ended(b.t, nil, "report", "run-small", "--format", name, "--config", config)
		if code != 0 || want == "" {
			b.t.Fatalf("shadowd report --format %s: %d %s", name, code, errs)
		}
		if name == "html" {
			if err := os.WriteFile(filepath.Join(b.dir, "report.html"), []byte(want), 0o600); err != nil {
				b.t.Fatal(err)
			}
		}
		bustest.WaitFor(b.t, filepath.Base(file)+" to be what shadowd report prints", func() bool {
			got, err := os.ReadFile(file)
			return err == nil && string(got) == want
		})
	}
	want := []string{"text", "markdown", "html", "json", "junit", "intoto"}
	if !slices.Equal(formats, want) {
		b.t.Errorf("%q can be downloaded, not %q", formats, want)
	}
}

// showTheWork opens what a finding is about, and looks for what failed. Without a
// token no more of a bundle is shown than the passages.
func showTheWork(b *browser, base string) {
	b.t.Helper()
	b.open(base + "/runs/run-live")
	b.until(isLive)
	tells[bool](b, `document.querySelector(".items a").click(); true`)
	b.until(`location.pathname == "/runs/run-live/work/service"`, isLive, `document.querySelector(":target .tag").innerText == "missing"`)
	b.open(base + "/runs/run-small/work/guide")
	b.until(isLive, `document.querySelector(".passage .named mark").checkVisibility()`, "!"+has("The whole bundle"))
	b.looks("the work", 390, 768, 1600)
	b.do(chromedp.Click("#only"))
	b.until(`!document.querySelector(".passage").checkVisibility()`)
}

// policyHolds tries what the content security policy forbids, in the page: the browser refuses, and says so.
func policyHolds(b *browser) {
	b.t.Helper()
	tells[bool](b, `window.refused = []; addEventListener("securitypolicyviolation", e => refused.push(e.effectiveDirective));
		const script = document.createElement("script"); script.textContent = "window.hacked = 1"; document.body.append(script);
		document.body.insertAdjacentHTML("beforeend", '<button id="evil" onclick="window.hacked = 1">x</button><p style="color: red">x</p><img src="http://127.0.0.2:1/x.png"><form id="away" action="http://127.0.0.2:1/"></form>');
		document.getElementById("evil").click(); document.getElementById("away").submit(); true`)
	b.until(`["script-src-elem", "script-src-attr", "style-src-attr", "img-src", "form-action"].every(d => refused.includes(d))`)
	if tells[bool](b, `"hacked" in window`) {
		b.t.Error("a script that stands in the page was run")
	}
}

// TestPageCrowded: long names and many domains fit a small window.
func TestPageCrowded(t *testing.T) {
	b := openBrowser(t)
	r := startRun(t, embedded(t.TempDir())+onFreePort)
	nc := connected(t, r.url())
	long := func(letter string) string { return strings.Repeat(letter, 60) }
	run := long("R")
	var domains []any
	for i := range 40 {
		domains = append(domains, map[string]any{"domain": fmt.Sprint(long("d"), i), "commander_id": fmt.Sprint(long("c"), i), "sub_tasks": []string{"Move the queues", "Write the " + long("w"), "Tell the users"}})
	}
	scored := hears(t, nc, "swarm.run-scored."+run)
	says(t, nc, "swarm.decomposition-done."+run, shadow.DecompositionDone, map[string]any{"run_id": run, "scale": "ss-50", "task": long("T"), "domains": domains})
	for i := range domains {
		work := workOf(run).(map[string]any)
		work["domain"], work["commander_id"] = fmt.Sprint(long("d"), i), fmt.Sprint(long("c"), i)
		work["content"] = "# The work\n\nThe queues were not moved.\n\nIn a trial 6 of 150 requests (5 %) were refused.\n"
		says(t, nc, fmt.Sprintf("swarm.bundle-complete.%s.%s%d", run, long("c"), i), shadow.BundleComplete, work)
	}
	next(t, r, scored)
	base := r.http()
	b.open(base + "/")
	b.until(isLive, has("advisory"), has("and 34 more"))
	b.looks("a crowded list", 320, 390)
	b.open(base + "/runs/" + run)
	b.until(isLive, has("Advisory:"))
	b.looks("a crowded run", 320, 768)
}

// TestLoginInBrowser: who has no cookie is asked for the token, which never
// stands in an address, and the page opens with the right one only.
func TestLoginInBrowser(t *testing.T) {
	const token = "a-token-of-twenty-letters-and-more"
	b := openBrowser(t)
	file := written(t, "http.token", token+"\n")
	r := startRun(t, embedded(t.TempDir())+fmt.Sprintf("http: {listen: \"127.0.0.1:0\", token_file: %q, open: [health]}\n", file))
	base := r.http()
	b.open(base + "/?q=x")
	b.until(focus + ` == "token"`)
	b.looks("the form that asks for the token", 390, 768)
	b.press("not-the-token" + kb.Enter)
	b.until(has("That is not the token."))
	b.looks("the form after a wrong token", 390)
	b.press(token + kb.Enter)
	b.until(has("There are no runs yet"), isLive)
	if at, cookie := tells[string](b, `location.href + document.referrer`), tells[string](b, `document.cookie`); strings.Contains(at, "token") || cookie != "" {
		t.Errorf("the address is %s, and scripts see the cookie %q", at, cookie)
	}
	requests, _ := b.logged()
	for _, u := range requests {
		if strings.Contains(u, token) || strings.Contains(u, "not-the-token") {
			t.Errorf("the browser asked for %s", u)
		}
	}
}
