package bus

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

func (r *rig) operator() *Operator {
	return &Operator{JS: r.js, Key: shadow.NewRing(r.cfg.Key), By: "op@host", Now: func() time.Time { return time.Unix(1e9, 5) }}
}

// finished plays a run with a fix and a rejection to its end.
func (r *rig) finished(run string) {
	r.t.Helper()
	r.sealRun(run)
	r.bundle(run, "one", content(5))
	r.report(run, "one", 0)
	r.fix(run, "one", 1, content(4))
	r.wantRejected("cmd-1", r.bundle(run, "one", content(2)), shadow.SlotTaken)
	r.bundle(run, "two", content(0))
	r.await(r.store.Out, layout.Subjects{}.RunScored(run))
	r.settle()
}

func (r *rig) codes(runs ...string) map[audit.Code]int {
	r.t.Helper()
	a := bustest.Must(Audit(r.t.Context(), r.store.Subjects, r.js, r.cfg.Key, nil, runs...))
	codes := map[audit.Code]int{}
	for _, f := range a.Findings {
		codes[f.Code]++
	}
	return codes
}

// TestForgedEndIsNone: what somebody else calls the end of a run is none. The
// envelope stays closed, and the run ends as if it were not there.
func TestForgedEndIsNone(t *testing.T) {
	r := newStarted(t)
	r.bundle("run-1", "one", content(0))
	r.report("run-1", "one", 0)
	scored := r.store.RunScored("run-1")
	r.sendRaw(&nats.Msg{Subject: scored, Data: eventBytes("x", shadow.RunScored, shadow.RunData{RunID: "run-1"})})
	if _, err := r.operator().recordOpening(t.Context(), "run-1", "", false); !errors.Is(err, errNotFinished) {
		t.Errorf("an opening: %v", err)
	}
	r.ends()
	r.start()
	r.bundle("run-1", "two", content(0))
	bustest.WaitFor(t, "the end of the run", func() bool {
		m, _, err := firstOwn(t.Context(), r.js, layout.StreamOut, scored, r.cfg.Key)
		return err == nil && m != nil
	})
	r.settle()
	if codes := r.codes("run-1"); codes[audit.NotOwn] != 1 || codes[audit.Differs] != 0 || codes[audit.Missing] != 0 {
		t.Errorf("the audit finds %v", codes)
	}
}

// removeByHand removes a run as docs/security.md says: a subject at a time.
func (r *rig) removeByHand(run string) {
	r.t.Helper()
	for stream, subjects := range map[string][]string{
		"KV_" + layout.BucketEnvelopes: {"$KV." + layout.BucketEnvelopes + "." + run},
		layout.StreamIn:                {"swarm.*." + run, "swarm.*." + run + ".>"},
		layout.StreamOut:               {"swarm.*." + run, "swarm.*." + run + ".>", "swarm.hardening-request.*." + run + ".>", "swarm.domain-settled.*." + run},
	} {
		s := bustest.Must(r.js.Stream(r.t.Context(), stream))
		for _, subject := range subjects {
			bustest.OK(r.t, s.Purge(r.t.Context(), jetstream.WithPurgeSubject(subject)))
		}
	}
}

// TestRemovedByHand: of a run that was removed by hand the audit finds only its
// rejections, until they are removed as well. Other runs are as they were.
func TestRemovedByHand(t *testing.T) {
	r := newRig(t)
	stop := r.start()
	r.finished("keep")
	r.finished("gone")
	bustest.Must(r.operator().recordOpening(t.Context(), "gone", "", false))
	r.removeByHand("gone")
	a := bustest.Must(Audit(t.Context(), r.store.Subjects, r.js, r.cfg.Key, nil))
	// That something was removed is all that is left.
	if len(a.Findings) != 3 || a.Findings[0].Code != audit.Removed || a.Findings[1].Code != audit.Removed || a.Notes != 2 ||
		a.Findings[2].Code != audit.Undue || a.Findings[2].Run != "gone" || a.Findings[2].Stream != layout.StreamOut {
		t.Fatalf("the audit finds %+v", a.Findings)
	}
	bustest.OK(t, r.store.Out.DeleteMsg(t.Context(), a.Findings[2].Sequence))
	stop()
	r.start()
	r.finished("later")
	if codes := r.codes(); codes[audit.SameTask] != 1 || codes[audit.Removed] != 2 || len(codes) != 2 {
		t.Errorf("the audit finds %v", codes)
	}
}

// TestOpenings: each look is on the log before it is taken, with a number of
// its own; an early one has to be forced and is found.
func TestOpenings(t *testing.T) {
	r := newStarted(t)
	o := r.operator()
	if _, err := o.recordOpening(t.Context(), "run-1", "", false); !errors.Is(err, errNotFinished) {
		t.Errorf("early: %v", err)
	}
	if _, err := o.recordOpening(t.Context(), "run-2", "", true); !errors.Is(err, history.ErrNoRun) {
		t.Errorf("no run: %v", err)
	}
	early, err := o.recordOpening(t.Context(), "run-1", "", true)
	if err != nil || early.Opening != 1 || !early.Forced || early.Finished {
		t.Errorf("forced: %+v, %v", early, err)
	}
	r.bundle("run-1", "one", content(0))
	r.bundle("run-1", "two", content(0))
	r.await(r.store.Out, layout.Subjects{}.RunScored("run-1"))
	r.settle()
	// The acknowledgement of a trace that was stored is lost: trying again
	// makes another trace, never none.
	faulty := newFaulty(r.js, func(*nats.Msg) loss { return unreported })
	o.Publisher = faulty
	if _, err := o.recordOpening(t.Context(), "run-1", "", false); err == nil {
		t.Error("a lost acknowledgement is no error")
	}
	o.Publisher = nil
	second, err := o.recordOpening(t.Context(), "run-1", "a complaint", true)
	if err != nil || second.Opening != 3 || second.Forced || !second.Finished {
		t.Errorf("later: %+v, %v", second, err)
	}
	// Who reads after the commitment has expired leaves a trace as well.
	bustest.OK(t, r.store.In.Purge(t.Context(), jetstream.WithPurgeSubject(o.Commitment("run-1"))))
	if late, err := o.recordOpening(t.Context(), "run-1", strings.Repeat("why ", 999), false); err != nil || late.SealedHash != second.SealedHash {
		t.Errorf("without a commitment: %+v, %v", late, err)
	}
	if codes := r.codes("run-1"); codes[audit.BadOutput] != 0 || codes[audit.NoCommitment] != 1 {
		t.Errorf("findings: %v", codes)
	}
}
