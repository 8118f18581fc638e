package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/llm/llmtest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// pathsOfPage are all that the page has of a run.
func pathsOfPage(t *testing.T, base, run string) []string {
	t.Helper()
	paths := []string{"/", "/?q=" + run, "/?state=hardening", "/runs/" + run, "/metrics", "/status", "/readyz", "/login", "/events/"}
	for _, ext := range []string{"txt", "md", "html", "json", "xml", "intoto.jsonl"} {
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

// TestPageKeepsTheSeal: while a run is under way, no answer holds sealed text, neither of the envelope nor of judges
// and checks. When it is scored the page shows it.
func TestPageKeepsTheSeal(t *testing.T) {
	// Judges that repeat what they are asked, in all that they say.
	models := httptest.NewServer(llmtest.Handler(func(r *llmtest.Request) string {
		if asksForCriteria(r) {
			return scriptedCriteria(r)
		}
		if said := llmtest.Judge(answerBook{}.answer)(r); strings.Contains(said, "passed") {
			return said // a passage that is there
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
bus: {listen: "127.0.0.1:0", data_dir: %[2]q, max_bytes: 100MiB}
%[3]s`, models.URL, dir, onFreePort))
	nc := connected(t, r.url())
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
	bustest.WaitFor(t, "the page to show the report", func() bool {
		_, body := httpGet(t, r.http()+"/runs/"+run)
		return strings.Contains(body, "Not final")
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
	if page := answers["/runs/"+run]; !strings.Contains(page, "Not final") || strings.Contains(page, "SHADOW HARDENING") || !strings.Contains(page, "mark-failed") {
		t.Errorf("the page of the run says too little, or too much:\n%s", page)
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
		for _, text := range sealedTexts(e) {
			secrets[text] = true
		}
	}
	// What the swarm itself said is no secret.
	public := plainWords("Move the payment queues. Move the queues")
	shown, looked := 0, 0
	for secret := range secrets {
		words := plainWords(secret)
		words = words[:min(len(words), 40)] // long ones are cut where they are shown
		if len(words) < 12 || strings.Contains(public, words) {
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
	if looked < 15 || shown == 0 {
		t.Errorf("%d sealed texts were looked for, and %d are shown afterwards", looked, shown)
	}
}

// TestPageWithoutScript reads what the server sends: all that stands is there,
// found by links and a form, without a script.
func TestPageWithoutScript(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := startRun(t, reading(t, embedded(dir)+onFreePort))
	at, base := r.url(), r.http()
	config := operatorConfig(t, at, dir)
	shadowd(t, "replay", "--config", config, "--server", at, smallRun)
	want := func(path string, texts ...string) string {
		t.Helper()
		_, body := httpGet(t, base+path)
		body = html.UnescapeString(body)
		for _, text := range texts {
			if !strings.Contains(body, text) {
				t.Errorf("%s does not have %q:\n%s", path, text, body)
			}
		}
		if strings.Count(body, "<script") != 1 || !strings.Contains(body, `<script src="/assets/page.js" defer></script>`) || strings.Contains(body, "<noscript") {
			t.Errorf("%s does not stand without its script", path)
		}
		if wrong := regexp.MustCompile(`<(table|thead|tbody|tr|th|td)[^>]* role=|<button>`).FindString(body); wrong != "" {
			t.Errorf("%s has %s, which is no valid HTML", path, wrong)
		}
		if lost := regexp.MustCompile(`<div id="lost"[^>]* hidden>`); !lost.MatchString(body) || strings.Contains(body, "● live") {
			t.Errorf("%s says that it is live, or that it is not, and cannot know", path)
		}
		return body
	}
	bustest.WaitFor(t, "the run in the list", func() bool {
		_, body := httpGet(t, base+"/")
		return strings.Contains(body, `data-label="Median score"`)
	})
	want("/", `<span class="quiet">as of <time datetime="`, `<a href="/runs/run-small">run-small</a>`, "Offer invoices as PDF files", `gate-proceed">proceed</strong> guide, service`, "0.0 % perfect", "14 found",
		`<form class="filter" action="/" method="get"`, `name="q"`, `name="state"`, `name="doubt"`, `<button type="submit">Show</button>`)
	for path, finds := range map[string]bool{"/?q=invoices": true, "/?q=nothing": false, "/?state=scored": true, "/?state=waiting": false, "/?doubt=1": false} {
		if text := want(path); strings.Contains(text, "/runs/run-small") != finds || !finds && !strings.Contains(text, `No run fits. <a href="/">Show all 1</a>`) {
			t.Errorf("%s: to be found is %v\n%s", path, finds, text)
		}
	}
	page := want("/runs/run-small", "as of ", "Shadow Score: run-small", "All scores", " % →", "SHADOW HARDENING")
	links := regexp.MustCompile(`<a href="(/runs/run-small/(report\.[^"]+))" download>`).FindAllStringSubmatch(page, -1)
	if len(links) != 6 {
		t.Errorf("the links are %q", links)
	}
	for _, link := range links {
		res, err := http.Get(base + link[1])
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if want := fmt.Sprintf("attachment; filename=%q", "run-small."+link[2]); res.StatusCode != http.StatusOK || res.Header.Get("Content-Disposition") != want {
			t.Errorf("%s: %s %v", link[1], res.Status, res.Header)
		}
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
