package bus

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// TestAttacksOnChangedUsers: a wall to which users came while the server ran
// stands as one does that had them from the start.
func TestAttacksOnChangedUsers(t *testing.T) {
	t.Parallel()
	all, keys := wallUsers(t)
	late := func(u layout.User) bool {
		return u.Name == "beta" || u.Role == layout.RoleAuditor || u.Role == layout.RoleConsensus
	}
	w := walledFor(t, slices.DeleteFunc(slices.Clone(all), late), keys)
	w.begin("run-early")
	w.setUsers(all)
	attackAll(t, w, allAttacks())
}

// begin has a run sealed, so that the engine is known to run.
func (w *walled) begin(run string) {
	w.as("nexus", layout.Subjects{}.Decomposition(run), shadow.DecompositionDone, twoDomains(run))
	w.await(w.store.In, layout.Subjects{}.Commitment(run))
}

func (w *walled) setUsers(users []layout.User) {
	w.t.Helper()
	bustest.OK(w.t, w.server.SetUsers(users))
	bustest.OK(w.t, layout.EnsureReaders(w.t.Context(), w.store, users))
	w.users = users
}

// TestUsersComeAndGo: who comes gets in, who goes is put out, and nobody else
// notices.
func TestUsersComeAndGo(t *testing.T) {
	all, keys := wallUsers(t)
	few := slices.DeleteFunc(slices.Clone(all), func(u layout.User) bool { return u.Name == "beta" })
	w := walledFor(t, few, keys)
	if nc, err := w.try(w.url, "beta"); err == nil {
		nc.Close()
		t.Fatal("who is no user gets in")
	}
	w.begin("run-0")
	alpha, operator := w.connect("alpha"), w.js.Conn()
	w.setUsers(all)
	playThroughTheWall(w, "run-1")
	beta := w.connect("beta", nats.MaxReconnects(0))
	w.setUsers(few)
	bustest.WaitFor(t, "the end of a user who is gone", beta.IsClosed)
	if nc, err := w.try(w.url, "beta"); err == nil {
		nc.Close()
		t.Error("who is gone gets in")
	}
	w.setUsers(all)
	playThroughTheWall(w, "run-2")
	for name, nc := range map[string]*nats.Conn{"alpha": alpha, "operator": operator} {
		if err := nc.Flush(); err != nil || nc.Stats().Reconnects != 0 {
			t.Errorf("%s was disconnected %d times, %v", name, nc.Stats().Reconnects, err)
		}
	}
	if !w.server.Walled() || len(w.server.Users()) != len(all)+1 {
		t.Errorf("users %v", w.server.Users())
	}
}

// TestUsersChangeUnderWork: users come and go while runs begin. The race
// detector is what finds fault here.
func TestUsersChangeUnderWork(t *testing.T) {
	t.Parallel()
	all, keys := wallUsers(t)
	few := slices.DeleteFunc(slices.Clone(all), func(u layout.User) bool { return u.Name == "beta" })
	w := walledFor(t, all, keys)
	w.begin("run-0")
	stop, stopped := make(chan struct{}), make(chan struct{})
	nexus := w.connect("nexus")
	go func() {
		defer close(stopped)
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			default:
				run := fmt.Sprintf("run-%d", i)
				_ = nexus.Publish(layout.Subjects{}.Decomposition(run), eventBytes("ev-"+run, shadow.DecompositionDone, twoDomains(run)))
				_ = nexus.Flush()
				if i%10 == 0 {
					w.connect("alpha", nats.RetryOnFailedConnect(true)).Close()
				}
			}
		}
	}()
	for range 3 {
		w.setUsers(few)
		w.setUsers(all)
	}
	close(stop)
	<-stopped
	if nexus.Stats().Reconnects != 0 {
		t.Errorf("nexus was disconnected %d times", nexus.Stats().Reconnects)
	}
}

// TestUsersRefused: what would change what reports may claim, or is no list of
// users, changes nothing.
func TestUsersRefused(t *testing.T) {
	all, keys := wallUsers(t)
	w := walledFor(t, all, keys)
	w.begin("run-0")
	if err := w.server.SetUsers(nil); !errors.Is(err, broker.ErrWallChanged) {
		t.Errorf("the wall is taken down: %v", err)
	}
	if err := w.server.SetUsers(append(slices.Clone(all), all[0])); err == nil {
		t.Error("a user is there twice")
	}
	playThroughTheWall(w, "run-1")

	open := bustest.Must(broker.Start(broker.Options{DataDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)}))
	t.Cleanup(open.Shutdown)
	nc := bustest.Must(open.ConnAs(nil))
	defer nc.Close()
	if err := open.SetUsers(all); !errors.Is(err, broker.ErrWallChanged) {
		t.Errorf("a wall is put up: %v", err)
	}
	if err := open.SetUsers(nil); err != nil || nc.Flush() != nil || nc.Stats().Reconnects != 0 || open.Walled() {
		t.Errorf("the same users again: %v", err)
	}
}
