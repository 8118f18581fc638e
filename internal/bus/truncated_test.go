package bus

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestTruncated: on a bus whose IN ends before what OUT refers to, no engine
// starts: it would take other events for those that have their outcome.
func TestTruncated(t *testing.T) {
	for name, leave := range map[string]func(*rig){
		"a report": func(r *rig) {
			r.bundle("run-1", "one", content(0))
			r.report("run-1", "one", 0)
		},
		"a rejection": func(r *rig) {
			r.bundle("run-1", "two", content(0))
			r.wantRejected("cmd-2", r.bundle("run-1", "two", content(1)), shadow.SlotTaken)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newStarted(t)
			leave(r)
			r.ends()
			bustest.OK(t, r.js.DeleteStream(t.Context(), layout.StreamIn))
			r.isTruncated()
		})
	}
}

// isTruncated wants an engine not to start.
func (r *rig) isTruncated() {
	r.t.Helper()
	_, js := r.broker.Connect(r.t)
	if err := NewEngine(r.ensure(js), r.cfg).Run(r.t.Context()); !errors.Is(err, streams.ErrTruncated) {
		r.t.Errorf("the engine ended with %v", err)
	}
}

// olderIN copies the files of IN, does something and puts them back: the server is
// stopped meanwhile, as where somebody restores a backup of that stream alone.
func (r *rig) olderIN(then func()) {
	r.t.Helper()
	in := filepath.Join(r.broker.Server().JetStreamConfig().StoreDir, server.DEFAULT_GLOBAL_ACCOUNT, "streams", layout.StreamIn)
	kept := filepath.Join(r.t.TempDir(), "in")
	stopped := func(change func() error) {
		r.broker.Stop()
		bustest.OK(r.t, change())
		r.broker.Start(r.t)
		bustest.WaitFor(r.t, "the server", func() bool {
			_, err := r.store.In.Info(r.t.Context())
			return err == nil
		})
	}
	stopped(func() error { return os.CopyFS(kept, os.DirFS(in)) })
	then()
	stopped(func() error { return errors.Join(os.RemoveAll(in), os.CopyFS(in, os.DirFS(kept))) })
}

// TestPartlyTruncated: IN has lost its last event, whose outcome was stored
// before that of an earlier one.
func TestPartlyTruncated(t *testing.T) {
	r := newRig(t)
	stop := r.start()
	r.sealRun("run-0")
	r.settle()
	stop()
	e := NewEngine(r.store, r.cfg)
	e.out.active = nil
	first := r.bundle("run-1", "one", content(0))
	r.olderIN(func() {
		for _, seq := range []uint64{r.bundle("run-1", "one", content(1)), first} {
			in := &input{Message: &streams.Message{Seq: seq}, addr: shadow.Address{Author: "cmd-1"}}
			msg := bustest.Must(e.rejection(in, shadow.Refuse(shadow.SlotTaken, "x")))
			r.sendRaw(msg)
		}
	})
	r.isTruncated()
}

// TestForgeriesDoNotTruncate: what somebody else stored in OUT about an event that
// never was keeps no engine from starting, whatever its mark names.
func TestForgeriesDoNotTruncate(t *testing.T) {
	for _, mark := range []string{"", "sha256:abc 0123456789abcdef 00"} {
		r := newRig(t)
		r.bundle("run-1", "one", content(0))
		r.forgedRejection(1<<40, mark, nil)
		r.start()
		r.goesOn("run-2")
	}
}

// TestTruncatedLive: IN becomes an older one under an engine at work. The engine
// ends and says why, and what comes then has no outcome.
func TestTruncatedLive(t *testing.T) {
	r := newRig(t)
	_, js := r.broker.Connect(t)
	e := NewEngine(r.ensure(js), r.cfg)
	ended := make(chan error, 1)
	go func() { ended <- e.Run(t.Context()) }()
	r.sealRun("run-1")
	r.settle()
	r.olderIN(func() {
		r.bundle("run-1", "one", content(0))
		r.report("run-1", "one", 0)
		r.settle()
		if problem := e.Problem(); problem != "" {
			t.Error(problem)
		}
	})
	r.bundle("run-1", "two", content(0))
	if err := <-ended; !errors.Is(err, streams.ErrTruncated) {
		t.Errorf("it ended with %v", err)
	}
	r.absent(r.store.GapReport("run-1", "two", 0))
}

// TestStartBesideAnOutage: an engine that cannot read OUT when it starts, as in
// the moment in which a cluster has no leader for it, tries again.
func TestStartBesideAnOutage(t *testing.T) {
	r := newRig(t)
	var log syncBuffer
	_, js := r.broker.Connect(t)
	engine := NewEngine(r.ensure(js), r.cfg)
	engine.log = slog.New(slog.NewTextHandler(&log, nil))
	bustest.OK(t, js.DeleteStream(t.Context(), layout.StreamOut))
	r.serve(engine)
	bustest.WaitFor(t, "it to fail", func() bool { return strings.Contains(log.String(), "not active any more") })
	r.store = r.ensure(r.js)
	r.sealRun("run-1")
}
