package layout

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
)

// What a publisher may write in a header must not do anything to IN.
func TestInRefusesControlHeaders(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensured(t, js, StorageConfig{})
	subject := s.Bundle("r", "c")
	if _, err := js.PublishMsg(t.Context(), bustest.Message(subject)); err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*nats.Msg{
		"rollup of the subject": bustest.Message(subject, "Nats-Rollup", "sub"),
		"rollup of the stream":  bustest.Message(subject, "Nats-Rollup", "all"),
		"TTL":                   bustest.Message(subject, "Nats-TTL", "1s"),
		"schedule":              bustest.Message(subject, "Nats-Schedule", "@at 2030-01-01T00:00:00Z", "Nats-Schedule-Target", s.Bundle("r", "d")),
		"counter":               bustest.Message(subject, "Nats-Incr", "1"),
		"batch":                 bustest.Message(subject, "Nats-Batch-Id", "b", "Nats-Batch-Sequence", "1", "Nats-Batch-Commit", "1"),
	} {
		if _, err := js.PublishMsg(t.Context(), m); bustest.Code(err) == 0 {
			t.Errorf("%s: the server answered %v", name, err)
		}
	}
	if n := bustest.Count(t, s.In); n != 1 {
		t.Errorf("IN has %d messages, want 1", n)
	}
}

func TestStreamsKeepExactTokenCounts(t *testing.T) {
	nc, js := bustest.Server(t).Connect(t)
	s := ensured(t, js, StorageConfig{})
	var want [2]uint64
	for subject := range everySubject(s.Subjects) {
		ack, err := js.Publish(t.Context(), subject, nil)
		if err != nil {
			t.Fatalf("%s: %v", subject, err)
		}
		want[map[string]int{StreamIn: 0, StreamOut: 1}[ack.Stream]]++
	}
	for _, subject := range []string{
		"swarm.decomposition-done", "swarm.decomposition-done.r.x", "swarm.bundle-complete.r", "swarm.bundle-complete.r.c.x",
		"swarm.fix-submitted.r", "swarm.envelope-sealed.r.x", "swarm.gap-report.r.d", "swarm.gap-report.r.d.0.x",
		"swarm.hardening-request.c.r.d", "swarm.bundle-quarantined.r", "swarm.domain-settled.c", "swarm.report-reviewed.r.d", "swarm.run-reviewed.r.d", "swarm.tick", "swarm.run-scored.r.x", "swarm.event-rejected.1",
		"swarm.tick.1.x", "swarm.other.r", "swarm",
	} {
		if _, err := nc.Request(subject, nil, time.Second); !errors.Is(err, nats.ErrNoResponders) {
			t.Errorf("%s: the server answered %v", subject, err)
		}
	}
	if got := [2]uint64{bustest.Count(t, s.In), bustest.Count(t, s.Out)}; got != want || want[0] != 6 {
		t.Errorf("IN and OUT have %v messages, want %v", got, want)
	}
}

func TestInRefusesWhenFull(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensured(t, js, StorageConfig{InMaxBytes: 4096, MaxEventBytes: 2000})
	if _, err := js.Publish(t.Context(), s.Bundle("r", "c"), make([]byte, 2001)); !errors.Is(err, jetstream.ErrStreamMessageExceedsMaximum) {
		t.Errorf("an event that is too large: %v", err)
	}
	var last error
	for i := 0; i < 4 && last == nil; i++ {
		_, last = js.Publish(t.Context(), s.Bundle("r", fmt.Sprint("c", i)), make([]byte, 1900))
	}
	if bustest.Code(last) == 0 || !strings.Contains(last.Error(), "maximum bytes exceeded") {
		t.Errorf("a full stream answers %v", last)
	}
	if m, err := s.In.GetMsg(t.Context(), 1); err != nil || m.Subject != s.Bundle("r", "c0") {
		t.Errorf("the first event is %v, %v", m, err)
	}
}

// Small events on subjects of their own cost the server more memory than they have
// bytes. So an event counts as 1 KiB at least.
func TestInRefusesManySmallEvents(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensured(t, js, StorageConfig{InMaxBytes: 16 << 10, MaxEventBytes: 1000})
	var last error
	n := 0
	for ; n < 20 && last == nil; n++ {
		_, last = js.Publish(t.Context(), s.Bundle(fmt.Sprint("r", n), "c"), nil)
	}
	if n != 17 || bustest.Code(last) == 0 || !strings.Contains(last.Error(), "maximum messages exceeded") {
		t.Errorf("event %d of 16 is answered %v", n, last)
	}
	info, err := s.In.Info(t.Context())
	if err != nil || InUsed(info.State) != 16<<10 {
		t.Errorf("IN has used %d bytes, %v", InUsed(info.State), err)
	}
	if m, err := s.In.GetMsg(t.Context(), 1); err != nil || m.Subject != s.Bundle("r0", "c") {
		t.Errorf("the first event is %v, %v", m, err)
	}
}

// Message ids count for a whole stream, and the window for them cannot be
// switched off. With the shortest one, an id that somebody has used before
// suppresses nothing.
func TestMessageIDsSuppressNothingForLong(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensured(t, js, StorageConfig{})
	if _, err := js.PublishMsg(t.Context(), bustest.Message(s.Bundle("r", "thief"), "Nats-Msg-Id", "id")); err != nil {
		t.Fatal(err)
	}
	bustest.WaitFor(t, "another's event with the same message id", func() bool {
		ack, err := js.PublishMsg(t.Context(), bustest.Message(s.Bundle("r", "c"), "Nats-Msg-Id", "id"))
		return err == nil && !ack.Duplicate
	})
}

func TestOutStoresOnce(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensured(t, js, StorageConfig{})
	subject := s.GapReport("r", "d", 0)
	once := jetstream.WithExpectLastSequencePerSubject(0)
	if _, err := js.PublishMsg(t.Context(), bustest.Message(subject), once); err != nil {
		t.Fatal(err)
	}
	if _, err := js.PublishMsg(t.Context(), bustest.Message(subject), once); bustest.Code(err) != jetstream.JSErrCodeStreamWrongLastSequence {
		t.Errorf("the second publish: %v", err)
	}
}

// The bucket of leases is in memory. It comes back where a server that was started
// again has forgotten it.
func TestLeasesAreForgotten(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensured(t, js, StorageConfig{})
	if err := js.DeleteStream(t.Context(), "KV_"+BucketLease); err != nil {
		t.Fatal(err)
	}
	if err := s.OpenLease(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lease.Create(t.Context(), "k", nil); err != nil {
		t.Error(err)
	}
	stream, err := js.Stream(t.Context(), "KV_"+BucketLease)
	if err != nil || stream.CachedInfo().Config.Storage != jetstream.MemoryStorage {
		t.Errorf("%+v, %v", stream, err)
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
	s := ensured(t, js, StorageConfig{})
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
