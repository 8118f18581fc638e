package bus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// walled is a rig behind the wall, and clients of each role.
type walled struct {
	*rig
	server  *broker.Server // nil where it is another
	keys    map[string]nkeys.KeyPair
	users   []layout.User
	url     string
	storage layout.StorageConfig
	// listless: users have no lists of subjects.
	listless bool
	connect  func(name string, opts ...nats.Option) *nats.Conn
}

// everyRole is a user of each role beyond the wall.
func everyRole(t testing.TB) []layout.User {
	return bustest.EveryRole(t, func(name, role, commander, key string) layout.User {
		return layout.User{Name: name, Role: layout.Role(role), Commander: commander, NKey: key}
	})
}

// wallUsers are the users of the attack suite with their keys.
func wallUsers(t testing.TB) ([]layout.User, map[string]nkeys.KeyPair) {
	t.Helper()
	users := append(everyRole(t), layout.User{Name: "operator", Role: layout.RoleOperator})
	keys := map[string]nkeys.KeyPair{}
	for i := range users {
		kp, public := bustest.UserPair(t)
		users[i].NKey, keys[users[i].Name] = public, kp
	}
	return users, keys
}

// newWalled starts the embedded server with users, and an engine on it.
func newWalled(t testing.TB) *walled {
	t.Helper()
	users, keys := wallUsers(t)
	return walledFor(t, users, keys)
}

func walledFor(t testing.TB, users []layout.User, keys map[string]nkeys.KeyPair) *walled {
	t.Helper()
	s := bustest.Must(broker.Start(broker.Options{Listen: "127.0.0.1:0", DataDir: t.TempDir(), Users: users, Logger: slog.New(slog.DiscardHandler)}))
	t.Cleanup(s.Shutdown)
	w := &walled{server: s, keys: keys, users: users}
	w.dialAt(t, s.ClientURL())
	w.engine(t)
	return w
}

