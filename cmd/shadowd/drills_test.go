//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/fulltest"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestDrills sets up each fault of docs/troubleshooting.md and compares what the daemon shows with what stands there.
func TestDrills(t *testing.T) {
	fulltest.Only(t)
	page := readFile(t, filepath.Join(repository, "docs", "troubleshooting.md"))
	drills := []struct {
		heading string
		play    func(*drill)
	}{
		{"The bus is down", busDown},
		{"The login is wrong", wrongLogin},
		{"The envelope key is missing", keyMissing},
		{"A stream is set wrongly", streamWrong},
		{"A stream was cut", streamCut},
		{"A judge is down", judgeDown},
		{"The disk is full", diskFull},
		{"IN is full", inFull},
		{"A clock is wrong", clockWrong},
		{"Events pile up", backlog},
		{"An event cannot be read", poison},
		{"A seal is broken", sealBroken},
	}
	// One more is for authors of events: TestPublishTimesOut, in docs/examples, has it.
	if n := strings.Count(page, "\n## ") - 1; n != len(drills) {
		t.Errorf("the page has %d sections, and there are %d drills", n, len(drills))
	}
	for _, c := range drills {
		t.Run(c.heading, func(t *testing.T) {
			t.Parallel()
			_, section, ok := strings.Cut(page, "\n## "+c.heading+"\n")
			if !ok {
				t.Fatal("the page does not have it")
			}
			section, _, _ = strings.Cut(section, "\n## ")
			d := &drill{t: t, rows: rowsOf(section), dir: t.TempDir(), compared: map[string]bool{}}
			for _, place := range []string{"log", "/readyz", "shadowd status", "metrics", "page", "alert"} {
				if d.rows[place] == "" {
					t.Errorf("the page does not say what %s shows", place)
				}
			}
			c.play(d)
			for place := range d.rows {
				if !d.compared[place] {
					t.Errorf("what %s shows is not compared", place)
				}
			}
		})
	}
}

// rowsOf is what a section says of each place: the row of its table and, for the log, the errors below it.
func rowsOf(section string) map[string]string {
	rows := map[string]string{}
	for line := range strings.Lines(section) {
		cells := strings.SplitN(strings.Trim(line, "| \n"), " | ", 2)
		if !strings.HasPrefix(line, "| ") || cells[0] == "where" {
			continue
		}
		for place := range strings.SplitSeq(cells[0], ", ") {
			rows[strings.Trim(place, "`")] += cells[1]
		}
	}
	rows["log"] += strings.Join(indented.FindAllString(section, -1), "\n")
	return rows
}

// drill is a daemon with a fault, and what the page says of it.
type drill struct {
	*running
	t        *testing.T
	rows     map[string]string // by the place that shows it
	compared map[string]bool
	dir      string // bus.data_dir
}

// run starts a daemon.
func (d *drill) run(config string) {
	d.t.Helper()
	d.running = startRun(d.t, config+onFreePort)
}

// own starts one with a server inside, and connects to it as its operator.
func (d *drill) own(config string) (*nats.Conn, jetstream.JetStream) {
	d.t.Helper()
	d.run(embedded(d.dir) + config)
	url := d.url() // then its key is there
	login, err := nats.NkeyOptionFromSeed(filepath.Join(d.dir, "operator.nk"))
	if err != nil {
		d.t.Fatal(err)
	}
	nc := connected(d.t, url, login)
	js, err := jetstream.New(nc)
	if err != nil {
		d.t.Fatal(err)
	}
	return nc, js
}

// said: the page quotes the text where it says what a place shows.
func (d *drill) said(place, text string) {
	d.t.Helper()
	d.compared[place] = true
	if !strings.Contains(d.rows[place], text) {
		d.t.Errorf("of %s the page does not quote %q", place, text)
	}
}

// logs waits until the log has a text, which the page quotes.
func (d *drill) logs(text string) {
	d.t.Helper()
	d.said("log", text)
	d.says(regexp.QuoteMeta(text))
}

