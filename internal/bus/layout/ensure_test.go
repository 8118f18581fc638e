package layout

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
)

func ensured(t *testing.T, js jetstream.JetStream, c StorageConfig) *Store {
	t.Helper()
	s := bustest.Must(Ensure(t.Context(), Subjects{}, js, c))
	return s
}

func TestEnsureMendsWhatIsHarmless(t *testing.T) {
	_, js := bustest.ServerWith(t, "jetstream: enabled\nmax_payload: 2MB").Connect(t)
	s := ensured(t, js, StorageConfig{InMaxBytes: 1 << 30})
	bustest.Must(js.Publish(t.Context(), s.Bundle("r", "c"), nil))
	change(t, js, StreamIn, func(c *jetstream.StreamConfig) { c.Description = "mine"; c.AllowDirect, c.MaxMsgs = true, 1 })
	s = ensured(t, js, StorageConfig{MaxAge: time.Hour, InMaxBytes: 2 << 30, MaxEventBytes: 2 << 20})
	in, out, bucket := s.In.CachedInfo().Config, s.Out.CachedInfo().Config, status(t, s)
	if in.MaxAge != time.Hour || out.MaxAge != 2*time.Hour || bucket.TTL() != 2*time.Hour {
		t.Errorf("ages: IN %s, OUT %s, bucket %s", in.MaxAge, out.MaxAge, bucket.TTL())
	}
	if in.MaxBytes != 2<<30 || in.MaxMsgs != 2<<20 || in.MaxMsgSize != 2<<20 || in.AllowDirect || in.Description == "mine" {
		t.Errorf("IN is %+v", in)
	}
	// Limits are not lowered, so nothing can be dropped by a restart.
	s = ensured(t, js, StorageConfig{InMaxBytes: 1000, MaxEventBytes: 100})
	if in := s.In.CachedInfo().Config; in.MaxBytes != 2<<30 || in.MaxMsgs != 2<<20 || in.MaxMsgSize != 2<<20 {
		t.Errorf("limits were lowered: %+v", in)
	}
	if n := bustest.Count(t, s.In); n != 1 {
		t.Errorf("IN has %d messages, want 1", n)
	}
}

func status(t *testing.T, s *Store) jetstream.KeyValueStatus {
	t.Helper()
	st := bustest.Must(s.Envelopes.Status(t.Context()))
	return st
}

func change(t *testing.T, js jetstream.JetStream, stream string, f func(*jetstream.StreamConfig)) {
	t.Helper()
	s := bustest.Must(js.Stream(t.Context(), stream))
	c := s.CachedInfo().Config
	f(&c)
	bustest.Must(js.UpdateStream(t.Context(), c))
}

func TestDifferences(t *testing.T) {
	k := StorageConfig{}.withDefaults()
	for _, c := range []struct {
		stream jetstream.StreamConfig
		change func(*jetstream.StreamConfig)
		want   string
	}{
		{Subjects{}.in(k), func(c *jetstream.StreamConfig) { c.Subjects = []string{"swarm.tick.>"} }, "stream IN: subjects is swarm.tick.>, not swarm.bundle-complete.*"},
		{Subjects{}.in(k), func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage }, "stream IN: storage is memory, not file"},
		{Subjects{}.in(k), func(c *jetstream.StreamConfig) { c.Duplicates = time.Minute }, "duplicate_window is 1m0s, not 100ms"},
		{Subjects{}.in(k), func(c *jetstream.StreamConfig) { c.AllowMsgTTL = true }, "allow_msg_ttl is true, not false"},
		{Subjects{}.in(k), func(c *jetstream.StreamConfig) { c.AllowAtomicPublish = true }, "allow_atomic is true"},
		{Subjects{}.in(k), func(c *jetstream.StreamConfig) { c.AllowRollup = true }, "allow_rollup_hdrs is true"},
		{Subjects{}.in(k), func(c *jetstream.StreamConfig) { c.NoAck = true }, "no_ack is true, not false"},
		{Subjects{}.out(k), func(c *jetstream.StreamConfig) { c.Retention = jetstream.WorkQueuePolicy }, "stream OUT: retention is workqueue, not limits"},
		{Subjects{}.out(k), func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld }, "discard is old, not new"},
		{k.envelopes(), func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 5 }, "stream KV_SHADOW_ENVELOPES: max_msgs_per_subject is 5, not 1"},
	} {
		found := c.stream
		c.change(&found)
		got := streamDifferences(found, c.stream)
		if all := strings.Join(got, ";"); len(got) > 1 || !strings.Contains(all, c.want) {
			t.Errorf("got  %q\nwant %s", got, c.want)
		}
	}
}

func TestEnsureListsEveryDifference(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	ensured(t, js, StorageConfig{})
	change(t, js, StreamIn, func(c *jetstream.StreamConfig) { c.Duplicates = time.Minute; c.Discard = jetstream.DiscardOld })
	change(t, js, StreamOut, func(c *jetstream.StreamConfig) { c.MaxMsgs = 7; c.NoAck = true; c.Subjects = c.Subjects[1:] })
	_, err := Ensure(t.Context(), Subjects{}, js, StorageConfig{MaxAge: time.Hour})
	if err == nil || strings.Count(err.Error(), "\n  ") != 4 {
		t.Fatalf("got %v", err)
	}
	if in, _ := js.Stream(t.Context(), StreamIn); in.CachedInfo().Config.MaxAge != 0 {
		t.Error("a stream with settings that break a promise was changed")
	}
}

