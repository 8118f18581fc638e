package bus

import (
	"crypto/ed25519"
	"flag"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// richLog plays runs that end in every way there is, and reads the log:
//
//	good     one domain at once, one after a fix
//	worse    one fix is worse, one no better than quarantine
//	silent   one fix never comes, one comes late
//	missing  one bundle never comes
//	early    a bundle before the seal
//	refused  events that are rejected, for many reasons
//	asked    two criteria are put to three judges, the second of which is out
//
// The envelope of good was opened twice after its end.
func richLog(t testing.TB) (*rig, *audit.Log) {
	r := newRig(t)
	l := layout.Subjects{}
	scored := func(run string) { r.await(r.store.Out, l.RunScored(run)) }
	r.bundle("early", "one", content(0))
	stop := r.start(r.judged(bench(reads, fails, reads)))
	r.sealRun("asked")
	r.bundle("asked", "one", content(1))
	r.bundle("asked", "two", content(0))
	scored("asked")

	r.sealRun("good")
	r.bundle("good", "one", content(1))
	r.bundle("good", "two", content(4))
	r.report("good", "two", 0)
	r.fix("good", "two", 1, content(2))
	scored("good")

	r.sealRun("worse")
	r.bundle("worse", "one", content(3))
	r.bundle("worse", "two", content(4))
	r.report("worse", "one", 0)
	r.report("worse", "two", 0)
	r.fix("worse", "one", 1, content(5))
	r.fix("worse", "two", 1, "# Bundle\n\nalpha bravo charlie delta")
	scored("worse")

	r.sealRun("early")
	r.bundle("early", "two", content(0))
	scored("early")

	r.sealRun("refused")
	r.bundle("refused", "one", content(3))
	r.report("refused", "one", 0)
	r.bundle("refused", "one", content(0))
	r.bundleAs("refused", shadow.Bundle{BundleID: "b", Domain: "two", CommanderID: "cmd-1", Status: "success", Content: "x"})
	r.fix("refused", "one", 2, content(0))
	r.fixAs("refused", 1, shadow.Bundle{BundleID: "b-other", Domain: "one", CommanderID: "cmd-1", Status: "success", Content: "x"})
	r.send(l.Bundle("refused", "cmd-2"), shadow.BundleComplete, bundleData("good", bundleOf("two", content(0))))
	r.send(l.Bundle("refused", "cmd-2"), shadow.BundleComplete, map[string]any{"run_id": "refused"})
	other := twoDomains("refused")
	other.Task = "Build another thing"
	r.decompose(other)
	r.fix("refused", "one", 1, content(1))
	r.report("refused", "one", 1)
	r.fix("refused", "one", 1, content(0))
	r.bundle("refused", "two", content(0))
	scored("refused")
	r.settle()
	for range 2 {
		bustest.Must(r.operator().recordOpening(t.Context(), "good", "a complaint", false))
	}
	stop()

	stop = r.start(func(c *Config) {
		c.Settings.FixTimeout, c.Settings.RunTimeout = 100*time.Millisecond, time.Hour
	})
	d := twoDomains("silent")
	d.Task = "Build it in silence"
	r.decompose(d)
	r.await(r.store.In, l.Commitment("silent"))
	r.bundle("silent", "one", content(3))
	r.bundle("silent", "two", content(3))
	r.report("silent", "one", 1)
	r.fix("silent", "one", 1, content(0))
	scored("silent")
	r.settle()
	stop()

	r.start(func(c *Config) { c.Settings.RunTimeout = 200 * time.Millisecond })
	d = twoDomains("missing")
	d.Task = "Build half of it"
	r.bundle("missing", "one", content(0))
	r.decompose(d)
	scored("missing")
	r.settle()
	log := bustest.Must(readLog(t.Context(), r.store.Subjects, r.js, r.cfg.Key))
	log.Signers = []ed25519.PublicKey{testSigning.Public().(ed25519.PublicKey)}
	return r, log
}

// richLogOnce is the log of richLog, played once for the tests that change
// copies of it. Nobody writes to it.
func richLogOnce(t testing.TB) *audit.Log {
	t.Helper()
	playRich.Do(func() { _, playedRich = richLog(t) })
	if playedRich == nil {
		t.Fatal("the log could not be played: see the test that failed first")
	}
	return playedRich
}

var (
	playRich   sync.Once
	playedRich *audit.Log
)

// TestAuditOfCleanLog: nothing but notes.
func TestAuditOfCleanLog(t *testing.T) {
	t.Parallel()
	r, log := richLog(t)
	got := map[audit.Code]int{}
	for _, f := range auditLog(log, nil).Findings {
		got[f.Code]++
		if f.Severity == audit.Error {
			t.Errorf("%+v", f)
		}
	}
	want := map[audit.Code]int{audit.BundleFirst: 2, audit.SameTask: 1, audit.Opened: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got)\n%s", diff)
	}
	checkLog(t, r.store, r.cfg.Key)

	one, err := Audit(t.Context(), r.store.Subjects, r.js, r.cfg.Key, nil, "early")
	if err != nil || one.Runs != 1 || len(one.Findings) != 1 || one.Findings[0].Code != audit.BundleFirst {
		t.Errorf("one run: %+v, %v", one, err)
	}
	none, err := Audit(t.Context(), r.store.Subjects, r.js, r.cfg.Key, nil, "nobody")
	if err != nil || none.Runs != 0 || len(none.Findings) != 0 {
		t.Errorf("no run: %+v, %v", none, err)
	}
}

