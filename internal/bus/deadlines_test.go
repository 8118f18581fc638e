package bus

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestSilentCommander: the deadline ends a domain, and a fix after it is late.
func TestSilentCommander(t *testing.T) {
	var log syncBuffer
	r := newRig(t, func(c *Config) {
		c.Settings.FixTimeout, c.Logger = 300*time.Millisecond, slog.New(slog.NewTextHandler(&log, nil))
	})
	r.start()
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(5))
	r.bundle("run-1", "two", content(0))
	rep := r.report("run-1", "one", 1)
	s := rep.Swarm
	if !s.Final || !s.Hardening.TimedOut || s.Score.Failed != 5 || s.Gate.Action != shadow.Reject || len(s.Hardening.Escalate) != 5 || rep.Hardening.CyclesCompleted != 0 {
		t.Errorf("%+v %+v", s, rep.Hardening)
	}
	r.wantRejected("cmd-1", r.fix("run-1", "one", 1, content(0)), shadow.Late)
	data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
	if said := log.String(); !strings.Contains(said, `msg="no fix came in time" run=run-1 domain=one cycle=1`) || strings.Contains(said, "msg=judged run=run-1 domain=one cycle=1") {
		t.Errorf("the log says\n%s", said)
	}
}

// askForFix has an engine judge a bundle that needs a fix, and stops it once the
// deadline is set.
func (r *rig) askForFix() {
	r.t.Helper()
	stop := r.start()
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(5))
	r.await(r.store.Out, layout.Subjects{}.DomainTimer("run-1", "one", 1).Both) // set, or fired already
	r.settle()
	stop()
}

// TestTimelyFixSlowDaemon: a fix that was stored in time counts, however late
// the daemon gets to it.
func TestTimelyFixSlowDaemon(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.Settings.FixTimeout = 6 * time.Second })
	r.askForFix()
	r.fix("run-1", "one", 1, content(0))
	r.await(r.store.Out, layout.Subjects{}.DomainTimer("run-1", "one", 1).Fired) // nobody listens
	r.start()
	if s := r.report("run-1", "one", 1).Swarm; s.Hardening.TimedOut || s.Score.Failed != 0 {
		t.Errorf("%+v", s)
	}
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}

// TestLateFixBeforeTimer: a fix stored after the deadline is late even if the
// deadline has not been processed.
func TestLateFixBeforeTimer(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Settings.FixTimeout = 200 * time.Millisecond })
	r.askForFix()
	r.await(r.store.Out, layout.Subjects{}.DomainTimer("run-1", "one", 1).Fired)
	seq := r.fix("run-1", "one", 1, content(0))
	r.start()
	r.wantRejected("cmd-1", seq, shadow.Late)
	if s := r.report("run-1", "one", 1).Swarm; !s.Hardening.TimedOut {
		t.Errorf("%+v", s)
	}
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}

// TestFixRacesTimer sends fixes around their deadlines to two engines whose
// publishes fail now and then: each cycle has exactly one final report, and
// the stored times say which.
func TestFixRacesTimer(t *testing.T) {
	t.Parallel()
	const runs = 40
	r := newRig(t, func(c *Config) { c.Settings.FixTimeout = 300 * time.Millisecond })
	for range 2 {
		_, js := r.broker.Connect(t)
		r.start(func(c *Config) { c.Publisher = flaky(js, 0.1) })
	}
	var wg sync.WaitGroup
	for i := range runs {
		run := fmt.Sprint("run-", i)
		r.sealRun(run)
		r.bundle(run, "one", content(5))
		m := r.await(r.store.Out, layout.Subjects{}.GapReport(run, "one", 0))
		wg.Go(func() {
			// Around the deadline, which counts from the report.
			<-time.After(time.Until(m.Time.Add(300*time.Millisecond + time.Duration(rand.IntN(21)-10)*time.Millisecond)))
			r.fix(run, "one", 1, content(0))
		})
	}
	wg.Wait()
	timedOut := 0
	for i := range runs {
		if r.report(fmt.Sprint("run-", i), "one", 1).Swarm.Hardening.TimedOut {
			timedOut++
		}
	}
	t.Logf("%d of %d fixes were late", timedOut, runs)
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}

