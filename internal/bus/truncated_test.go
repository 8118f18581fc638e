package bus

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

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