// dialAt sets how users connect to the servers at url. An outsider, who has no
// key, gets no connection.
func (w *walled) dialAt(t testing.TB, url string) {
	w.url = url
	w.connect = func(name string, opts ...nats.Option) *nats.Conn {
		t.Helper()
		nc, err := w.try(url, name, opts...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Cleanup(nc.Close)
		return nc
	}
}

func (w *walled) try(url, name string, opts ...nats.Option) (*nats.Conn, error) {
	all := []nats.Option{nats.Timeout(patience), nats.CustomInboxPrefix("_INBOX_" + name), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}
	if kp := w.keys[name]; kp != nil {
		public, err := kp.PublicKey()
		if err != nil {
			return nil, err
		}
		all = append(all, nats.Nkey(public, kp.Sign))
	}
	return nats.Connect(url, append(all, opts...)...)
}

// engine runs one as the operator, who may do what shadowd may.
func (w *walled) engine(t testing.TB) {
	t.Helper()
	key := bustest.Must(nkeys.CreateCurveKeys())
	js := bustest.Must(broker.JetStream(w.connect("operator")))
	settings := testSettings()
	settings.WorkspaceIsolation = "strict"
	w.rig = &rig{t: t, js: js, cfg: Config{
		Settings: settings, Authors: []shadow.Author{sealedAuthor{}}, Panel: wordPanel{}, Key: key,
		Limits: shadow.Limits{ContentBytes: 64 << 10, WaitingPerRun: 100, SealWait: time.Hour},
		Logger: slog.New(slog.DiscardHandler),
	}}
	w.storage.Users = w.users
	store := bustest.Must(layout.Ensure(t.Context(), layout.Subjects{}, js, w.storage))
	w.store = store
	w.rig.serve(NewEngine(store, w.cfg))
}

// as publishes an event as a user and returns its sequence in IN.
func (w *walled) as(user, subject, name string, data any) uint64 {
	w.t.Helper()
	js := bustest.Must(jetstream.New(w.connect(user), jetstream.WithDefaultTimeout(patience)))
	ack, err := js.PublishMsg(w.t.Context(), &nats.Msg{Subject: subject, Data: eventBytes(fmt.Sprintf("ev-%d", w.sent.Add(1)), name, data)})
	if err != nil {
		w.t.Fatalf("%s on %s: %v", user, subject, err)
	}
	return ack.Sequence
}

// reader is a user's durable on a stream, as a client beyond the wall has it. It
// asks again where the server drops the request, as it does in a flood.
func (w *walled) reader(user, stream string) jetstream.Consumer {
	w.t.Helper()
	js := bustest.Must(jetstream.NewWithAPIPrefix(w.connect(user), layout.APIPrefix, jetstream.WithDefaultTimeout(patience)))
	for _, u := range w.users {
		if u.Name == user {
			c, err := layout.Retry(w.t.Context(), func(ctx context.Context) (jetstream.Consumer, error) { return js.Consumer(ctx, stream, u.Durable()) })
			if err != nil {
				w.t.Fatalf("%s reads %s: %v", user, stream, err)
			}
			return c
		}
	}
	w.t.Fatalf("no user %s", user)
	return nil
}

// next takes a message from a durable and acknowledges it. Like every reader it
// asks again where a request got lost, as one may in a cluster that has just
// come up.
func (w *walled) next(c jetstream.Consumer) jetstream.Msg {
	w.t.Helper()
	var m jetstream.Msg
	bustest.WaitFor(w.t, "a message", func() (there bool) {
		var err error
		m, err = c.Next(jetstream.FetchMaxWait(10 * time.Second))
		if err != nil && !errors.Is(err, nats.ErrTimeout) {
			w.t.Fatal(err)
		}
		return err == nil
	})
	bustest.OK(w.t, m.DoubleAck(w.t.Context()))
	return m
}

func playThroughTheWall(w *walled, run string) {
	t, l := w.t, layout.Subjects{}
	t.Helper()
	judge := w.connect("judge")
	live := bustest.Must(judge.SubscribeSync("swarm.gap-report." + run + ".*.*"))
	bustest.OK(t, judge.Flush())
	seals, reports, audit := w.reader("nexus", layout.StreamIn), w.reader("judge", layout.StreamOut), w.reader("auditor", layout.StreamIn)
	w.as("nexus", l.Decomposition(run), shadow.DecompositionDone, twoDomains(run))
	for w.next(seals).Subject() != l.Commitment(run) {
	}
	w.as("alpha", l.Bundle(run, "cmd-1"), shadow.BundleComplete, bundleData(run, bundleOf("one", content(4))))
	w.as("beta", l.Bundle(run, "cmd-2"), shadow.BundleComplete, bundleData(run, bundleOf("two", content(0))))
	asked := w.reader("alpha", layout.StreamOut)
	for w.next(asked).Subject() != l.HardeningRequest("cmd-1", run, "one", 1) {
	}
	w.as("alpha", l.Fix(run, "cmd-1"), shadow.FixSubmitted, fixData(run, 1, bundleOf("one", content(0))))
	seen := map[string]bool{}
	for !seen[l.RunScored(run)] {
		seen[w.next(reports).Subject()] = true
	}
	for _, s := range []string{l.GapReport(run, "one", 0), l.GapReport(run, "one", 1), l.GapReport(run, "two", 0)} {
		if !seen[s] {
			t.Errorf("consensus did not read %s: %v", s, seen)
		}
	}
	for range 3 {
		m, err := live.NextMsg(patience)
		if err != nil || !seen[m.Subject] {
			t.Fatalf("live: %v, %+v", err, m)
		}
	}
	for w.next(audit).Subject() != l.Fix(run, "cmd-1") {
	}
	rep := w.report(run, "one", 1)
	if rep.Report.WorkspaceIsolation != "strict" || rep.Report.ConformanceLevel < 3 || !rep.Swarm.Final {
		t.Errorf("the report says %+v", rep.Report)
	}
}

// The server takes a literal wildcard for an id where a permission has a
// wildcard. Such an event stays its author's own, and is rejected.
func TestLiteralWildcards(t *testing.T) {
	w := newWalled(t)
	playThroughTheWall(w, "run-1")
	for subject, by := range map[string]string{"swarm.bundle-complete.*.cmd-1": "alpha", "swarm.fix-submitted.*.cmd-1": "alpha", "swarm.bundle-complete.>.cmd-2": "beta"} {
		author := map[string]string{"alpha": "cmd-1", "beta": "cmd-2"}[by]
		seq := w.as(by, subject, shadow.BundleComplete, bundleData("run-1", bundleOf("one", content(0))))
		w.wantRejected(author, seq, shadow.IDMismatch)
	}
	decomposition := w.as("nexus", "swarm.decomposition-done.*", shadow.DecompositionDone, twoDomains("run-2"))
	w.wantRejected(layout.AuthorNexus, decomposition, shadow.IDMismatch)
	rest := w.as("nexus", "swarm.decomposition-done.>", shadow.DecompositionDone, twoDomains("run-2"))
	w.wantRejected(layout.AuthorNexus, rest, shadow.IDMismatch)
}
