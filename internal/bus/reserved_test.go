package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// TestClaim: of daemons that start together with keys of their own one claims
// the bus. Who holds the claimed key may put its successor in its place.
func TestClaim(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensure(t, js, layout.StorageConfig{})
	before, err := Claimed(t.Context(), s, "envelope")
	if err != nil || before.ID != "" {
		t.Fatalf("%+v, %v", before, err)
	}
	ids := []string{"A", "B", "C", "D"}
	errs := make([]error, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() { errs[i] = ClaimKey(t.Context(), s, "envelope", id, before) })
	}
	wg.Wait()
	now := bustest.Must(Claimed(t.Context(), s, "envelope"))
	for i, id := range ids {
		if (id == now.ID) != (errs[i] == nil) || errs[i] != nil && !errors.Is(errs[i], ErrClaimed) {
			t.Errorf("%s: %v, and the bus is claimed for %s", id, errs[i], now.ID)
		}
	}
	if err := ClaimKey(t.Context(), s, "envelope", now.ID, before); err != nil {
		t.Errorf("the same key again: %v", err)
	}
	if err := ClaimKey(t.Context(), s, "envelope", "E", now); err != nil {
		t.Errorf("the next key: %v", err)
	}
	if err := ClaimKey(t.Context(), s, "envelope", "F", now); !errors.Is(err, ErrClaimed) {
		t.Errorf("in place of a claim that has changed: %v", err)
	}
	log, err := readLog(t.Context(), layout.Subjects{}, js, nil)
	if err != nil || len(log.Envelopes) != 0 {
		t.Errorf("a claim is no envelope: %v, %v", log.Envelopes, err)
	}
}

// TestProbeSeesSmallEvents: IN is full by the number of its events too. On an idle bus
// nothing else shows that OUT is gone.
func TestProbeSeesSmallEvents(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensure(t, js, layout.StorageConfig{InMaxBytes: 16 << 10, MaxEventBytes: 4 << 10})
	for i := range 16 {
		if _, _, err := Probe(t.Context(), s); i <= 12 && err != nil || i > 12 && err == nil {
			t.Errorf("after %d events: %v", i, err)
		}
		bustest.Must(js.Publish(t.Context(), s.Bundle(fmt.Sprint("r", i), "c"), nil))
	}
	held, most, err := Probe(t.Context(), s)
	if held != 16<<10 || most != 16<<10 || err == nil || !strings.Contains(err.Error(), "IN is full: 16384 of 16384 bytes (bus.max_bytes) are used by 16 events") {
		t.Errorf("%d of %d: %v", held, most, err)
	}
	lags, err := Lags(t.Context(), s)
	if err != nil || lags[0].Bytes != 16<<10 {
		t.Errorf("%+v, %v", lags, err)
	}
	bustest.OK(t, js.DeleteStream(t.Context(), layout.StreamOut))
	if _, _, err := Probe(t.Context(), s); err == nil || !strings.Contains(err.Error(), "OUT is gone") {
		t.Error(err)
	}
}

// late is a bucket whose entry cannot be read at once, as in a cluster that
// stores it.
type late struct {
	jetstream.KeyValue
	reads atomic.Int32
}

func (l *late) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	if l.reads.Add(1) <= 2 {
		return nil, jetstream.ErrKeyNotFound
	}
	return l.KeyValue.Get(ctx, key)
}

// TestClaimNotYetReadable: a claim that is refused for another one waits until
// that can be read.
func TestClaimNotYetReadable(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	s := ensure(t, js, layout.StorageConfig{})
	bustest.OK(t, ClaimKey(t.Context(), s, "envelope", "A", Claim{}))
	bucket := s.Envelopes
	for id, want := range map[string]error{"A": nil, "B": ErrClaimed} {
		s.Envelopes = &late{KeyValue: bucket}
		if err := ClaimKey(t.Context(), s, "envelope", id, Claim{}); !errors.Is(err, want) {
			t.Errorf("%s: %v", id, err)
		}
	}
}
