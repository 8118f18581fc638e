package bus

import (
	"flag"
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/fulltest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

var floodEvents = flag.Int("flood.events", 20_000, "bad events of TestFlood")

// engineOn starts an engine, and returns it too.
func (r *rig) engineOn(change ...func(*Config)) (e *Engine, stop func()) {
	r.t.Helper()
	stop = r.start(change...)
	return r.engine, stop
}

func (r *rig) awaitActive(e *Engine) {
	r.t.Helper()
	bustest.WaitFor(r.t, "an engine to be active", func() bool { active, _ := e.Active(); return active })
}

// TestOneIsActive: of two engines one stands by, and goes on at once where the other
// stops in order.
func TestOneIsActive(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first, stop := r.engineOn()
	r.awaitActive(first)
	second, _ := r.engineOn()
	r.sealRun("run-1")
	if active, other := second.Active(); active || second.Problem() != "" {
		t.Errorf("active %v beside %q, problem %q", active, other, second.Problem())
	}
	stop()
	if _, other := first.Active(); other != "" {
		t.Errorf("it says that it stands by for itself, %s", other)
	}
	r.bundle("run-1", "one", content(0))
	r.report("run-1", "one", 0)
	if active, _ := second.Active(); !active {
		t.Error("who stood by does not work")
	}
	r.checked()
}

// TestGivenBack: an engine that stands by for others gives the work back.
func TestGivenBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	spare, _ := r.engineOn(func(c *Config) { c.Standby = true })
	r.awaitActive(spare)
	r.sealRun("run-1")
	own, _ := r.engineOn()
	r.awaitActive(own)
	r.bundle("run-1", "one", content(0))
	r.report("run-1", "one", 0)
	bustest.WaitFor(t, "the spare one to stand by", func() bool { active, _ := spare.Active(); return !active })
}

// TestCutOff: an engine that loses its connection amid a flood that it rejects stops
// publishing, and another goes on: each event has one outcome, and the bundle behind the
// flood its report. Back again, the first one stands by.
func TestCutOff(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first, proxy := r.engineBehind()
	r.awaitActive(first)
	r.sealRun("run-1")
	second, _ := r.engineOn()
	const n = 3000
	for i := range n {
		if i == n/2 {
			bustest.WaitFor(t, "some outcomes", func() bool { return bustest.Count(t, r.store.Out) > n/100 })
			proxy.Cut()
		}
		r.sendRaw(&nats.Msg{Subject: layout.Subjects{}.Bundle("run-1", "cmd-1"), Data: []byte("no event")})
	}
	r.bundle("run-1", "one", content(0))
	r.report("run-1", "one", 0)
	bustest.WaitFor(t, "the one that is cut off to notice", func() bool { return !first.lease.active() })
	proxy.Mend()
	r.bundle("run-1", "two", content(5))
	r.report("run-1", "two", 0)
	if active, _ := second.Active(); !active {
		t.Error("the other one is not active")
	}
	if got := r.checked(); got[shadow.EventRejected] != n || got[shadow.GapReport] != 2 {
		t.Errorf("%v", got)
	}
}

// engineBehind runs an engine whose connection can be cut.
func (r *rig) engineBehind(change ...func(*Config)) (*Engine, *bustest.Link) {
	r.t.Helper()
	proxy := bustest.Proxy(r.t, r.broker.URL())
	nc := bustest.Must(nats.Connect(proxy.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond)))
	r.t.Cleanup(nc.Close)
	js := bustest.Must(jetstream.New(nc))
	cfg := r.cfg
	for _, f := range change {
		f(&cfg)
	}
	e := NewEngine(r.ensure(js), cfg)
	r.serve(e)
	return e, proxy
}

