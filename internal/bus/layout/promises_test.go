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

// Message ids count for a whole stream, and the window for them cannot be
// switched off. With the shortest one, an id that somebody has used before
// suppresses nothing.
func TestMessageIDsSuppressNothingForLong(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensured(t, js, StorageConfig{})
	bustest.Must(js.PublishMsg(t.Context(), bustest.Message(s.Bundle("r", "thief"), "Nats-Msg-Id", "id")))
	bustest.WaitFor(t, "another's event with the same message id", func() bool {
		ack, err := js.PublishMsg(t.Context(), bustest.Message(s.Bundle("r", "c"), "Nats-Msg-Id", "id"))
		return err == nil && !ack.Duplicate
	})
}

// The bucket of leases is in memory. It comes back where a server that was started
// again has forgotten it.
func TestLeasesAreForgotten(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensured(t, js, StorageConfig{})
	bustest.OK(t, js.DeleteStream(t.Context(), "KV_"+BucketLease))
	bustest.OK(t, s.OpenLease(t.Context()))
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
	bustest.Must(js.CreateStream(t.Context(), cfg))
	s := ensured(t, js, StorageConfig{})
	bustest.Must(s.Envelopes.Create(t.Context(), "r", []byte("sealed")))
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
