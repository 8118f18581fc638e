package streams

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TestConsumerGone: the server's word that it knows no such consumer is believed
// when it stays, not while the server starts.
func TestConsumerGone(t *testing.T) {
	for _, c := range []struct {
		back int // the consumer is there from this question on; 0: never
		want error
	}{{back: 3}, {back: pullMisses}, {want: jetstream.ErrConsumerDeleted}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			msgs := make(chan *nats.Msg, 64)
			asked := 0
			p := &puller{window: 4, msgs: msgs, alive: new(atomic.Bool), deliver: func(*nats.Msg) { cancel() }}
			p.connectedNow = func() bool { return true }
			p.ask = func(int) error {
				if asked++; c.back > 0 && asked >= c.back {
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

// TestSilence: of a server that hangs no word comes. The consumer is given up,
// unless the connection is away.
func TestSilence(t *testing.T) {
	for _, connected := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			p := &puller{window: 4, alive: new(atomic.Bool), ask: func(int) error { return nil }, connectedNow: func() bool { return connected }}
			if err := p.run(ctx); errors.Is(err, jetstream.ErrConsumerDeleted) != connected {
				t.Errorf("connected %v: %v", connected, err)
			}
		})
	}
}

// TestAlive: a consumer is alive as long as the server says something of it,
// and no publisher can make it seem dead.
func TestAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		msgs, alive := make(chan *nats.Msg), &atomic.Bool{}
		p := &puller{window: 4, msgs: msgs, alive: alive, deliver: func(*nats.Msg) {}, ask: func(int) error { return nil }, connectedNow: func() bool { return false }}
		alive.Store(true)
		go func() { _ = p.run(ctx) }()
		status := func(s string) nats.Header { return nats.Header{"Status": {s}} }
		for _, c := range []struct {
			m     *nats.Msg
			alive bool
		}{
			{&nats.Msg{Header: status("503")}, false},
			{&nats.Msg{Header: status("100")}, true},
			{&nats.Msg{Header: status("409")}, true},
			{&nats.Msg{Header: status("503"), Reply: "$JS.ACK.x"}, true},
			{nil, false}, // silence
			{&nats.Msg{Reply: "$JS.ACK.x"}, true},
		} {
			if c.m != nil {
				msgs <- c.m
			} else {
				<-time.After(2*pullHeartbeat + time.Second)
			}
			synctest.Wait()
			if alive.Load() != c.alive {
				t.Errorf("after %+v: %v", c.m, !c.alive)
			}
		}
	})
}