// ends waits until the daemon has ended with an error that the page quotes.
func (d *drill) ends(texts ...string) {
	d.t.Helper()
	d.wantExit(hint.ExitFailed)
	for _, text := range texts {
		d.said("log", text)
		if !strings.Contains(d.log(), text) {
			d.t.Errorf("the daemon does not say %q:\n%s", text, d.log())
		}
	}
}

// gone: the daemon has ended, and every place but the log shows only that.
func (d *drill) gone() {
	d.t.Helper()
	d.status("no shadowd answers")
	for place, path := range map[string]string{"/readyz": "/readyz", "metrics": "/metrics", "page": "/"} {
		d.said(place, "nobody answers")
		// Another test's server may have the port by now, and speaks no HTTP.
		if res, err := http.Get(d.http() + path); err == nil {
			_ = res.Body.Close()
			d.t.Errorf("%s answers: %s", path, res.Status)
		}
	}
	d.alert("ShadowdDown", "shadowd_build_info")
}

// alert: the page names an alert, and it is one on this metric. promtool tests that it fires.
func (d *drill) alert(name, metric string) {
	d.t.Helper()
	d.said("alert", name)
	rules := readFile(d.t, filepath.Join(repository, "deploy", "prometheus", "alerts.yml"))
	_, rule, _ := strings.Cut(rules, "- alert: "+name+"\n")
	expression, _, _ := strings.Cut(rule, "labels:")
	if !strings.Contains(expression, metric) {
		d.t.Errorf("there is no alert %s on %s", name, metric)
	}
}

// ready waits until /readyz is 200, or 503 with a line. The page quotes either.
func (d *drill) ready(line string) {
	d.t.Helper()
	if line == "ok" {
		d.said("/readyz", "200")
	} else {
		d.said("/readyz", line)
	}
	bustest.WaitFor(d.t, "readyz: "+line, func() bool {
		code, body := httpGet(d.t, d.http()+"/readyz")
		return strings.Contains(body, line) && (code == http.StatusOK) == (line == "ok")
	})
}

// status waits until shadowd status has a text, which the page quotes.
func (d *drill) status(text string) {
	d.t.Helper()
	d.said("shadowd status", text)
	config := written(d.t, "status.yml", fmt.Sprintf("http: {listen: %q}\n", strings.TrimPrefix(d.http(), "http://")))
	bustest.WaitFor(d.t, "status: "+text, func() bool {
		_, out, errs := ended(d.t, nil, "status", "--config", config)
		return strings.Contains(out+errs, text)
	})
}

// metric waits until /metrics has a sample, which the page quotes.
func (d *drill) metric(sample string) {
	d.t.Helper()
	d.said("metrics", sample)
	bustest.WaitFor(d.t, "metric: "+sample, func() bool {
		_, text := httpGet(d.t, d.http()+"/metrics")
		return strings.Contains(text, "\n"+sample+"\n")
	})
}

// shows waits until a path of the page has a text, which docs/troubleshooting.md quotes.
func (d *drill) shows(path, text string) {
	d.t.Helper()
	d.said("page", text)
	bustest.WaitFor(d.t, "page "+path+": "+text, func() bool {
		_, page := httpGet(d.t, d.http()+path)
		return strings.Contains(tags.ReplaceAllString(page, ""), text)
	})
}

// tags are what is no text that stands there: the words of a choice are none.
var tags = regexp.MustCompile(`<option.*?</option>|<[^>]*>`)

// command runs a command that the page quotes with what it prints.
func (d *drill) command(says string, args ...string) {
	d.t.Helper()
	d.said("shadowd "+args[0], says)
	env := []string{"SHADOWD_BUS_URL=" + d.url(), "SHADOWD_BUS_NKEY=" + filepath.Join(d.dir, "operator.nk"), "SHADOWD_ENVELOPE_KEY=" + filepath.Join(d.dir, "envelope.nk")}
	bustest.WaitFor(d.t, strings.Join(args, " ")+": "+says, func() bool {
		_, out, errs := ended(d.t, env, args...)
		return strings.Contains(out+errs, says)
	})
}

