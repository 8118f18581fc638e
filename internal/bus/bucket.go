package bus

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// bucketState tells whether anything has left the bucket of envelopes. A run
// has one revision there, so whatever replaces, deletes, purges or expires one
// counts, with a mark or without.
type bucketState struct {
	created time.Time // of the stream: it may be made anew
	left    uint64    // messages that were stored and are there no more
}

// bucket asks for the state. Those who ask at the same time share an answer,
// which was asked for after the last of them came.
type bucket struct {
	stream jetstream.Stream
	asking sync.Mutex // one request at a time
	mu     sync.Mutex
	next   *bucketAnswer // is not being asked for yet
}

type bucketAnswer struct {
	once  sync.Once
	state bucketState
	err   error
}

func (b *bucket) state(ctx context.Context) (bucketState, error) {
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
		info, err := b.stream.Info(ctx)
		if err != nil {
			a.err = fmt.Errorf("the state of the bucket of envelopes: %w", err)
			return
		}
		a.state = bucketState{created: info.Created, left: info.State.LastSeq - info.State.Msgs}
	})
	return a.state, a.err
}
