package bus

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// conflicts is a stream with replicas on which another message for the subject
// is under way, for so many tries.
type conflicts struct {
	left int
	then error
}

func (c *conflicts) PublishMsg(context.Context, *nats.Msg, ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if c.left--; c.left >= 0 {
		return nil, &jetstream.APIError{ErrorCode: jetstream.JSErrCodeStreamWrongLastSequenceConstant}
	}
	if c.then != nil {
		return nil, c.then
	}
	return &jetstream.PubAck{Sequence: 7}, nil
}

// TestConflictInFlight: a message that is under way to the replicas proves
// nothing. It is tried again until one of the two is stored.
func TestConflictInFlight(t *testing.T) {
	stored := &jetstream.APIError{ErrorCode: jetstream.JSErrCodeStreamWrongLastSequence}
	for _, c := range []struct {
		pub  conflicts
		seq  uint64
		want error
	}{
		{conflicts{left: 3}, 7, nil},
		{conflicts{left: 3, then: stored}, 0, errStored},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := &outbox{pub: &c.pub}
			if seq, err := o.store(t.Context(), nats.NewMsg("s"), 0); seq != c.seq || !errors.Is(err, c.want) {
				t.Errorf("%+v: %d, %v", c.pub, seq, err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		o := &outbox{pub: &conflicts{left: 1000}}
		if _, err := o.store(t.Context(), nats.NewMsg("s"), 0); !hasCode(err, jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
			t.Errorf("a conflict without end: %v", err)
		}
	})
}

// TestOutGone: who cannot store its outputs says so, until it can.
func TestOutGone(t *testing.T) {
	r := newStarted(t)
	r.settle()
	later := func() string { return r.engine.out.problem(time.Now().Add(2 * troubleAfter)) }
	bustest.OK(t, r.js.DeleteStream(t.Context(), layout.StreamOut))
	if problem := later(); problem != "" {
		t.Errorf("before it stores one: %s", problem)
	}
	r.bundle("run-1", "one", content(0))
	bustest.WaitFor(t, "the engine to say so", func() bool {
		return strings.Contains(later(), "no output could be stored: publishing to swarm.gap-report.run-1")
	})
	if problem := r.engine.Problem(); problem != "" {
		t.Errorf("at once: %s", problem)
	}
	r.store = r.ensure(r.js)
	r.report("run-1", "one", 0)
	bustest.WaitFor(t, "all to be well", func() bool { return later() == "" })
	r.settle()
}

// TestAnswerLost: that the answer to a publish got lost is no trouble any more once
// it is known that the output is stored.
func TestAnswerLost(t *testing.T) {
	r := newRig(t)
	pub, lost := newFaulty(r.js, nil), false
	pub.Plan(func(m *nats.Msg) loss {
		if lost || !strings.Contains(m.Subject, "gap-report") {
			return unharmed
		}
		lost = true
		return unreported
	})
	r.start(func(c *Config) { c.Publisher = pub })
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(0)) // nothing more is stored
	r.settle()
	if problem := r.engine.out.problem(time.Now().Add(2 * troubleAfter)); problem != "" || pub.Hits() != 1 {
		t.Errorf("%q, %d lost", problem, pub.Hits())
	}
}