// swarm publishes the decomposition of a run with one domain, and waits for the seal.
func (d *drill) swarm(nc *nats.Conn, run string) {
	d.t.Helper()
	sealed := hears(d.t, nc, "swarm.envelope-sealed."+run)
	says(d.t, nc, "swarm.decomposition-done."+run, shadow.DecompositionDone, map[string]any{
		"run_id": run, "scale": "ss-50", "task": "Move the queues",
		"domains": []any{map[string]any{"domain": "service", "commander_id": "cmd-1", "sub_tasks": []string{"Move the queues"}}},
	})
	next(d.t, d.running, sealed)
}

// work hands in a bundle.
func (d *drill) work(nc *nats.Conn, run string) {
	d.t.Helper()
	says(d.t, nc, "swarm.bundle-complete."+run+".cmd-1", shadow.BundleComplete, workOf(run))
}

func workOf(run string) any {
	return map[string]any{
		"run_id": run, "bundle_id": "b", "domain": "service", "commander_id": "cmd-1", "status": "success", "content": "# The work\n\nThe three queues were moved to the new cluster on Monday.\n",
	}
}

func busDown(d *drill) {
	broker := bustest.Server(d.t)
	d.run(fmt.Sprintf("bus: {url: %q, data_dir: %q, max_bytes: 100MiB}\n", broker.URL(), d.dir))
	d.ready("ok")
	broker.Stop()
	d.logs("connection to the bus lost")
	d.logs("no connection to the bus")
	d.ready("no connection to the bus")
	d.status("connection  none")
	d.metric("shadowd_ready 0")
	d.shows("/", "shadowd cannot work: no connection to the bus. What is shown here may be old.")
	broker.Start(d.t)
	d.logs("connected to the bus again")
	d.ready("ok")
	d.metric("shadowd_bus_reconnects_total 1")
	d.alert("ShadowdNotReady", "shadowd_ready")
	if n := strings.Count(d.log(), `"WARN","msg":"no connection to the bus"`); n != 1 {
		d.t.Errorf("the outage is told %d times:\n%s", n, d.log())
	}
}

func wrongLogin(d *drill) {
	broker := bustest.Secured(d.t, &server.User{Username: "shadowd", Password: "right"}, &server.NkeyUser{Nkey: bustest.UserKey(d.t)})
	d.run(fmt.Sprintf("bus: {url: %q, data_dir: %q, max_bytes: 100MiB}\n", strings.Replace(broker.URL(), "nats://", "nats://shadowd:wrong@", 1), d.dir))
	d.ends("Authorization Violation: check the user, password, nkey or credentials file")
	d.gone()
}

func keyMissing(d *drill) {
	nc, _ := d.own("")
	d.swarm(nc, "run-1")
	d.signal(syscall.SIGTERM)
	d.wantExit(hint.ExitClean)
	if err := os.Remove(filepath.Join(d.dir, "envelope.nk")); err != nil {
		d.t.Fatal(err)
	}
	d.run(embedded(d.dir))
	defer d.gone()
	d.ends("envelope.nk is missing, and the bus is claimed for X",
		"restore the key from its backup, or point keys.envelope at the key of the other daemons on this bus; docs/keys.md says what to do if it is lost")
}

func streamWrong(d *drill) {
	broker := bustest.Server(d.t)
	_, js := broker.Connect(d.t)
	if _, err := js.CreateStream(d.t.Context(), jetstream.StreamConfig{Name: layout.StreamIn, Subjects: []string{"swarm.decomposition-done.*", "swarm.envelope-sealed.*", "swarm.bundle-complete.*.*", "swarm.fix-submitted.*.*"}, MaxMsgsPerSubject: 1, Storage: jetstream.MemoryStorage}); err != nil {
		d.t.Fatal(err)
	}
	d.run(fmt.Sprintf("bus: {url: %q, data_dir: %q, max_bytes: 100MiB}\n", broker.URL(), d.dir))
	defer d.gone()
	d.ends("preparing the bus: what exists on the server breaks promises of shadowd:",
		"stream IN: storage is memory, not file",
		"stream IN: max_msgs_per_subject is 1, not -1")
}

