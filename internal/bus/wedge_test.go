package bus

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// These tests are about what could keep a run from ever ending, or one author
// from letting anybody else get on.

// flood publishes n messages at once.
func (r *rig) flood(n int, message func(i int) *nats.Msg) {
	r.t.Helper()
	acks := make([]jetstream.PubAckFuture, n)
	for i := range acks {
		var err error
		if acks[i], err = r.js.PublishMsgAsync(message(i), jetstream.WithStallWait(time.Minute)); err != nil {
			r.t.Fatal(err)
		}
	}
	for _, a := range acks {
		select {
		case <-a.Ok():
		case err := <-a.Err():
			r.t.Fatal(err)
		}
	}
}

// goesOn wants somebody else's run to be sealed and judged.
func (r *rig) goesOn(run string) {
	r.t.Helper()
	r.sealRun(run)
	r.bundle(run, "one", content(0))
	r.report(run, "one", 0)
}

// TestDisabledForAWhile: what came while nobody worked is taken up afterwards, by
// the times at which it was stored.
func TestDisabledForAWhile(t *testing.T) {
	t.Parallel()
	r := newStarted(t, func(c *Config) { c.Settings.FixTimeout = 6 * time.Second })
	r.bundle("run-1", "one", content(5))
	r.bundle("run-1", "two", content(5))
	r.report("run-1", "one", 0)
	r.report("run-1", "two", 0)
	r.ends()
	o := &noted{}
	r.start(func(c *Config) { c.Disabled, c.Observer = true, o })
	r.fix("run-1", "one", 1, content(0))
	r.passes(layout.Subjects{}.GapReport("run-1", "two", 0), 6*time.Second)
	r.fix("run-1", "one", 1, content(0)) // a late copy is the same event
	late := r.fix("run-1", "two", 1, content(0))
	r.decompose(twoDomains("run-2"))
	if active, _ := r.engine.Active(); active || r.engine.Problem() != "" {
		t.Errorf("it is active %v, its problem is %q", active, r.engine.Problem())
	}
	r.absent(layout.Subjects{}.GapReport("run-1", "one", 1))
	r.stop()
	if len(o.told) > 0 {
		t.Errorf("told of %v", o.told)
	}
	r.start()
	r.await(r.store.In, layout.Subjects{}.Commitment("run-2"))
	if s := r.report("run-1", "one", 1).Swarm; s.Hardening.TimedOut || s.Score.Failed != 0 {
		t.Errorf("a fix in time: %+v", s)
	}
	r.wantRejected("cmd-2", late, shadow.Late)
	if s := r.report("run-1", "two", 1).Swarm; !s.Hardening.TimedOut {
		t.Errorf("a fix that was late: %+v", s)
	}
	r.await(r.store.Out, layout.Subjects{}.RunScored("run-1"))
	r.checked()
}

// TestSealBreaksBeforeRequest: a report that asks for a fix is stored, and the
// seal is broken before the request follows. Nobody is asked, and the deadline
// closes the domain without passing anything.
func TestSealBreaksBeforeRequest(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.Settings.RunTimeout, c.Settings.FixTimeout = 6*time.Second, time.Second })
	_, js := r.broker.Connect(t)
	p := newFaulty(js, nil)
	request := layout.Subjects{}.HardeningRequest("cmd-1", "run-1", "one", 1)
	p.Plan(func(m *nats.Msg) loss {
		if m.Subject == request {
			return lost
		}
		return unharmed
	})
	stop := r.start(func(c *Config) { c.Publisher = p })
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(5))
	r.report("run-1", "one", 0)
	stop()
	r.tamper("run-1", []byte("easy criteria"))
	r.start()
	s := r.report("run-1", "one", 1).Swarm
	if !s.Hardening.TimedOut || s.SealBroken == "" || s.Score != (shadow.Score{Failed: 8, Total: 8}) || s.Gate.Action != shadow.Quarantine {
		t.Errorf("%+v", s)
	}
	data[shadow.RunData](r, layout.Subjects{}.RunScored("run-1"))
	r.absent(request)
}