// TestRunDeadline: a run whose commander is silent ends incomplete, and a
// bundle after that is late.
func TestRunDeadline(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.Settings.RunTimeout = 5 * time.Second })
	r.start()
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(1))
	sum := data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
	if !sum.Incomplete || len(sum.Missing) != 1 || sum.Missing[0] != "two" || len(sum.Domains) != 1 {
		t.Errorf("%+v", sum)
	}
	r.wantRejected("cmd-2", r.bundle("run-1", "two", content(0)), shadow.Late)
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}

// TestRunDeadlineWaitsForFix: a domain that is being fixed has a deadline of
// its own, and the run waits for it.
func TestRunDeadlineWaitsForFix(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) {
		c.Settings.RunTimeout, c.Settings.FixTimeout = 4*time.Second, 8*time.Second
	})
	r.start()
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(5))
	r.await(r.store.Out, layout.Subjects{}.RunTimer("run-1").Fired)
	sum := data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
	if !sum.Incomplete || len(sum.Domains) != 1 || !sum.Domains[0].TimedOut {
		t.Errorf("%+v", sum)
	}
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}

// flaky loses publishes, and reports stored ones as failed, at a rate.
func flaky(js jetstream.JetStream, rate float64) *faultyPublisher {
	p := newFaulty(js)
	p.Plan(func(*nats.Msg) loss {
		switch x := rand.Float64(); {
		case x < rate/2:
			return lost
		case x < rate:
			return unreported
		}
		return unharmed
	})
	return p
}

// TestFaults: with publishes failing both ways, and engines stopped and
// started all the time, every outcome is stored once.
func TestFaults(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	l := layout.Subjects{}
	const runs = 30
	for i := range runs {
		run := fmt.Sprint("run-", i)
		r.decompose(twoDomains(run))
		r.bundle(run, "one", content(i%3))
		r.bundle(run, "two", content(5))
		r.fix(run, "two", 1, content(i%8))
	}
	steady, brief := flaky(r.js, 0.3), flaky(r.js, 0.3)
	stop := make(chan struct{})
	// An engine lives until one more of its publishes has failed: however slow
	// the machine, it has done something by then.
	live := func() bool {
		before := brief.Hits()
		end := r.start(func(c *Config) { c.Publisher = brief })
		defer end()
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for brief.Hits() == before {
			select {
			case <-stop:
				return false
			case <-tick.C:
			}
		}
		return true
	}
	live()
	r.start(func(c *Config) { c.Publisher = steady })
	var restarts sync.WaitGroup
	restarts.Go(func() {
		for live() {
		}
	})
	halt := sync.OnceFunc(func() {
		close(stop)
		restarts.Wait()
	})
	defer halt()
	for i := range runs {
		run := fmt.Sprint("run-", i)
		if i%3 == 2 {
			r.fix(run, "one", 1, content(0))
		}
		r.await(r.store.Out, l.RunScored(run))
	}
	halt()
	r.settle()
	if n := checkLog(t, r.store, r.cfg.Key); n[shadow.RunScored] != runs || n[shadow.GapReport] != 3*runs+runs/3 || n[shadow.EventRejected] != 0 {
		t.Errorf("%v", n)
	}
	if steady.Hits() == 0 || brief.Hits() < 5 {
		t.Errorf("%d and %d publishes failed", steady.Hits(), brief.Hits())
	}
}

// TestEachFault fails each publish of a run once, in each way, one after the
// other.
func TestEachFault(t *testing.T) {
	t.Parallel()
	for _, l := range []loss{lost, unreported} {
		r := newRig(t, func(c *Config) { c.Settings.FixTimeout = 200 * time.Millisecond })
		_, js := r.broker.Connect(t)
		p := newFaulty(js)
		struck := map[string]bool{}
		p.Plan(func(m *nats.Msg) loss {
			if struck[m.Subject] {
				return unharmed
			}
			struck[m.Subject] = true
			return l
		})
		r.start(func(c *Config) { c.Publisher = p })
		r.sealRun("run-1")
		r.bundle("run-1", "one", content(4)) // quarantined in the end, after a timeout
		r.bundle("run-1", "two", content(3))
		r.report("run-1", "two", 0)
		r.fix("run-1", "two", 1, content(4))
		r.wantRejected("cmd-2", r.fix("run-1", "two", 2, content(0)), shadow.FixNotAsked)
		data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
		r.settle()
		if n := checkLog(t, r.store, r.cfg.Key); n[shadow.GapReport] != 4 || n[shadow.HardeningRequest] != 2 || n[shadow.BundleQuarantined] != 2 {
			t.Errorf("%v: %v", l, n)
		}
		if p.Hits() < 12 {
			t.Errorf("%v: only %d publishes failed", l, p.Hits())
		}
	}
}