func TestEnsureByManyAtOnce(t *testing.T) {
	t.Parallel()
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
					s, err := Ensure(t.Context(), Subjects{}, js, StorageConfig{Replicas: c.replicas})
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
		layout Subjects
		cfg    StorageConfig
		want   string
	}{
		{Subjects{}, StorageConfig{Replicas: 3}, "replicas > 1 not supported in non-clustered mode"},
		{Subjects{}, StorageConfig{InMaxBytes: 1 << 60}, "too little storage"},
		{Subjects{}, StorageConfig{MaxEventBytes: 1<<20 + 1}, "takes messages of 1048576 bytes (max_payload), and limits.event_bytes is 1048577"},
		{Subjects{"a b"}, StorageConfig{}, `"a b" is not a subject prefix`},
	} {
		if _, err := Ensure(t.Context(), c.layout, js, c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	bustest.Must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "OTHER", Subjects: []string{"swarm.>"}}))
	if _, err := Ensure(t.Context(), Subjects{}, js, StorageConfig{}); err == nil || !strings.Contains(err.Error(), "subjects overlap with an existing stream") {
		t.Errorf("got %v", err)
	}
}

// A disk that is full is no damage.
func TestHints(t *testing.T) {
	full := &jetstream.APIError{ErrorCode: codeConsumerStore, Description: "write meta.inf.tmp: no space left on device"}
	if err := advised(full); !errors.Is(err, full) || !strings.Contains(err.Error(), "the server's disk is full: make room there") {
		t.Errorf("got %v", err)
	}
	little := &jetstream.APIError{ErrorCode: codeInsufficientResources, Description: "insufficient resources"}
	if err := Unstored(little); !errors.Is(err, little) || !strings.Contains(err.Error(), "too little room when it started: make room on its disk") {
		t.Errorf("got %v", err)
	}
	if err := Unstored(full); !errors.Is(err, full) || err.Error() != full.Error() {
		t.Errorf("got %v", err)
	}
}

// What a power cut damaged of a durable can be removed, as the error says.
func TestEnsureAfterDamage(t *testing.T) {
	b := bustest.Server(t)
	_, js := b.Connect(t)
	reader := User{Name: "nexus", Role: RoleNexus}
	c := StorageConfig{Users: []User{reader}}
	ensured(t, js, c)
	folder := filepath.Join(b.Server().JetStreamConfig().StoreDir, "$G", "streams", StreamIn, "obs", reader.Durable())
	b.Stop()
	bustest.OK(t, os.WriteFile(filepath.Join(folder, "o.dat"), []byte("x"), 0o600))
	b.Start(t)
	_, js = b.Connect(t)
	if _, err := Ensure(t.Context(), Subjects{}, js, c); err == nil || !strings.Contains(err.Error(), "remove the consumer's folder (streams/STREAM/obs/CONSUMER") {
		t.Fatalf("with a damaged durable: %v", err)
	}
	b.Stop()
	bustest.OK(t, os.RemoveAll(folder))
	b.Start(t)
	_, js = b.Connect(t)
	ensured(t, js, c)
}

func TestEnsureWithoutJetStream(t *testing.T) {
	_, js := bustest.ServerWith(t, "max_payload: 1MB").Connect(t)
	_, err := Ensure(t.Context(), Subjects{}, js, StorageConfig{})
	if err == nil || !strings.Contains(err.Error(), "JetStream is not enabled") {
		t.Errorf("got %v", err)
	}
}

func TestOldServersAreRefused(t *testing.T) {
	for v, want := range map[string]string{
		"2.11.9":         "nats-server is 2.11.9, but shadowd needs 2.12 or later",
		"1.4.1":          "needs 2.12 or later",
		"2.12.0-beta.1":  "",
		"2.15.2":         "",
		"3.0.0":          "",
		"":               `names its version "": shadowd needs 2.12`,
		"dev\x1b[31mred": `"dev\x1b[31mred"`,
	} {
		err := CheckVersion(v)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", v, err, want)
		}
	}
}

// TestAccountAsksForBounds: an account may ask for a bound of every stream, and the
// error says which setting gives it.
func TestAccountAsksForBounds(t *testing.T) {
	broker := bustest.ServerWith(t, "jetstream: enabled\naccounts: {A: {jetstream: {max_file: 1GB, max_mem: 64MB, max_bytes_required: true}, users: [{user: a, password: a}]}}")
	_, js := broker.Connect(t, nats.UserInfo("a", "a"))
	_, err := Ensure(t.Context(), Subjects{}, js, StorageConfig{InMaxBytes: 1 << 20})
	if err == nil || !strings.Contains(err.Error(), "set bus.out_max_bytes") {
		t.Errorf("without bounds: %v", err)
	}
	if _, err := Ensure(t.Context(), Subjects{}, js, StorageConfig{InMaxBytes: 1 << 20, OutMaxBytes: 1 << 20}); err != nil {
		t.Errorf("with bounds: %v", err)
	}
}
