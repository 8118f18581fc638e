package doctor

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// walled starts a server with users, who may be others than the server takes
// them for, and gives them the files of their seeds.
func walled(t *testing.T, names ...string) (Examiner, []User, *nats.Conn) {
	return walledWith(t, slog.DiscardHandler, names...)
}

// walledWith is walled, with a log.
func walledWith(t *testing.T, log slog.Handler, names ...string) (Examiner, []User, *nats.Conn) {
	t.Helper()
	dir := t.TempDir()
	var users []layout.User
	var logins []User
	for _, name := range names {
		kp, public := bustest.UserPair(t)
		seed := bustest.Must(kp.Seed())
		u := UserNamed(name)
		u.NKey = public
		file := filepath.Join(dir, name+".nk")
		bustest.OK(t, os.WriteFile(file, seed, 0o600))
		users, logins = append(users, u), append(logins, User{u, seedIn(file)})
	}
	s := bustest.Must(broker.Start(broker.Options{Listen: "127.0.0.1:0", DataDir: t.TempDir(), Users: users, Logger: slog.New(log)}))
	t.Cleanup(s.Shutdown)
	v := NewExaminer(s.ClientURL())
	operator := bustest.Must(v.ConnectAs(logins[0]))
	t.Cleanup(operator.Close)
	js := bustest.Must(jetstream.New(operator))
	store, err := layout.Ensure(t.Context(), layout.Subjects{}, js, layout.StorageConfig{})
	if err == nil {
		err = errors.Join(layout.EnsureReaders(t.Context(), store, users), broker.Describe(operator), operator.Flush())
	}
	bustest.OK(t, err)
	return v, logins, operator
}

// lineCounter counts the lines of a log.
type lineCounter struct{ atomic.Int64 }

func (c *lineCounter) Enabled(context.Context, slog.Level) bool  { return true }
func (c *lineCounter) Handle(context.Context, slog.Record) error { c.Add(1); return nil }
func (c *lineCounter) WithAttrs([]slog.Attr) slog.Handler        { return c }
func (c *lineCounter) WithGroup(string) slog.Handler             { return c }

func seedIn(file string) func() (nats.Option, error) {
	return func() (nats.Option, error) { return nats.NkeyOptionFromSeed(file) }
}

// wrong are the findings that are not as they should be.
func wrong(all []Finding) []string {
	var out []string
	for _, f := range all {
		if f.Wanted != f.Allowed {
			out = append(out, f.User+": "+f.Tried)
		}
	}
	return out
}

// TestExamine: behind the wall that shadowd sets up everything is as it should
// be. A user whom the server takes for somebody else may do too much and too
// little, and one who cannot connect is named.
func TestExamine(t *testing.T) {
	var log lineCounter
	v, users, _ := walledWith(t, &log, "operator", "nexus", "commander-one", "auditor-main")
	found := v.Examine(t.Context(), layout.Subjects{}, users)
	if len(found) < 150 || len(wrong(found)) > 0 {
		t.Fatalf("%d findings, wrong %q", len(found), wrong(found))
	}
	// docs/security.md says some 70 for each of the three beyond the wall.
	if n := log.Load(); n < 3*60 || n > 3*80 {
		t.Errorf("the server logged %d lines", n)
	}
	// The server knows this key as that of commander-one.
	other := UserNamed("commander-two")
	lost := User{UserNamed("auditor-lost"), seedIn(filepath.Join(t.TempDir(), "none.nk"))}
	got := wrong(v.Examine(t.Context(), layout.Subjects{}, []User{{other, users[2].Login}, lost}))
	for _, want := range []string{"commander-two: publish swarm.bundle-complete.shadowd-doctor.two", "auditor-lost: connect"} {
		if !slices.Contains(got, want) {
			t.Errorf("not found: %q in %q", want, got)
		}
	}
}

// TestDescribed: readers may ask what a stream is, by which clients begin, and learn
// nothing of what is in it. The doctor finds a server that answers itself.
func TestDescribed(t *testing.T) {
	v, users, operator := walled(t, "operator", "commander-one", "auditor-main")
	bustest.Must(operator.Request("swarm.bundle-complete.r.two", []byte("{}"), time.Second))
	for _, c := range []struct {
		user     User
		stream   string
		messages uint64
	}{{users[1], layout.StreamOut, 0}, {users[2], layout.StreamIn, 1}} {
		nc := bustest.Must(v.ConnectAs(c.user))
		defer nc.Close()
		js := bustest.Must(jetstream.NewWithAPIPrefix(nc, layout.APIPrefix))
		s := bustest.Must(js.Stream(t.Context(), c.stream))
		if _, err := s.Consumer(t.Context(), c.user.Durable()); err != nil {
			t.Errorf("%s: %v", c.user.Name, err)
		}
		got, err := s.Info(t.Context(), jetstream.WithSubjectFilter(">"))
		if err != nil || got.Config.Name != c.stream || got.State.Msgs != c.messages || len(got.State.Subjects) != int(c.messages) {
			t.Errorf("%s is told %+v, %v", c.user.Name, got, err)
		}
	}
	open := strings.ReplaceAll(broker.Config(broker.Options{DataDir: "unused", Users: []layout.User{users[0].User, users[1].User}}), layout.Described(layout.StreamOut), "$JS.API.STREAM.INFO.OUT")
	server := bustest.ServerWith(t, open)
	login := bustest.Must(users[0].Login())
	_, js := server.Connect(t, login)
	bustest.Must(layout.Ensure(t.Context(), layout.Subjects{}, js, layout.StorageConfig{Users: []layout.User{users[1].User}}))
	got := wrong(NewExaminer(server.URL()).Examine(t.Context(), layout.Subjects{}, users[1:2]))
	if !slices.Equal(got, []string{"commander-one: count the events of OUT by SHADOW.API."}) {
		t.Errorf("found %q", got)
	}
}

// TestLateAnswer: a busy server's answer shows a hole, too.
func TestLateAnswer(t *testing.T) {
	server := bustest.Server(t)
	busy, _ := server.Connect(t)
	const subject = "$SRV.PING"
	_, err := busy.Subscribe(subject, func(m *nats.Msg) {
		time.AfterFunc(800*time.Millisecond, func() { _ = m.Respond([]byte("{}")) })
	})
	if err != nil || busy.Flush() != nil {
		t.Fatal(err)
	}
	commander, _ := server.Connect(t)
	found, err := Examine(layout.Subjects{}, commander, UserNamed("commander-one"))
	if err != nil || !slices.Contains(wrong(found), "commander-one: publish "+subject) {
		t.Errorf("not found in %q, %v", wrong(found), err)
	}
}

// TestUnknownUsers: behind the wall nobody connects without a key that the server
// knows; in development mode everybody does.
func TestUnknownUsers(t *testing.T) {
	v, _, _ := walled(t, "operator", "nexus")
	open := NewExaminer(bustest.Server(t).URL())
	for _, c := range []struct {
		v    Examiner
		want []Finding
	}{
		{v, []Finding{{User: "(unknown)", Tried: "connect with no credentials"}, {User: "(unknown)", Tried: "connect with unknown key"}}},
		{open, []Finding{{User: "(unknown)", Tried: "connect with no credentials", Allowed: true},
			{User: "(unknown)", Tried: "connect with unknown key", Note: "the server knows no keys at all"}}},
	} {
		if got, err := c.v.ExamineUnknown(); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%+v, %v, want %+v", got, err, c.want)
		}
	}
}
