package bus

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestBundleBeforeSeal: a bundle that is here before its run's seal waits, and
// its report says so.
func TestBundleBeforeSeal(t *testing.T) {
	r := newRig(t)
	r.start()
	r.bundle("run-1", "one", content(0))
	bustest.WaitFor(t, "the bundle to wait", func() bool { return r.engine.Waiting() == 1 })
	r.decompose(twoDomains("run-1"))
	rep := r.report("run-1", "one", 0)
	if !*rep.Report.Advisory || len(rep.Swarm.AdvisoryReasons) != 1 {
		t.Errorf("%+v", rep.Report)
	}
	r.checked()
}

// TestQueuedDecomposition: a decomposition that stands in the log before a tick
// counts, also while it waits behind others of the Nexus. Nor is a run rejected
// while another decomposition of it waits there.
func TestQueuedDecomposition(t *testing.T) {
	let := make(chan struct{})
	r := newRig(t, func(c *Config) { c.SealWait, c.Files = time.Nanosecond, []shadow.Author{slowAuthor{let: let}} })
	bad := twoDomains("refused")
	bad.Task = ""
	r.decompose(bad)
	for i := range perAuthor + 4 {
		r.decompose(twoDomains(fmt.Sprint("slow-", i)))
	}
	r.decompose(twoDomains("refused"))
	runs := []string{"slow-19", "refused"}
	bundles := map[string]uint64{}
	for _, run := range runs {
		bundles[run] = r.bundle(run, "one", content(0))
	}
	unknown := r.bundle("undecomposed", "two", content(0))
	r.start()
	r.wantRejected("cmd-2", unknown, shadow.RunUnknown) // so the tick has come
	bustest.WaitFor(t, "both bundles to wait", func() bool {
		for run, seq := range bundles {
			if m, err := r.store.Out.GetLastMsgForSubject(t.Context(), layout.Subjects{}.Rejected("cmd-1", seq)); err == nil {
				t.Fatalf("the bundle of %s was rejected: %s", run, m.Data)
			}
		}
		return r.engine.Waiting() == len(runs)
	})
	close(let)
	for _, run := range runs {
		r.report(run, "one", 0)
	}
	r.checked()
}

// TestTooManyWaiting: one run's waiting events are bounded, and others' are
// not touched by it.
func TestTooManyWaiting(t *testing.T) {
	r := newRig(t, func(c *Config) { c.WaitingPerRun = 3 })
	r.start()
	var seqs []uint64
	for i := range 5 {
		b := bundleOf("one", content(i))
		b.BundleID = fmt.Sprint("b-", i)
		seqs = append(seqs, r.bundleAs("run-1", b))
	}
	rejected := 0
	bustest.WaitFor(t, "two rejections", func() bool {
		rejected = 0
		for _, seq := range seqs {
			if m, err := r.store.Out.GetLastMsgForSubject(t.Context(), layout.Subjects{}.Rejected("cmd-1", seq)); err == nil && m != nil {
				rejected++
			}
		}
		return rejected >= 2
	})
	r.bundle("run-1", "two", content(0)) // a colleague has places of its own
	r.goesOn("run-2")
	r.decompose(twoDomains("run-1"))
	r.report("run-1", "one", 0)
	r.report("run-1", "two", 0)
	r.settle()
	if rejected != 2 {
		t.Errorf("%d were too many, want 2", rejected)
	}
	checkLog(t, r.store, r.cfg.Key)
}

// TestManyUnknownRuns: run ids are free, so what may wait for runs that nobody
// has decomposed is limited over all of them.
func TestManyUnknownRuns(t *testing.T) {
	const most, n = 10, 500
	r := newRig(t, func(c *Config) { c.WaitingPerRun = most })
	r.start()
	r.flood(n, func(i int) *nats.Msg {
		run := fmt.Sprint("nowhere-", i)
		return &nats.Msg{Subject: layout.Subjects{}.Bundle(run, "cmd-1"), Data: eventBytes("e", shadow.BundleComplete, bundleData(run, bundleOf("one", "x")))}
	})
	bustest.WaitFor(t, "all but a few to be rejected", func() bool { return bustest.Count(t, r.store.Out) == n-most && r.engine.Waiting() == most })
	// Its colleague waits for a run that is decomposed later, and so do those
	// that were let in.
	r.bundle("run-1", "two", content(0))
	r.goesOn("run-1")
	r.report("run-1", "two", 0)
	var waiting []string
	for i := range n {
		if _, err := r.store.Out.GetLastMsgForSubject(t.Context(), layout.Subjects{}.Rejected("cmd-1", uint64(i+1))); err != nil {
			waiting = append(waiting, fmt.Sprint("nowhere-", i))
		}
	}
	if len(waiting) != most {
		t.Errorf("%d events waited, want %d", len(waiting), most)
	}
	for _, run := range waiting {
		r.sealRun(run)
	}
	for _, run := range waiting {
		r.report(run, "one", 0)
	}
	r.checked()
}

// TestCannotSeal: where no envelope can be written, the decomposition is
// rejected, and its bundles too, until a better one comes.
func TestCannotSeal(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Files = []shadow.Author{tooMuch{}} })
	stop := r.start()
	seq := r.decompose(twoDomains("run-1"))
	r.wantRejected(layout.AuthorNexus, seq, shadow.CannotSeal)
	r.wantRejected("cmd-1", r.bundle("run-1", "one", content(0)), shadow.RunRejected)
	r.settle()
	stop()
	r.start(func(c *Config) { c.Files = nil })
	d := twoDomains("run-1")
	d.Task = "Build it, and say what"
	r.decompose(d)
	r.await(r.store.In, layout.Subjects{}.Commitment("run-1"))
	r.bundleAs("run-1", bundleOf("two", content(0)))
	r.report("run-1", "two", 0)
	r.checked()
}