// pair holds the publish to one subject back until there is one to the other.
type pair struct {
	Publisher
	first, second string
	came          chan struct{}
	once          sync.Once
}

func (p *pair) PublishMsg(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	switch m.Subject {
	case p.second:
		p.once.Do(func() { close(p.came) })
	case p.first:
		select {
		case <-p.came:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return p.Publisher.PublishMsg(ctx, m, opts...)
}

// TestRequestAndDeadline: neither a request nor its deadline waits for the other,
// and where one of the two fails it is stored when the event comes again.
func TestRequestAndDeadline(t *testing.T) {
	t.Parallel()
	request, deadline := layout.Subjects{}.HardeningRequest("cmd-1", "run-1", "one", 1), layout.Subjects{}.DomainTimer("run-1", "one", 1).Set
	for _, failing := range []string{"", request, deadline} {
		for _, l := range []loss{lost, unreported} {
			r := newRig(t)
			_, js := r.broker.Connect(t)
			p := newFaulty(js)
			struck := failing == ""
			p.Plan(func(m *nats.Msg) loss {
				if struck || m.Subject != failing {
					return unharmed
				}
				struck = true
				return l
			})
			r.start(func(c *Config) {
				c.Publisher = p
				if failing == "" {
					c.Publisher = &pair{Publisher: p, first: request, second: deadline, came: make(chan struct{})}
				}
			})
			r.sealRun("run-1")
			r.bundle("run-1", "one", content(4))
			r.await(r.store.Out, request)
			r.await(r.store.Out, deadline)
			r.settle()
			if n := checkLog(t, r.store, r.cfg.Key); n[shadow.HardeningRequest] != 1 || n[shadow.GapReport] != 1 {
				t.Errorf("%s, %v: %v", failing, l, n)
			}
			if !struck {
				t.Errorf("%s, %v: nothing failed", failing, l)
			}
		}
	}
}

// TestOutage: the server goes away in the middle and comes back.
func TestOutage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	for i := range 20 {
		run := fmt.Sprint("run-", i)
		r.decompose(twoDomains(run))
		r.bundle(run, "one", content(0))
		r.bundle(run, "two", content(1))
	}
	r.await(r.store.Out, layout.Subjects{}.GapReport("run-0", "one", 0))
	r.broker.Stop()
	r.broker.Start(t)
	for i := range 20 {
		r.await(r.store.Out, layout.Subjects{}.RunScored(fmt.Sprint("run-", i)))
	}
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}

// TestLateCopy: a late copy of a fix that was also stored in time is the same
// event, even if the copy is processed first.
func TestLateCopy(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.Settings.FixTimeout = 6 * time.Second })
	r.askForFix()
	timely := r.fix("run-1", "one", 1, content(0))
	r.await(r.store.Out, layout.Subjects{}.DomainTimer("run-1", "one", 1).Fired)
	late := r.fix("run-1", "one", 1, content(0))
	// Nobody else is at work: the copy comes first.
	engine := NewEngine(r.store, r.cfg)
	stop, err := engine.startFollowing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	m, err := streams.At(t.Context(), r.js, layout.StreamIn, late)
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.event(t.Context(), &message{Message: *m}); err != nil {
		t.Errorf("the late copy: %v", err)
	}
	if s := r.report("run-1", "one", 1).Swarm; s.In.Sequence != timely || s.Hardening.TimedOut || s.Score.Failed != 0 {
		t.Errorf("%+v", s)
	}
	r.start()
	r.settle()
	checkLog(t, r.store, r.cfg.Key)
}
