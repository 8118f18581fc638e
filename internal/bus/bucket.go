package bus

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
)

// bucketState tells whether anything has left the bucket of envelopes. A run
// has one revision there, so whatever replaces, deletes, purges or expires one
// counts, with a mark or without.
type bucketState struct {
	removed uint64
	made    time.Time // it may be made anew
}

// bucket asks for the state. Those who ask at the same time share an answer,
// which was asked for after the last of them came.
type bucket struct {
	asking sync.Mutex // one request at a time
	mu     sync.Mutex
	next   *bucketAnswer // is not being asked for yet
}

type bucketAnswer struct {
	once  sync.Once
	state bucketState
	err   error
}

func (b *bucket) state(ctx context.Context, js jetstream.JetStream) (bucketState, error) {
	b.mu.Lock()
	if b.next == nil {
		b.next = &bucketAnswer{}
	}
	a := b.next
	b.mu.Unlock()
	a.once.Do(func() {
		b.asking.Lock()
		defer b.asking.Unlock()
		b.mu.Lock()
		b.next = nil
		b.mu.Unlock()
		a.state.removed, a.state.made, a.err = streams.Removed(ctx, js, "KV_"+layout.BucketEnvelopes)
	})
	return a.state, a.err
}
