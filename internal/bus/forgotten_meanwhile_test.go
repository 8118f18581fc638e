package bus

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestForgottenMeanwhile: a run may be forgotten between an event's turn and what
// follows from it. That event fails and comes again; the views of all runs go on.
func TestForgottenMeanwhile(t *testing.T) {
	for name, step := range map[string]func(*Engine, *runView) error{
		"a report is followed": func(e *Engine, v *runView) error { return e.followReport(t.Context(), v, shadow.Slot{Domain: "a"}) },
		"a run is sealed":      func(e *Engine, v *runView) error { return e.armRun(t.Context(), v) },
	} {
		e := &Engine{views: newViews(layout.Subjects{}, &Config{})}
		v := e.views.of("run-1", 0)
		v.Commitment = &shadow.Commitment{}
		v.report(shadow.Slot{Domain: "a"}, 1, v.Sealed.Time)
		v.erase()
		l := &loop{log: slog.New(slog.DiscardHandler), handle: func(context.Context, *message) error { return step(e, v) }}
		if err := l.guarded(t.Context(), &message{}); !errors.Is(err, errPermanent) {
			t.Errorf("%s: %v", name, err)
		}
		if !e.views.mu.TryLock() {
			t.Errorf("%s: the views stay locked", name)
		}
	}
}

// TestScoredOfNothing: a view may lose its domains while the run is scored at its
// deadline. No daemon then says that the run, of no domain, is perfect.
func TestScoredOfNothing(t *testing.T) {
	r := newRig(t)
	run := &sealedRun{commitment: &shadow.Commitment{RunID: "run-1"}, domains: []shadow.Domain{{Domain: "a"}}}
	finals, _, _ := new(shadow.View).Finals()
	if err := NewEngine(r.store, r.cfg).publishSum(t.Context(), run, finals, time.Now()); err == nil {
		t.Error("it is scored")
	}
	r.absent(r.store.RunScored("run-1"))
}
