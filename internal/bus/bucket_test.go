package bus

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// TestBucketState: nobody gets an answer that was asked for before they came,
// and what is taken out without a mark counts.
func TestBucketState(t *testing.T) {
	r := newRig(t)
	stream, err := r.js.Stream(t.Context(), kvStream)
	if err != nil {
		t.Fatal(err)
	}
	var b bucket
	var gone atomic.Uint64
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for n := range 8 {
				run := fmt.Sprintf("run-%d-%d", i, n)
				if _, err := r.store.Envelopes.Create(t.Context(), run, []byte("x")); err != nil {
					t.Error(err)
				}
				if err := stream.Purge(t.Context(), jetstream.WithPurgeSubject("$KV."+layout.BucketEnvelopes+"."+run)); err != nil {
					t.Error(err)
				}
				want := gone.Add(1)
				s, err := b.state(t.Context(), r.js)
				if err != nil || s.removed < want || s.made.IsZero() {
					t.Errorf("%d are gone, and the state is %+v, %v", want, s, err)
				}
			}
		})
	}
	wg.Wait()
}