// Somebody deletes IN, and another daemon makes it anew.
func streamCut(d *drill) {
	broker := bustest.Server(d.t)
	nc, js := broker.Connect(d.t)
	config := fmt.Sprintf("bus: {url: %q, data_dir: %q, max_bytes: 100MiB}\n", broker.URL(), d.dir)
	d.run(config)
	d.says(`"msg":"ready"`)
	d.swarm(nc, "run-1")
	scored := hears(d.t, nc, "swarm.gap-report.run-1.service.0")
	d.work(nc, "run-1")
	next(d.t, d.running, scored)
	if err := js.DeleteStream(d.t.Context(), layout.StreamIn); err != nil {
		d.t.Fatal(err)
	}
	if _, err := layout.Ensure(d.t.Context(), layout.Subjects{}, js, layout.StorageConfig{}); err != nil {
		d.t.Fatal(err)
	}
	const cut, way = "IN ends at sequence 0, and sequence ", "restore IN, OUT and SHADOW_ENVELOPES from one backup, or remove all three, and start shadowd again"
	d.ends(cut, way)
	d.gone()
	d.run(config)
	d.ends(cut, way)
}

func judgeDown(d *drill) {
	nc, _ := d.own("judging: {panel: [{model: gone}]}\nmodels: [{name: gone, model: \"http://127.0.0.1:1/v1#gone-1\", family: gone}]\n")
	d.swarm(nc, "run-1")
	d.work(nc, "run-1")
	d.logs("a judge is out of reach, and bundles wait for it")
	d.logs("no connection: dial tcp 127.0.0.1:1: connect: connection refused, 4 times")
	d.ready("ok")
	d.status("1 bundle waiting for judge gone, which is out of reach since")
	d.metric(`shadowd_bundles_awaiting_judge{judge="gone"} 1`)
	d.alert("ShadowdJudgeAway", "shadowd_bundles_awaiting_judge")
	d.alert("ShadowdJudgeSilent", `shadowd_judge_votes_total{outcome="none"}`)
	d.shows("/", "waiting")
}

// fill publishes until nothing is stored any more.
func (d *drill) fill(size int) {
	js := jetStream(d.t, d.url())
	for err := error(nil); err == nil; {
		_, err = js.Publish(d.t.Context(), "swarm.bundle-complete.run-1.cmd-1", []byte(strings.Repeat("x", size)), jetstream.WithRetryAttempts(0))
	}
}

func diskFull(d *drill) {
	d.running = startAs(d.t, fmt.Sprintf("bus: {listen: \"127.0.0.1:0\", data_dir: %q, max_bytes: 100MB}\n%s", d.dir, onFreePort), "sh", "-c", `ulimit -f 512 && exec shadowd run --config "$0"`)
	d.fill(20 << 10)
	d.ends("the embedded nats-server cannot store: JetStream failed to store a msg on stream 'SHADOW > IN': ",
		"(bus.data_dir) and start shadowd again; nothing that was acknowledged is lost")
	d.gone()
}

func inFull(d *drill) {
	d.run(fmt.Sprintf("bus: {listen: \"127.0.0.1:0\", data_dir: %q, max_bytes: 2MiB}\n", d.dir))
	d.fill(900 << 10)
	d.logs("the bus does not store")
	d.ready("IN is full: ")
	d.ready("(bus.max_bytes) are used")
	d.status("of 2097152 bytes")
	d.status("not ready: ")
	d.metric("shadowd_in_max_bytes 2.097152e+06")
	d.shows("/", "IN is full: ")
	d.metric("shadowd_ready 0")
	d.alert("ShadowdInFull", "shadowd_in_bytes")
	d.alert("ShadowdNotReady", "shadowd_ready")
}

