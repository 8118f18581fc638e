package bus

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

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
			r := newRig(t)
			stop := r.start()
			r.sealRun("run-1")
			leave(r)
			r.settle()
			stop()
			if err := r.js.DeleteStream(t.Context(), layout.StreamIn); err != nil {
				t.Fatal(err)
			}
			_, js := r.broker.Connect(t)
			if err := NewEngine(r.ensure(js), r.cfg).Run(t.Context()); !errors.Is(err, streams.ErrTruncated) {
				t.Errorf("the engine ended with %v", err)
			}
		})
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
		if err := change(); err != nil {
			r.t.Fatal(err)
		}
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
	e := NewEngine(r.store, r.cfg)
	first := r.bundle("run-1", "one", content(0))
	r.olderIN(func() {
		for _, seq := range []uint64{r.bundle("run-1", "one", content(1)), first} {
			in := &input{message: &message{Message: streams.Message{Seq: seq}}, addr: shadow.Address{Author: "cmd-1"}}
			if err := e.reject(t.Context(), in, shadow.Refuse(shadow.SlotTaken, "x")); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.checkTruncated(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if err := e.checkTruncated(t.Context()); !errors.Is(err, streams.ErrTruncated) {
		t.Errorf("it says %v", err)
	}
}

// TestForgeriesDoNotTruncate: what somebody else stored in OUT about an event that
// never was keeps no engine from starting, whatever its mark names.
func TestForgeriesDoNotTruncate(t *testing.T) {
	for _, mark := range []string{"", "sha256:abc 0123456789abcdef 00"} {
		r := newRig(t)
		r.bundle("run-1", "one", content(0))
		r.forgedRejection(1<<40, mark, nil)
		if err := NewEngine(r.store, r.cfg).checkTruncated(t.Context()); err != nil {
			t.Errorf("with the mark %q: %v", mark, err)
		}
	}
}

// TestTruncatedLive: IN becomes an older one under an engine at work. The engine
// knows why it has no work, and what comes then has no outcome.
func TestTruncatedLive(t *testing.T) {
	r := newRig(t)
	_, js := r.broker.Connect(t)
	e := NewEngine(r.ensure(js), r.cfg)
	r.serve(e)
	r.sealRun("run-1")
	r.settle()
	r.olderIN(func() {
		bustest.WaitFor(t, "the engine", func() bool { return len(e.Silent()) == 0 })
		r.bundle("run-1", "one", content(0))
		r.report("run-1", "one", 0)
		r.settle()
		if err := e.Truncated(); err != nil {
			t.Error(err)
		}
	})
	bustest.WaitFor(t, "the engine to find out", func() bool { return e.Truncated() != nil })
	r.bundle("run-1", "two", content(0))
	bustest.WaitFor(t, "a second delivery", func() bool {
		i, err := r.store.Judge.Info(t.Context())
		return err == nil && i.NumRedelivered > 0
	})
	r.absent(r.store.GapReport("run-1", "two", 0))
}

// TestStartBesideAnOutage: an engine that cannot read OUT when it starts, as in
// the moment in which a cluster has no leader for it, tries again.
func TestStartBesideAnOutage(t *testing.T) {
	r := newRig(t)
	tried := make(chan struct{}, startTries+1)
	_, js := r.broker.Connect(t)
	engine := NewEngine(r.ensure(js), r.cfg)
	engine.log = slog.New(&warned{slog.DiscardHandler, "will be tried again", tried})
	if err := js.DeleteStream(t.Context(), layout.StreamOut); err != nil {
		t.Fatal(err)
	}
	r.serve(engine)
	select {
	case <-tried:
	case <-time.After(patience):
		t.Fatal("it does not try again")
	}
	r.store = r.ensure(r.js)
	r.sealRun("run-1")
}

// warned tells of each record with a message.
type warned struct {
	slog.Handler
	message string
	seen    chan<- struct{}
}

func (w *warned) Enabled(context.Context, slog.Level) bool { return true }

func (w *warned) WithAttrs([]slog.Attr) slog.Handler { return w }

func (w *warned) Handle(_ context.Context, r slog.Record) error {
	if r.Message == w.message {
		w.seen <- struct{}{}
	}
	return nil
}
