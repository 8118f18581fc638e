package bus

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// TestSilentCommander: the deadline ends a domain, and a fix after it is late.
func TestSilentCommander(t *testing.T) {
	var log syncBuffer
	r := newStarted(t, func(c *Config) {
		c.Settings.FixTimeout, c.Logger = 300*time.Millisecond, slog.New(slog.NewTextHandler(&log, nil))
	})
	r.bundle("run-1", "one", content(5))
	r.bundle("run-1", "two", content(0))
	rep := r.report("run-1", "one", 1)
	s := rep.Swarm
	if !s.Final || !s.Hardening.TimedOut || s.Score.Failed != 5 || s.Gate.Action != shadow.Reject || len(s.Hardening.Escalate) != 5 || rep.Hardening.CyclesCompleted != 0 {
		t.Errorf("%+v %+v", s, rep.Hardening)
	}
	r.wantRejected("cmd-1", r.fix("run-1", "one", 1, content(0)), shadow.Late)
	data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
	r.checked()
	if said := log.String(); !strings.Contains(said, `msg="no fix came in time" run=run-1 domain=one cycle=1`) || strings.Contains(said, "msg=judged run=run-1 domain=one cycle=1") {
		t.Errorf("the log says\n%s", said)
	}
}

// TestFixRacesDeadline sends fixes around their deadlines to an engine whose
// publishes fail now and then: each cycle has exactly one final report, and
// the stored times say which.
func TestFixRacesDeadline(t *testing.T) {
	t.Parallel()
	const runs = 40
	r := newRig(t, func(c *Config) { c.Settings.FixTimeout = 300 * time.Millisecond })
	r.start(func(c *Config) { c.Publisher = flaky(r.js, 0.1) })
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
	r.checked()
}

// TestRunDeadline: a run whose commander is silent ends incomplete, once the domain that
// is being fixed has reached its own deadline. A bundle after that is late.
func TestRunDeadline(t *testing.T) {
	t.Parallel()
	r := newStarted(t, func(c *Config) {
		c.Settings.RunTimeout, c.Settings.FixTimeout = 4*time.Second, 8*time.Second
	})
	r.bundle("run-1", "one", content(5))
	sum := data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
	if !sum.Incomplete || len(sum.Missing) != 1 || sum.Missing[0] != "two" || len(sum.Domains) != 1 || !sum.Domains[0].TimedOut {
		t.Errorf("%+v", sum)
	}
	r.wantRejected("cmd-2", r.bundle("run-1", "two", content(0)), shadow.Late)
	r.checked()
}

// TestTicksAreTaken: whoever stores messages where ticks belong delays no end, and
// old ones of the engine before end nothing.
func TestTicksAreTaken(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.Settings.FixTimeout = 300 * time.Millisecond })
	taken := 0
	r.start(func(c *Config) {
		c.Publisher = &ahead{r.js, 1 << 30, func(subject string) {
			if a, err := (layout.Subjects{}).Parse(subject); err == nil && a.Name == shadow.Tick && taken < 2 {
				taken++
				r.send(subject, shadow.Tick, shadow.TickData{Due: time.Now()})
			}
		}}
	})
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(5))
	if s := r.report("run-1", "one", 1).Swarm; !s.Hardening.TimedOut || s.Hardening.Tick == nil || taken != 2 {
		t.Errorf("%d were taken: %+v", taken, s.Hardening)
	}
	r.settle()
	if codes := r.codes(); codes[audit.NotOwn] != 2 || codes[audit.Undue]+codes[audit.Differs]+codes[audit.Missing] != 0 {
		t.Errorf("findings: %v", codes)
	}
}

// flaky loses publishes, and reports stored ones as failed, at a rate.
func flaky(js jetstream.JetStream, rate float64) *faultyPublisher {
	p := newFaulty(js, func(*nats.Msg) loss {
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
// started amid it, every outcome is stored once.
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
	// An engine lives until two more of its publishes have failed: however slow the
	// machine, it has done something by then.
	p := flaky(r.js, 0.3)
	for range 12 {
		stop, before := r.start(func(c *Config) { c.Publisher = p }), p.Hits()
		bustest.WaitFor(t, "publishes to fail", func() bool { return p.Hits() >= before+2 })
		stop()
	}
	r.start(func(c *Config) { c.Publisher = p })
	r.start()
	for i := range runs {
		run := fmt.Sprint("run-", i)
		if i%3 == 2 {
			r.fix(run, "one", 1, content(0))
		}
		r.await(r.store.Out, l.RunScored(run))
	}
	if n := r.checked(); n[shadow.RunScored] != runs || n[shadow.GapReport] != 3*runs+runs/3 || n[shadow.EventRejected] != 0 {
		t.Errorf("%v", n)
	}
}

// TestEachFault fails each publish of a run once, in each way, one after the
// other.
func TestEachFault(t *testing.T) {
	t.Parallel()
	for _, l := range []loss{lost, unreported} {
		r := newRig(t, func(c *Config) { c.Settings.FixTimeout = 200 * time.Millisecond })
		_, js := r.broker.Connect(t)
		p := newFaulty(js, nil)
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
		if n := r.checked(); n[shadow.GapReport] != 4 || n[shadow.HardeningRequest] != 2 || n[shadow.BundleQuarantined] != 2 {
			t.Errorf("%v: %v", l, n)
		}
		if p.Hits() < 12 {
			t.Errorf("%v: only %d publishes failed", l, p.Hits())
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
	r.checked()
}