// The commander's clock says that it is 1999.
func clockWrong(d *drill) {
	nc, js := d.own("")
	d.swarm(nc, "run-1")
	reported := hears(d.t, nc, "swarm.gap-report.run-1.service.0")
	data, err := json.Marshal(workOf("run-1"))
	if err != nil {
		d.t.Fatal(err)
	}
	late := fmt.Appendf(nil, `{"specversion":"1.0","id":"1","source":"/t","type":%q,"time":"1999-12-31T23:59:59Z","data":%s}`, shadow.Type(shadow.BundleComplete), data)
	ack, err := js.Publish(d.t.Context(), "swarm.bundle-complete.run-1.cmd-1", late)
	if err != nil {
		d.t.Fatal(err)
	}
	var report struct{ Time time.Time }
	if err := json.Unmarshal((<-reported).Data, &report); err != nil {
		d.t.Fatal(err)
	}
	in, err := js.Stream(d.t.Context(), layout.StreamIn)
	if err != nil {
		d.t.Fatal(err)
	}
	stored, err := in.GetMsg(d.t.Context(), ack.Sequence)
	if err != nil || !report.Time.Equal(stored.Time) {
		d.t.Errorf("the report is of %s, and the bundle was stored at %s, %v", report.Time, stored.Time, err)
	}
	d.ready("ok")
	d.said("alert", "none")
	places := map[string]string{"log": d.log()}
	for place, path := range map[string]string{"shadowd status": "/status", "metrics": "/metrics", "page": "/runs/run-1"} {
		_, places[place] = httpGet(d.t, d.http()+path)
	}
	for place, shown := range places {
		d.said(place, "nothing of it")
		if shown == "" || strings.Contains(shown, "1999") || strings.Contains(shown, "clock is") {
			d.t.Errorf("%s speaks of the clock:\n%s", place, shown)
		}
	}
}

func backlog(d *drill) {
	nc, _ := d.own("")
	for i := range 3 {
		d.work(nc, fmt.Sprintf("run-%d", i))
	}
	d.metric("shadowd_events_waiting 3")
	d.ready("ok")
	d.status("3 since the first that has no outcome")
	d.alert("ShadowdBacklog", "shadowd_events_waiting")
	d.swarm(nc, "run-decomposed")
	d.shows("/", "waiting")
	if _, page := httpGet(d.t, d.http()+"/"); !strings.Contains(page, "run-decomposed") || strings.Contains(page, "run-0") {
		d.t.Errorf("the page lists other runs than the one that was decomposed:\n%s", page)
	}
	d.logs("an event waits")
	d.says(`"INFO","msg":"received","run":"run-2","domain":"service","cycle":0,"commander":"cmd-1"`)
}

func poison(d *drill) {
	nc, _ := d.own("")
	d.swarm(nc, "run-1")
	rejected := hears(d.t, nc, "swarm.event-rejected.cmd-1.*")
	if _, err := nc.Request("swarm.bundle-complete.run-1.cmd-1", []byte("{"), patience); err != nil {
		d.t.Fatal(err)
	}
	d.logs("event rejected")
	d.ready("ok")
	d.status("event rejected: swarm.bundle-complete.run-1.cmd-1: not_a_cloudevent")
	d.alert("ShadowdCannotProcess", `shadowd_events_rejected_total{reason="cannot_process"}`)
	d.said("bus", "`event-rejected` for its author, with what to publish instead")
	if m := <-rejected; !strings.Contains(string(m.Data), `"resubmit":"`) {
		d.t.Errorf("the author is told %s", m.Data)
	}
	d.metric(`shadowd_events_rejected_total{event="bundle-complete",reason="not_a_cloudevent"} 1`)
	d.shows("/runs/run-1", "Rejected events")
}

func sealBroken(d *drill) {
	nc, js := d.own("")
	d.swarm(nc, "run-1")
	kv, err := js.KeyValue(d.t.Context(), layout.BucketEnvelopes)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := kv.PutString(d.t.Context(), "run-1", "easy criteria"); err != nil {
		d.t.Fatal(err)
	}
	// The daemon that sealed the run judges by what it has committed to.
	d.signal(syscall.SIGTERM)
	d.wantExit(hint.ExitClean)
	nc, _ = d.own("")
	d.work(nc, "run-1")
	d.logs("seal broken")
	d.logs("seal broken: every criterion counts as not passed")
	d.metric(`shadowd_seals_broken_total{cause="envelope"} 1`)
	d.ready("ok")
	d.status("seal broken: every criterion counts as not passed")
	d.alert("ShadowdSealBroken", "shadowd_seals_broken_total")
	d.shows("/runs/run-1", "the seal is broken")
	d.command("the seal is broken: no verdict of this run can be trusted", "report", "run-1")
	d.command("seal-broken", "audit", "run-1")
}