// TestPoison: events that make the engine panic are given up, and don't hold
// anybody up.
func TestPoison(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) {
		c.Files = []shadow.Author{tooMuch{func(d *shadow.Decomposition) bool {
			if d.Task == "poison" {
				panic("poison")
			}
			return false
		}}}
	})
	var seqs []uint64
	for i := range 60 { // more than are handled at once
		d := twoDomains(fmt.Sprint("poison-", i))
		d.Task = "poison"
		seqs = append(seqs, r.decompose(d))
	}
	r.start()
	r.goesOn("run-1")
	for _, seq := range seqs {
		r.wantRejected(layout.AuthorNexus, seq, shadow.CannotProcess)
	}
	r.checked()
}

// TestReportTooLarge: where the server takes no message as large as a report, its
// bundle is rejected and says why, and no other domain and no other run waits.
func TestReportTooLarge(t *testing.T) {
	t.Parallel()
	r := newRigOn(t, bustest.ServerWith(t, "jetstream: enabled\nmax_payload: 64KB"))
	d := twoDomains("large")
	for range 60 {
		d.Domains[0].SubTasks = append(d.Domains[0].SubTasks, strings.Repeat("all of it ", 99))
	}
	r.decompose(d)
	seq := r.bundle("large", "one", content(0))
	r.start()
	r.wantRejected("cmd-1", seq, shadow.CannotProcess)
	if why := r.rejection("cmd-1", seq).Message; !strings.Contains(why, "max_payload") {
		t.Error(why)
	}
	r.bundle("large", "two", content(0))
	r.report("large", "two", 0)
	r.goesOn("run-1")
	r.checked()
}

// startCounted starts an engine, and counts the messages that it gets and sends.
func (r *rig) startCounted() (traffic func() uint64) {
	r.t.Helper()
	nc, js := r.broker.Connect(r.t)
	r.serve(NewEngine(r.ensure(js), r.cfg))
	return func() uint64 {
		s := nc.Stats()
		return s.InMsgs + s.OutMsgs
	}
}

// TestFloods: an author's many events cost itself, and not everybody else. If
// each event of a flood had the others read anew, the traffic would be many times
// the bound.
func TestFloods(t *testing.T) {
	t.Parallel()
	const n = 600
	wantBounded := func(t *testing.T, traffic uint64) {
		t.Helper()
		t.Logf("%d messages for a flood of %d events", traffic, n)
		if traffic > 20*n {
			t.Errorf("%d messages for a flood of %d events", traffic, n)
		}
	}
	t.Run("late bundles", func(t *testing.T) {
		r := newRig(t, func(c *Config) { c.Settings.RunTimeout = 200 * time.Millisecond })
		traffic := r.startCounted()
		r.sealRun("run-1")
		r.await(r.store.Out, layout.Subjects{}.RunScored("run-1"))
		r.flood(n, func(i int) *nats.Msg {
			return &nats.Msg{Subject: layout.Subjects{}.Bundle("run-1", "cmd-1"), Data: eventBytes("e", shadow.BundleComplete, bundleData("run-1", bundleOf("one", fmt.Sprint(i))))}
		})
		r.sealRun("run-2")
		r.settle()
		wantBounded(t, traffic())
	})
	t.Run("fixes of garbage", func(t *testing.T) {
		r := newRig(t, func(c *Config) { c.WaitingPerRun, c.SealWait = n, 500*time.Millisecond })
		traffic := r.startCounted()
		r.sealRun("run-1")
		r.flood(n, func(int) *nats.Msg {
			return &nats.Msg{Subject: layout.Subjects{}.Bundle("run-1", "cmd-1"), Data: []byte("{}")}
		})
		r.flood(n/2, func(i int) *nats.Msg {
			return &nats.Msg{Subject: layout.Subjects{}.Fix("run-1", "cmd-1"), Data: eventBytes("e", shadow.FixSubmitted, fixData("run-1", 1, bundleOf("one", fmt.Sprint(i))))}
		})
		r.goesOn("run-2")
		r.settle()
		wantBounded(t, traffic())
	})
	t.Run("decompositions that cannot be sealed", func(t *testing.T) {
		r := newRig(t, func(c *Config) {
			c.Files = []shadow.Author{tooMuch{func(d *shadow.Decomposition) bool { return d.RunID == "bad" }}}
		})
		traffic := r.startCounted()
		r.flood(n, func(i int) *nats.Msg {
			d := twoDomains("bad")
			d.Task = fmt.Sprint("task ", i)
			return &nats.Msg{Subject: layout.Subjects{}.Decomposition("bad"), Data: eventBytes("e", shadow.DecompositionDone, d)}
		})
		r.goesOn("run-2")
		r.settle()
		wantBounded(t, traffic())
	})
}
