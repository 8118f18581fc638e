package bus

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// noted is an observer that counts all it is told.
type noted struct {
	mu   sync.Mutex
	told map[string]int
}

func (n *noted) note(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.told == nil {
		n.told = map[string]int{}
	}
	n.told[fmt.Sprintf(format, args...)]++
}

func (n *noted) Processed(event string, why shadow.Reason) { n.note("settled %s %s", event, why) }
func (n *noted) Failed(event string)                       { n.note("failed %s", event) }
func (n *noted) Stored(event string)                       { n.note("stored %s", event) }
func (n *noted) Reviewed(v shadow.ReviewVerdict)           { n.note("reviewed %s", v) }
func (n *noted) SealBroken(how string)                     { n.note("broken %s", how) }
func (n *noted) Withheld()                                 { n.note("withheld") }
func (n *noted) Sealed(took time.Duration, written map[string]int) {
	n.note("sealed %v %v", took > 0, written)
}
func (n *noted) Judged(r *shadow.Report, took time.Duration, _ string) {
	n.note("judged %d %s %v", r.Swarm.Cycle, r.Report.Level, took > 0)
}

// of is what was told that begins with a word.
func (n *noted) of(word string) map[string]int {
	n.mu.Lock()
	defer n.mu.Unlock()
	told := map[string]int{}
	for what, times := range n.told {
		if rest, ok := strings.CutPrefix(what, word+" "); ok {
			told[rest] = times
		}
	}
	return told
}

// wants waits until an observer has been told this of a word, and no more.
func (n *noted) wants(t *testing.T, word string, want map[string]int) {
	t.Helper()
	// It is told after the acknowledgement, which is all that others see.
	bustest.WaitFor(t, "an observer to be told of "+word, func() bool { return sum(n.of(word)) >= sum(want) })
	if diff := cmp.Diff(want, n.of(word)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", word, diff)
	}
}

// fails waits until the handling of an event has failed.
func (n *noted) fails(t *testing.T, event string) {
	t.Helper()
	bustest.WaitFor(t, "a failure to be told of", func() bool { return n.of("failed")[event] > 0 })
}

func sum(m map[string]int) (n int) {
	for _, k := range m {
		n += k
	}
	return n
}

// outputsStored counts what stands in the streams, by name.
func (r *rig) outputsStored() map[string]int {
	r.t.Helper()
	n := map[string]int{}
	for _, stream := range []string{layout.StreamIn, layout.StreamOut} {
		err := streams.Read(context.Background(), r.js, stream, nil, func(m *streams.Message) error {
			if a, err := (layout.Subjects{}).Parse(m.Subject); err == nil && (stream == layout.StreamOut || a.Name == shadow.EnvelopeSealed || a.Name == shadow.Tick) {
				n[a.Name]++
			}
			return nil
		})
		bustest.OK(r.t, err)
	}
	return n
}

// TestObserver plays a run in which all kinds of events and outputs come up.
func TestObserver(t *testing.T) {
	o := &noted{}
	r := newStarted(t, func(c *Config) {
		c.Observer, c.Settings.FixTimeout = o, time.Second
	})
	r.bundle("run-1", "one", content(4))
	r.report("run-1", "one", 0)
	r.bundle("run-1", "one", content(4)) // a copy is the same event
	r.bundle("run-1", "one", content(1)) // and this one is another
	r.fix("run-1", "one", 1, content(1))
	r.bundle("run-1", "two", content(3)) // whose fix does not come
	r.await(r.store.Out, layout.Subjects{}.RunScored("run-1"))
	r.sendRaw(&nats.Msg{Subject: "swarm.bundle-complete.run-1.cmd-1", Data: []byte("no event")})
	r.decompose(&shadow.Decomposition{RunID: "run-1", Task: "Another", Domains: []shadow.Domain{{Domain: "one", CommanderID: "cmd-1"}}})
	r.settle()

	o.wants(t, "settled", map[string]int{"decomposition-done ": 1, "decomposition-done run_already_sealed": 1,
		"bundle-complete ": 3, "bundle-complete slot_taken": 1, "bundle-complete not_a_cloudevent": 1, "fix-submitted ": 1})
	o.wants(t, "judged", map[string]int{"0 significant true": 2, "1 minor true": 1, "1 significant false": 1})
	o.wants(t, "sealed", map[string]int{"true map[shadowd:16]": 1})
	o.wants(t, "stored", r.outputsStored())
	for _, word := range []string{"failed", "broken"} {
		o.wants(t, word, map[string]int{})
	}
}