// TestCutOffAtDeadline: the active engine is cut off, and while nobody is active one fix
// comes in time and another does not come. Whoever goes on takes the one, and ends the
// cycle of the other.
func TestCutOffAtDeadline(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.Settings.FixTimeout = 2 * time.Second })
	first, proxy := r.engineBehind()
	r.awaitActive(first)
	r.sealRun("run-1")
	r.engineOn()
	for _, domain := range []string{"one", "two"} {
		r.bundle("run-1", domain, content(5))
	}
	for _, domain := range []string{"one", "two"} {
		r.await(r.store.Out, layout.Subjects{}.HardeningRequest(commanderOf(domain), "run-1", domain, 1))
	}
	proxy.Cut() // for longer than the fix has
	fix := r.fix("run-1", "one", 1, content(0))
	asked := bustest.Must(r.store.In.GetMsg(t.Context(), fix))
	one, two := r.report("run-1", "one", 1), r.report("run-1", "two", 1)
	inTime := asked.Time.Before(r.await(r.store.Out, layout.Subjects{}.GapReport("run-1", "one", 0)).Time.Add(2 * time.Second))
	if one.Swarm.Hardening.TimedOut == inTime || !two.Swarm.Hardening.TimedOut {
		t.Errorf("in time %v, and timed out: %v, %v", inTime, one.Swarm.Hardening.TimedOut, two.Swarm.Hardening.TimedOut)
	}
	proxy.Mend()
	r.await(r.store.Out, layout.Subjects{}.RunScored("run-1"))
	r.checked()
}

// TestClocksApart: the clock of the active engine is a minute fast, and that of the one
// that goes on slow. The times of the bus alone say which fix is late.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	const timeout = time.Second
	r := newRig(t, func(c *Config) { c.Settings.FixTimeout = timeout })
	off := func(d time.Duration) func(*Config) {
		return func(c *Config) { c.now = func() time.Time { return time.Now().Add(d) } }
	}
	first, proxy := r.engineBehind(off(time.Minute))
	r.awaitActive(first)
	r.engineOn(off(-3 * time.Second))
	for _, run := range []string{"run-1", "run-2"} {
		r.sealRun(run)
		r.bundle(run, "one", content(5))
		r.bundle(run, "two", content(5))
		due := map[string]time.Time{}
		for _, domain := range []string{"one", "two"} {
			due[domain] = r.await(r.store.Out, layout.Subjects{}.GapReport(run, domain, 0)).Time.Add(timeout)
		}
		fix := bustest.Must(r.store.In.GetMsg(t.Context(), r.fix(run, "one", 1, content(0))))
		if timedOut := r.report(run, "one", 1).Swarm.Hardening.TimedOut; timedOut == fix.Time.Before(due["one"]) {
			t.Errorf("%s: a fix at %s, due %s, timed out %v", run, fix.Time, due["one"], timedOut)
		}
		if h := r.report(run, "two", 1).Swarm.Hardening; !h.TimedOut || !h.Tick.Time.After(due["two"]) {
			t.Errorf("%s: without a fix, due %s: %+v", run, due["two"], h)
		}
		r.await(r.store.Out, layout.Subjects{}.RunScored(run))
		proxy.Cut()
	}
	proxy.Mend()
	r.checked()
}

// TestLeadersStepDown: on three nodes that store all three times, the leaders of the
// streams step down amid work, as in an upgrade of the servers.
func TestLeadersStepDown(t *testing.T) {
	t.Parallel()
	nodes := bustest.Cluster(t, 3)
	nc, js := nodes.Connect(t)
	ensure(t, js, layout.StorageConfig{Replicas: 3})
	r := newRigOn(t, nodes[0])
	first, _ := r.engineOn()
	r.awaitActive(first)
	r.engineOn()
	streams := []string{layout.StreamIn, layout.StreamOut, "KV_" + layout.BucketEnvelopes, "KV_" + layout.BucketLease}
	for _, name := range streams {
		r.sealRun(name)
		r.bundle(name, "one", content(0))
		r.bundle(name, "two", content(5))
		if m, err := nc.Request("$JS.API.STREAM.LEADER.STEPDOWN."+name, nil, 10*time.Second); err != nil || !strings.Contains(string(m.Data), `"success":true`) {
			t.Fatalf("%s: %+v, %v", name, m, err)
		}
		r.report(name, "one", 0)
		r.report(name, "two", 0)
		bustest.WaitFor(t, "a leader of "+name, func() bool {
			s, err := js.Stream(t.Context(), name)
			return err == nil && s.CachedInfo().Cluster.Leader != ""
		})
	}
	for _, name := range streams {
		r.fix(name, "two", 1, content(0))
		r.await(r.store.Out, layout.Subjects{}.RunScored(name))
	}
	if got := r.checked(); got[shadow.GapReport] != 3*len(streams) {
		t.Errorf("%v", got)
	}
}

