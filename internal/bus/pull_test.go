package bus

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TestDurableGone: the server's word that it knows no such durable is believed
// when it stays, not while the server starts.
func TestDurableGone(t *testing.T) {
	for _, c := range []struct {
		back int // the durable is there from this question on; 0: never
		want error
	}{{back: 3}, {back: pullMisses}, {want: jetstream.ErrConsumerDeleted}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			msgs := make(chan *nats.Msg, 64)
			asked := 0
			p := &puller{window: 4, msgs: msgs, alive: new(atomic.Bool), deliver: func(*nats.Msg) { cancel() }}
			p.gone = func(context.Context) bool {
				asked++
				return c.back == 0 || asked < c.back
			}
			p.ask = func(int) error {
				if c.back > 0 && asked >= c.back {
					msgs <- &nats.Msg{Reply: "$JS.ACK.x"}
				} else {
					msgs <- &nats.Msg{Header: nats.Header{"Status": {"503"}}}
				}
				return nil
			}
			if err := p.run(ctx); !errors.Is(err, c.want) {
				t.Errorf("there from question %d on: %v", c.back, err)
			}
			cancel()
		})
	}
}