var auditRuns = flag.Int("audit.runs", 60, "runs in the clean log of TestAuditOfManyRuns; a thousand make a thorough test")

// TestAuditOfManyRuns plays runs of many kinds and finds nothing. The full
// size is
//
//	go test ./internal/bus -run TestAuditOfManyRuns -v -audit.runs 1000
func TestAuditOfManyRuns(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.start()
	l := layout.Subjects{}
	for n := range *auditRuns {
		run := fmt.Sprint("run-", n)
		d := twoDomains(run)
		d.Task, d.Scale = fmt.Sprint("Build ", n), []string{"", "ss-50", "SS-100", "ss-250"}[n%4]
		r.decompose(d)
		if n%3 > 0 {
			r.await(r.store.In, l.Commitment(run))
		}
		failed := []int{n % 8, n / 2 % 7}
		for i, dom := range []string{"one", "two"} {
			r.bundle(run, dom, content(failed[i]))
			if n%5 == 0 {
				r.bundle(run, dom, content(failed[i]+1))
			}
			r.fix(run, dom, 1, content(n/3%9)) // asked for or not
		}
	}
	r.settle()
	a := bustest.Must(Audit(t.Context(), r.store.Subjects, r.js, r.cfg.Key, []ed25519.PublicKey{testSigning.Public().(ed25519.PublicKey)}))
	for i, f := range a.Findings {
		if f.Code != audit.BundleFirst && i < 10 {
			t.Errorf("%+v", f)
		}
	}
	if a.Runs != *auditRuns {
		t.Errorf("%d runs were audited of %d", a.Runs, *auditRuns)
	}
}

// TestAuditWhileAtWork audits again and again while the engine works: what is
// under way is no error.
func TestAuditWhileAtWork(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.Logger = slog.New(slog.DiscardHandler) })
	r.start()
	for n := range 8 {
		run := fmt.Sprint("run-", n)
		r.decompose(twoDomains(run))
		r.bundle(run, "one", content(n%6))
		r.bundle(run, "two", content(0))
		r.fix(run, "one", 1, content(1))
		a := bustest.Must(Audit(t.Context(), r.store.Subjects, r.js, r.cfg.Key, nil))
		for _, f := range a.Findings {
			if f.Severity == audit.Error {
				t.Errorf("after run %d: %+v", n, f)
			}
		}
	}
	r.checked()
}
