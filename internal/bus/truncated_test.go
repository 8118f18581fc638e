package bus

import (
	"errors"
	"testing"

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
			if err := r.js.DeleteStream(t.Context(), StreamIn); err != nil {
				t.Fatal(err)
			}
			_, js := r.broker.Connect(t)
			if err := NewEngine(r.ensure(js), r.cfg).Run(t.Context()); !errors.Is(err, ErrTruncated) {
				t.Errorf("the engine ended with %v", err)
			}
		})
	}
}
