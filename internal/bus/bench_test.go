package bus

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
)

// The benchmarks play the demo's run, whose bundles have 160 to 850 words, by
// the built-in author's 8 criteria. Hardening is off, so that one bundle is
// one report; nothing else of the daemon's work is left out.

// demoRun is the demo's decomposition and its bundles' data, by domain.
func demoRun(b *testing.B) (*shadow.Decomposition, map[string]map[string]any) {
	b.Helper()
	dir := filepath.Join("..", "play", "demo")
	d := &shadow.Decomposition{}
	readJSON(b, filepath.Join(dir, "decomposition.json"), d)
	bundles := map[string]map[string]any{}
	for _, dom := range d.Domains {
		fields := map[string]any{}
		readJSON(b, filepath.Join(dir, "bundles", dom.Domain+".json"), &fields)
		text, err := os.ReadFile(filepath.Join(dir, "bundles", dom.Domain+".md"))
		if err != nil {
			b.Fatal(err)
		}
		fields["content"] = string(text)
		bundles[dom.Domain] = fields
	}
	return d, bundles
}

func readJSON(b *testing.B, file string, v any) {
	b.Helper()
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// benchRig is a rig with sealed runs for n bundles.
func benchRig(b *testing.B, n int) (*rig, []*nats.Msg) {
	b.Helper()
	r := newRig(b, func(c *Config) { c.Filler, c.Settings.MaxCycles = rules.New(rand.Reader), 0 })
	stop := r.start()
	d, bundles := demoRun(b)
	var msgs []*nats.Msg
	for i := 0; len(msgs) < n; i++ {
		d.RunID = fmt.Sprint("run-", i)
		r.decompose(d)
		for _, dom := range d.Domains {
			data := bundles[dom.Domain]
			data["run_id"] = d.RunID
			msgs = append(msgs, &nats.Msg{Subject: layout.Subjects{}.Bundle(d.RunID, dom.CommanderID), Data: eventBytes(b, dom.Domain, shadow.BundleComplete, data)})
		}
	}
	r.settle()
	stop()
	return r, msgs[:n]
}

func (r *rig) publishAll(msgs []*nats.Msg) {
	r.t.Helper()
	for _, m := range msgs {
		if _, err := r.js.PublishMsgAsync(m); err != nil {
			r.t.Fatal(err)
		}
	}
	<-r.js.PublishAsyncComplete()
}

// BenchmarkBundles judges b.N bundles that are waiting in IN, and then moves
// the same messages the same way without judging: each bundle is delivered, a
// report is published once, and the bundle is acknowledged. It prints both
// rates and how many times as long judging takes.
func BenchmarkBundles(b *testing.B) {
	n := max(b.N, 500)
	judged, msgs := benchRig(b, n)
	judged.publishAll(msgs)
	b.ResetTimer()
	start := time.Now()
	stop := judged.start()
	judged.settle()
	took := time.Since(start)
	b.StopTimer()
	stop()

	report := judged.await(judged.store.Out, layout.Subjects{}.GapReport("run-0", "testing", 0))
	bare, msgs := benchRig(b, n)
	bare.publishAll(msgs)
	start = time.Now()
	stop = bare.floor(report)
	bare.settle()
	floor := time.Since(start)
	stop()
	b.ReportMetric(float64(n)/took.Seconds(), "bundles/s")
	b.ReportMetric(float64(n)/floor.Seconds(), "floor/s")
	b.ReportMetric(took.Seconds()/floor.Seconds(), "times-floor")
}

// floor makes the engine's traffic for each bundle, with a report of the usual
// size and no thought.
func (r *rig) floor(report *jetstream.RawStreamMsg) (stop func()) {
	r.t.Helper()
	_, js := r.broker.Connect(r.t)
	store, out := r.ensure(js), js
	loop := newJudgeLoop(store, func(ctx context.Context, m *message) error {
		a, err := store.Parse(m.Subject)
		if err != nil {
			return err
		}
		// The commander stands for its domain: each has one.
		subject := store.GapReport(a.Run, a.Commander, 0)
		_, err = out.PublishMsg(ctx, &nats.Msg{Subject: subject, Header: nats.Header{"Content-Type": {event.ApplicationCloudEventsJSON}}, Data: report.Data}, jetstream.WithExpectLastSequenceForSubject(0, subject))
		return err
	}, false)
	loop.log, loop.views = r.cfg.Logger, newViews(store.Subjects, &r.cfg)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- loop.run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			r.t.Error(err)
		}
	}
}

// BenchmarkOne measures one bundle alone, from the start of its publish to the
// moment that its report is stored and seen.
func BenchmarkOne(b *testing.B) {
	n := max(b.N, 200)
	r, msgs := benchRig(b, n)
	defer r.start()()
	cons, err := r.js.OrderedConsumer(b.Context(), layout.StreamOut, jetstream.OrderedConsumerConfig{FilterSubjects: []string{"swarm.gap-report.>"}})
	if err != nil {
		b.Fatal(err)
	}
	seen := make(chan struct{})
	cc, err := cons.Consume(func(jetstream.Msg) { seen <- struct{}{} })
	if err != nil {
		b.Fatal(err)
	}
	defer func() { cc.Stop(); <-cc.Closed() }()
	times := make([]time.Duration, 0, n)
	b.ResetTimer()
	for _, m := range msgs {
		start := time.Now()
		if err := r.js.Conn().PublishMsg(m); err != nil {
			b.Fatal(err)
		}
		<-seen
		times = append(times, time.Since(start))
	}
	b.StopTimer()
	slices.Sort(times)
	b.ReportMetric(float64(times[n/2].Microseconds()), "µs-p50")
	b.ReportMetric(float64(times[n*99/100].Microseconds()), "µs-p99")
	r.settle()
}
