package bus

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
)

func ensure(t *testing.T, js jetstream.JetStream, c StorageConfig) *Store {
	t.Helper()
	s, err := Layout{}.Ensure(t.Context(), js, c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// code is the server's code in an error, or 0.
func code(err error) jetstream.ErrorCode {
	var e *jetstream.APIError
	if errors.As(err, &e) {
		return e.ErrorCode
	}
	return 0
}

func msgWith(subject string, header ...string) *nats.Msg {
	m := nats.NewMsg(subject)
	m.Data = []byte("x")
	for i := 0; i < len(header); i += 2 {
		m.Header.Set(header[i], header[i+1])
	}
	return m
}

func storedIn(t *testing.T, s jetstream.Stream) uint64 {
	t.Helper()
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.State.Msgs
}

// What a publisher may write in a header must not do anything to IN.
func TestInRefusesControlHeaders(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensure(t, js, StorageConfig{})
	subject := s.Bundle("r", "c")
	if _, err := js.PublishMsg(t.Context(), msgWith(subject)); err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*nats.Msg{
		"rollup of the subject": msgWith(subject, "Nats-Rollup", "sub"),
		"rollup of the stream":  msgWith(subject, "Nats-Rollup", "all"),
		"TTL":                   msgWith(subject, "Nats-TTL", "1s"),
		"schedule":              msgWith(subject, "Nats-Schedule", "@at 2030-01-01T00:00:00Z", "Nats-Schedule-Target", s.Bundle("r", "d")),
		"counter":               msgWith(subject, "Nats-Incr", "1"),
		"batch":                 msgWith(subject, "Nats-Batch-Id", "b", "Nats-Batch-Sequence", "1", "Nats-Batch-Commit", "1"),
	} {
		if _, err := js.PublishMsg(t.Context(), m); code(err) == 0 {
			t.Errorf("%s: the server answered %v", name, err)
		}
	}
	if n := storedIn(t, s.In); n != 1 {
		t.Errorf("IN has %d messages, want 1", n)
	}
}

func TestStreamsKeepExactTokenCounts(t *testing.T) {
	nc, js := bustest.Server(t).Connect(t)
	s := ensure(t, js, StorageConfig{})
	var want [2]uint64
	for subject := range everySubject(s.Layout) {
		ack, err := js.Publish(t.Context(), subject, nil)
		if err != nil {
			t.Fatalf("%s: %v", subject, err)
		}
		want[map[string]int{StreamIn: 0, StreamOut: 1}[ack.Stream]]++
	}
	for _, subject := range []string{
		"swarm.decomposition-done", "swarm.decomposition-done.r.x", "swarm.bundle-complete.r", "swarm.bundle-complete.r.c.x",
		"swarm.fix-submitted.r", "swarm.envelope-sealed.r.x", "swarm.gap-report.r.d", "swarm.gap-report.r.d.0.x",
		"swarm.hardening-request.c.r.d", "swarm.bundle-quarantined.r", "swarm.run-scored.r.x", "swarm.event-rejected.1",
		"swarm.clock.r", "swarm.clock.r.d.fired", "swarm.clock.r.d.1.x.fired", "swarm.other.r", "swarm",
	} {
		if _, err := nc.Request(subject, nil, time.Second); !errors.Is(err, nats.ErrNoResponders) {
			t.Errorf("%s: the server answered %v", subject, err)
		}
	}
	if got := [2]uint64{storedIn(t, s.In), storedIn(t, s.Out)}; got != want || want[0] != 4 {
		t.Errorf("IN and OUT have %v messages, want %v", got, want)
	}
}

func TestInRefusesWhenFull(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensure(t, js, StorageConfig{InMaxBytes: 2000, MaxEventBytes: 1000})
	if _, err := js.Publish(t.Context(), s.Bundle("r", "c"), make([]byte, 1001)); !errors.Is(err, jetstream.ErrStreamMessageExceedsMaximum) {
		t.Errorf("an event that is too large: %v", err)
	}
	var last error
	for i := 0; i < 4 && last == nil; i++ {
		_, last = js.Publish(t.Context(), s.Bundle("r", fmt.Sprint("c", i)), make([]byte, 900))
	}
	if code(last) == 0 || !strings.Contains(last.Error(), "maximum bytes exceeded") {
		t.Errorf("a full stream answers %v", last)
	}
	if m, err := s.In.GetMsg(t.Context(), 1); err != nil || m.Subject != s.Bundle("r", "c0") {
		t.Errorf("the first event is %v, %v", m, err)
	}
}

// Message ids count for a whole stream, and the window for them cannot be
// switched off. With the shortest one, an id that somebody has used before
// suppresses nothing.
func TestMessageIDsSuppressNothingForLong(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensure(t, js, StorageConfig{})
	if _, err := js.PublishMsg(t.Context(), msgWith(s.Bundle("r", "thief"), "Nats-Msg-Id", "id")); err != nil {
		t.Fatal(err)
	}
	bustest.WaitFor(t, "another's event with the same message id", func() bool {
		ack, err := js.PublishMsg(t.Context(), msgWith(s.Bundle("r", "c"), "Nats-Msg-Id", "id"))
		return err == nil && !ack.Duplicate
	})
}

func TestOutStoresOnce(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensure(t, js, StorageConfig{})
	subject := s.GapReport("r", "d", 0)
	once := jetstream.WithExpectLastSequencePerSubject(0)
	if _, err := js.PublishMsg(t.Context(), msgWith(subject), once); err != nil {
		t.Fatal(err)
	}
	if _, err := js.PublishMsg(t.Context(), msgWith(subject), once); code(err) != jetstream.JSErrCodeStreamWrongLastSequence {
		t.Errorf("the second publish: %v", err)
	}
}

func TestTimersFireIntoTheClock(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensure(t, js, StorageConfig{})
	at := "@at " + time.Now().UTC().Format(time.RFC3339Nano)
	for _, c := range []struct{ timer, fired, guard string }{
		{s.RunTimer("r"), s.RunFired("r"), s.RunClock("r")},
		{s.DomainTimer("r", "d", 1), s.DomainFired("r", "d", 1), s.DomainClock("r", "d", 1)},
	} {
		arm := func() error {
			_, err := js.PublishMsg(t.Context(), msgWith(c.timer, "Nats-Schedule", at, "Nats-Schedule-Target", c.fired),
				jetstream.WithExpectLastSequenceForSubject(0, c.guard))
			return err
		}
		if err := arm(); err != nil {
			t.Fatal(err)
		}
		m, err := s.Clock.Next()
		if err != nil {
			t.Fatal(err)
		}
		if m.Subject() != c.fired {
			t.Errorf("fired on %s, want %s", m.Subject(), c.fired)
		}
		if err := arm(); code(err) != jetstream.JSErrCodeStreamWrongLastSequence {
			t.Errorf("armed again after it fired: %v", err)
		}
	}
}

func TestDurablesReadTheirOwn(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensure(t, js, StorageConfig{})
	for subject := range everySubject(s.Layout) {
		if _, err := js.Publish(t.Context(), subject, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		consumer jetstream.Consumer
		want     uint64
		pending  int
	}{{s.Seal, 1, 256}, {s.Judge, 2, -1}, {s.Clock, 2, -1}} {
		info, err := c.consumer.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		k := info.Config
		if info.NumPending != c.want || k.MaxAckPending != c.pending || k.AckPolicy != jetstream.AckExplicitPolicy || k.MaxDeliver != -1 || k.AckWait != 30*time.Second {
			t.Errorf("%s: %d to read, configuration %+v", k.Durable, info.NumPending, k)
		}
	}
}

// Direct reads may come from a replica that lags. Nobody answers them.
func TestDirectReadsAreOff(t *testing.T) {
	nc, js := bustest.Server(t).Connect(t)
	// As it is where a client's key-value API created it.
	cfg := StorageConfig{}.withDefaults().envelopes()
	cfg.AllowDirect = true
	if _, err := js.CreateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	s := ensure(t, js, StorageConfig{})
	if _, err := s.Envelopes.Create(t.Context(), "r", []byte("sealed")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{StreamIn, StreamOut, "KV_" + BucketEnvelopes} {
		if _, err := nc.Request("$JS.API.DIRECT.GET."+name, []byte(`{"seq":1}`), time.Second); !errors.Is(err, nats.ErrNoResponders) {
			t.Errorf("%s: a direct read is answered: %v", name, err)
		}
	}
	if v, err := s.Envelopes.Get(t.Context(), "r"); err != nil || string(v.Value()) != "sealed" {
		t.Errorf("the envelope is %v, %v", v, err)
	}
	if _, err := s.Envelopes.Create(t.Context(), "r", []byte("other")); !errors.Is(err, jetstream.ErrKeyExists) {
		t.Errorf("a second envelope: %v", err)
	}
}

func TestEnsureMendsWhatIsHarmless(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensure(t, js, StorageConfig{})
	if _, err := js.Publish(t.Context(), s.Bundle("r", "c"), nil); err != nil {
		t.Fatal(err)
	}
	change(t, js, StreamIn, func(c *jetstream.StreamConfig) { c.Description = "mine"; c.AllowDirect = true })
	seal := s.Seal.CachedInfo().Config
	seal.AckWait, seal.MaxAckPending = time.Second, 5
	if _, err := s.In.UpdateConsumer(t.Context(), seal); err != nil {
		t.Fatal(err)
	}
	s = ensure(t, js, StorageConfig{MaxAge: time.Hour, InMaxBytes: 2 << 30, MaxEventBytes: 2 << 20, SealPending: 10})
	in, out, bucket := s.In.CachedInfo().Config, s.Out.CachedInfo().Config, status(t, s)
	if in.MaxAge != time.Hour || out.MaxAge != 2*time.Hour || bucket.TTL() != 2*time.Hour {
		t.Errorf("ages: IN %s, OUT %s, bucket %s", in.MaxAge, out.MaxAge, bucket.TTL())
	}
	if in.MaxBytes != 2<<30 || in.MaxMsgSize != 2<<20 || in.AllowDirect || in.Description == "mine" {
		t.Errorf("IN is %+v", in)
	}
	if c := s.Seal.CachedInfo().Config; c.AckWait != 30*time.Second || c.MaxAckPending != 10 {
		t.Errorf("seal is %+v", c)
	}
	// Limits are not lowered, so nothing can be dropped by a restart.
	s = ensure(t, js, StorageConfig{InMaxBytes: 1000, MaxEventBytes: 100})
	if in := s.In.CachedInfo().Config; in.MaxBytes != 2<<30 || in.MaxMsgSize != 2<<20 {
		t.Errorf("limits were lowered: %+v", in)
	}
	if n := storedIn(t, s.In); n != 1 {
		t.Errorf("IN has %d messages, want 1", n)
	}
}

func status(t *testing.T, s *Store) jetstream.KeyValueStatus {
	t.Helper()
	st, err := s.Envelopes.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func change(t *testing.T, js jetstream.JetStream, stream string, f func(*jetstream.StreamConfig)) {
	t.Helper()
	s, err := js.Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	c := s.CachedInfo().Config
	f(&c)
	if _, err := js.UpdateStream(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

func TestEnsureListsBrokenPromises(t *testing.T) {
	for _, c := range []struct {
		name   string
		stream string
		change func(*jetstream.StreamConfig)
		want   string
	}{
		{"wildcard", StreamIn, func(c *jetstream.StreamConfig) { c.Subjects = []string{"swarm.bundle-complete.>"} }, "stream IN: subjects is [swarm.bundle-complete.>], not ["},
		{"storage", StreamIn, func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage }, "stream IN: storage is Memory, not File: a restart of the server would lose it; to mend it, keep a copy of what it holds and remove it"},
		{"discard", StreamIn, func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld }, "discard is DiscardOld, not DiscardNew: what happens when it is full decides what is lost; to mend it, run: nats stream edit IN --discard new"},
		{"window", StreamIn, func(c *jetstream.StreamConfig) { c.Duplicates = time.Minute }, "duplicate window is 1m0s, not 100ms: one publisher could suppress another's event by using its message id first; to mend it, run: nats stream edit IN --dupe-window 100ms"},
		{"rollup", StreamIn, func(c *jetstream.StreamConfig) { c.AllowRollup = true }, "--no-allow-rollup"},
		{"TTL", StreamIn, func(c *jetstream.StreamConfig) { c.AllowMsgTTL = true }, "message TTL is true, not false"},
		{"batch", StreamIn, func(c *jetstream.StreamConfig) { c.AllowAtomicPublish = true }, "--no-allow-batch"},
		{"fast batch", StreamIn, func(c *jetstream.StreamConfig) { c.AllowBatchPublish = true }, "--no-allow-fast"},
		{"no ack", StreamIn, func(c *jetstream.StreamConfig) { c.NoAck = true }, "acknowledgements off is true, not false"},
		{"count", StreamIn, func(c *jetstream.StreamConfig) { c.MaxMsgs = 10 }, "--max-msgs -1"},
		{"one per subject", StreamIn, func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 1 }, "--max-msgs-per-subject -1"},
		{"workqueue", StreamOut, func(c *jetstream.StreamConfig) { c.Retention = jetstream.WorkQueuePolicy }, "stream OUT: retention is WorkQueue, not Limits"},
		{"no schedules", StreamOut, func(c *jetstream.StreamConfig) { c.AllowMsgSchedules = false }, "nats stream edit OUT --allow-schedules"},
		{"limit on OUT", StreamOut, func(c *jetstream.StreamConfig) { c.MaxBytes = 1 << 20 }, "nats stream edit OUT --max-bytes -1"},
		{"history", "KV_" + BucketEnvelopes, func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 5 }, "nats stream edit KV_SHADOW_ENVELOPES --max-msgs-per-subject 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, js := bustest.Server(t).Connect(t)
			k := StorageConfig{}.withDefaults()
			for _, cfg := range []jetstream.StreamConfig{Layout{}.in(k), Layout{}.out(k), k.envelopes()} {
				if cfg.Name == c.stream {
					c.change(&cfg)
					if _, err := js.CreateStream(t.Context(), cfg); err != nil {
						t.Fatal(err)
					}
				}
			}
			_, err := Layout{}.Ensure(t.Context(), js, k)
			var d *DifferencesError
			if !errors.As(err, &d) || len(d.Differences) != 1 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestEnsureListsEveryDifference(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	ensure(t, js, StorageConfig{})
	change(t, js, StreamIn, func(c *jetstream.StreamConfig) { c.Duplicates = time.Minute; c.Discard = jetstream.DiscardOld })
	change(t, js, StreamOut, func(c *jetstream.StreamConfig) { c.MaxMsgs = 7 })
	_, err := Layout{}.Ensure(t.Context(), js, StorageConfig{MaxAge: time.Hour})
	var d *DifferencesError
	if !errors.As(err, &d) || len(d.Differences) != 3 {
		t.Fatalf("got %v", err)
	}
	if in, _ := js.Stream(t.Context(), StreamIn); in.CachedInfo().Config.MaxAge != 0 {
		t.Error("a stream with settings that break a promise was changed")
	}
}

func TestEnsureRefusesForeignDurables(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*jetstream.ConsumerConfig)
		want   string
	}{
		"filter":    {func(c *jetstream.ConsumerConfig) { c.FilterSubjects = []string{"swarm.bundle-complete.*.*"} }, "filter is [swarm.bundle-complete.*.*], not ["},
		"no ack":    {func(c *jetstream.ConsumerConfig) { c.AckPolicy = jetstream.AckNonePolicy }, "ack policy is AckNone, not AckExplicit"},
		"delivers":  {func(c *jetstream.ConsumerConfig) { c.MaxDeliver = 5 }, "largest number of deliveries is 5, not -1"},
		"new only":  {func(c *jetstream.ConsumerConfig) { c.DeliverPolicy = jetstream.DeliverNewPolicy }, "deliver policy is"},
		"forgetful": {func(c *jetstream.ConsumerConfig) { c.InactiveThreshold = time.Hour }, "removal when inactive is 1h0m0s, not 0s"},
		"in memory": {func(c *jetstream.ConsumerConfig) { c.MemoryStorage = true }, "nats consumer rm IN judge"},
	} {
		t.Run(name, func(t *testing.T) {
			_, js := bustest.Server(t).Connect(t)
			cfg := Layout{}.judge()
			c.change(&cfg)
			in, err := js.CreateStream(t.Context(), Layout{}.in(StorageConfig{}.withDefaults()))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := in.CreateConsumer(t.Context(), cfg); err != nil {
				t.Fatal(err)
			}
			_, err = Layout{}.Ensure(t.Context(), js, StorageConfig{})
			var d *DifferencesError
			if !errors.As(err, &d) || len(d.Differences) != 1 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestEnsureByManyAtOnce(t *testing.T) {
	one := bustest.Server(t)
	nodes := bustest.Cluster(t, 3)
	for name, c := range map[string]struct {
		connect  func(testing.TB, ...nats.Option) (*nats.Conn, jetstream.JetStream)
		replicas int
	}{"one server": {one.Connect, 1}, "three replicas": {nodes.Connect, 3}} {
		t.Run(name, func(t *testing.T) {
			var all sync.WaitGroup
			errs := make(chan error, 8)
			for range cap(errs) {
				_, js := c.connect(t)
				all.Go(func() {
					s, err := Layout{}.Ensure(t.Context(), js, StorageConfig{Replicas: c.replicas})
					if err == nil && s.Out.CachedInfo().Config.Replicas != c.replicas {
						err = fmt.Errorf("%d replicas", s.Out.CachedInfo().Config.Replicas)
					}
					errs <- err
				})
			}
			all.Wait()
			for range cap(errs) {
				if err := <-errs; err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestEnsureSaysWhatTheServerLacks(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	for _, c := range []struct {
		layout Layout
		cfg    StorageConfig
		want   string
	}{
		{Layout{}, StorageConfig{Replicas: 3}, "connect to a cluster"},
		{Layout{}, StorageConfig{InMaxBytes: 1 << 60}, "too little storage"},
		{Layout{"a b"}, StorageConfig{}, `subject prefix "a b"`},
	} {
		if _, err := c.layout.Ensure(t.Context(), js, c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "OTHER", Subjects: []string{"swarm.>"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := (Layout{}).Ensure(t.Context(), js, StorageConfig{}); err == nil || !strings.Contains(err.Error(), "another stream stores these subjects") {
		t.Errorf("got %v", err)
	}
}

func TestEnsureWithoutJetStream(t *testing.T) {
	_, js := bustest.Plain(t).Connect(t)
	_, err := Layout{}.Ensure(t.Context(), js, StorageConfig{})
	if err == nil || !strings.Contains(err.Error(), "JetStream is not enabled") {
		t.Errorf("got %v", err)
	}
}

func TestOldServersAreRefused(t *testing.T) {
	for v, want := range map[string]string{
		"2.11.9":         "nats-server is 2.11.9, but shadowd needs 2.12 or later: its deadlines are scheduled messages",
		"1.4.1":          "needs 2.12 or later",
		"2.12.0-beta.1":  "",
		"2.15.2":         "",
		"3.0.0":          "",
		"":               `names its version "": shadowd needs 2.12`,
		"dev\x1b[31mred": `"dev\x1b[31mred"`,
	} {
		err := checkVersion(v)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", v, err, want)
		}
	}
}
