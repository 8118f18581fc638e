package bus

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// followed is what a follower was given.
type followed struct {
	mu     sync.Mutex
	events map[string]int // by name and run
	ready  bool
}

// follow follows the log until the test ends.
func (r *rig) follow(newest int) *followed {
	f := &followed{events: map[string]int{}}
	ctx, cancel := context.WithCancel(context.Background())
	_, js := r.broker.Connect(r.t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		history.Log{JS: js, Logger: slog.New(slog.DiscardHandler)}.Follow(ctx, newest, func(o history.Event) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.events[o.Name+" "+o.Run]++
		}, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.ready = true
		})
	}()
	r.t.Cleanup(func() { cancel(); <-done })
	return f
}

func (f *followed) is(t *testing.T, what string, want map[string]int) {
	t.Helper()
	bustest.WaitFor(t, what, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.ready && maps.Equal(f.events, want)
	})
}

// TestFollowRuns: what is stored comes once, then what is stored later, also
// after the connection was lost; of many runs only the newest; and nothing that
// is not valid.
func TestFollowRuns(t *testing.T) {
	r := newRig(t)
	r.start()
	r.follow(10).is(t, "an empty log", map[string]int{})
	for i := range 3 {
		run := fmt.Sprintf("r%d", i)
		r.sealRun(run)
		for _, domain := range []string{"one", "two"} {
			r.bundle(run, domain, content(0))
		}
		r.await(r.store.Out, layout.Subjects{}.RunScored(run))
	}
	want := map[string]int{}
	all := func(run string) map[string]int {
		return map[string]int{"decomposition-done " + run: 1, "envelope-sealed " + run: 1, "bundle-complete " + run: 2, "gap-report " + run: 2, "run-scored " + run: 1}
	}
	for _, run := range []string{"r0", "r1", "r2"} {
		maps.Copy(want, all(run))
	}
	f := r.follow(10)
	f.is(t, "all runs", want)
	r.follow(1).is(t, "the newest run", all("r2"))
	// What is no event, and one that breaks its schema, is passed over.
	for _, data := range []string{"{}", string(eventBytes("x", shadow.GapReport, map[string]any{"swarm": 1}))} {
		r.sendRaw(&nats.Msg{Subject: layout.Subjects{}.GapReport("r0", "one", len(data)), Data: []byte(data)})
	}
	r.broker.Stop()
	r.broker.Start(t)
	bustest.WaitFor(t, "the stream to answer", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := r.store.In.Info(ctx)
		return err == nil
	})
	r.sealRun("r3")
	want["decomposition-done r3"], want["envelope-sealed r3"] = 1, 1
	f.is(t, "a later run", want)
}