// TestStopped: the active daemon, a process of its own, is stopped by SIGSTOP amid
// work. Another goes on, and the first one, back again, changes nothing.
func TestStopped(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	bin := buildShadowd(t)
	broker := bustest.Server(t)
	in := install(t, bin, fmt.Sprintf("url: %q", broker.URL()))
	first := bustest.Must(in.start())
	<-first.ready
	second := bustest.Must(in.start())
	<-second.ready
	r := &rig{t: t, broker: broker}
	_, r.js = broker.Connect(t)
	r.store = r.ensure(r.js)
	r.decompose(twoDomains("run-0"))
	r.await(r.store.In, layout.Subjects{}.Commitment("run-0"))
	var longest time.Duration
	stopped := false
	for i := 1; i <= 24; i++ {
		run := fmt.Sprint("run-", i)
		began := time.Now()
		r.decompose(twoDomains(run))
		if i == 8 {
			bustest.OK(t, first.cmd.Process.Signal(syscall.SIGSTOP))
			stopped = true
		}
		r.bundle(run, "one", content(0))
		r.bundle(run, "two", content(0))
		r.await(r.store.Out, layout.Subjects{}.RunScored(run))
		longest = max(longest, time.Since(began))
		if i == 16 && stopped {
			bustest.OK(t, first.cmd.Process.Signal(syscall.SIGCONT))
		}
	}
	t.Logf("the longest run took %s", longest)
	for _, p := range []*process{first, second} {
		if code, err := p.stop(t.Context()); err != nil || code != 0 {
			t.Errorf("stopped with exit code %d, %v\n%s", code, err, p.said())
		}
	}
	key := readKey(t, in.keyFile())
	defer key.Wipe()
	got := checkLog(t, r.store, key)
	if got[shadow.RunScored] != 24 || got[shadow.DomainSettled] != 48 {
		t.Errorf("%v", got)
	}
}

// TestFlood: behind events of one author that are all rejected, those of others have
// their turn at once.
func TestFlood(t *testing.T) {
	t.Parallel()
	r := newStarted(t)
	bad := []byte(strings.Repeat("x", 1000))
	r.flood(*floodEvents, func(int) *nats.Msg { return &nats.Msg{Subject: layout.Subjects{}.Bundle("run-1", "cmd-1"), Data: bad} })
	began := time.Now()
	r.bundle("run-1", "two", content(0))
	r.report("run-1", "two", 0)
	took := time.Since(began)
	floor := bustest.Must(Floor(t.Context(), r.js))
	t.Logf("judged %s after %d bad events, of which %d had their outcome", took, *floodEvents, floor.Events)
	r.settle()
	info, err := r.store.Out.Info(t.Context(), jetstream.WithSubjectFilter(layout.Subjects{}.Rejected("cmd-1", 0)[:len("swarm.event-rejected.cmd-1.")]+"*"))
	if err != nil || len(info.State.Subjects) != *floodEvents {
		t.Errorf("%d rejections, %v", len(info.State.Subjects), err)
	}
}

// TestPaused: somebody pauses the consumer that IN is read by. Another one is made.
func TestPaused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	e, _ := r.engineOn()
	r.awaitActive(e)
	r.sealRun("run-1")
	paused := 0
	for c := range r.store.In.ListConsumers(t.Context()).Info() {
		if len(c.Config.FilterSubjects) > 0 {
			continue // it has read what it was for
		}
		bustest.Must(r.js.PauseConsumer(t.Context(), layout.StreamIn, c.Name, time.Now().Add(time.Hour)))
		paused++
	}
	if paused != 1 {
		t.Fatalf("%d consumers of IN", paused)
	}
	r.bundle("run-1", "one", content(0))
	r.report("run-1", "one", 0)
}

// TestOutLost: OUT has lost what was stored, though the floor stands. What is missing
// is made anew, and told.
func TestOutLost(t *testing.T) {
	t.Parallel()
	var log syncBuffer
	r := newStarted(t, func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	r.bundle("run-1", "one", content(0))
	r.bundle("run-1", "two", content(0))
	r.await(r.store.Out, layout.Subjects{}.RunScored("run-1"))
	r.ends()
	bustest.OK(t, r.js.DeleteStream(t.Context(), layout.StreamOut))
	r.store = r.ensure(r.js)
	r.start()
	r.await(r.store.Out, layout.Subjects{}.RunScored("run-1"))
	if n := r.checked(); n[shadow.GapReport] != 2 || !strings.Contains(log.String(), "OUT has lost outputs") {
		t.Errorf("%v\n%s", n, log.String())
	}
}
