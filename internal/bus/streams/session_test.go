package streams

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// message is the n-th of a consumer.
func message(n int) *nats.Msg {
	return &nats.Msg{Reply: fmt.Sprintf("$JS.ACK.S.C.1.%d.%[1]d.1.0", n), Sub: &nats.Subscription{}}
}

// asleep: the server says nothing of a consumer.
func asleep(context.Context) (*jetstream.ConsumerInfo, error) { return nil, nats.ErrTimeout }

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
			p := &session{Reader: &Reader{Follow: true, Deliver: func(*Message) { cancel() }}, window: 4, msgs: msgs, info: asleep}
			p.connectedNow = func() bool { return true }
			p.ask = func(int) error {
				if asked++; c.back > 0 && asked >= c.back {
					msgs <- message(1)
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
			p := &session{Reader: &Reader{Follow: true}, window: 4, ask: func(int) error { return nil }, info: asleep, connectedNow: func() bool { return connected }}
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
		msgs := make(chan *nats.Msg)
		p := &session{Reader: &Reader{Follow: true, Deliver: func(*Message) {}}, window: 4, msgs: msgs, ask: func(int) error { return nil }, info: asleep, connectedNow: func() bool { return false }}
		p.Alive.Store(true)
		go func() { _ = p.run(ctx) }()
		status := func(s string) nats.Header { return nats.Header{"Status": {s}} }
		for _, c := range []struct {
			m     *nats.Msg
			alive bool
		}{
			{&nats.Msg{Header: status("503")}, false},
			{&nats.Msg{Header: status("100")}, true},
			{&nats.Msg{Header: status("409")}, true},
			{&nats.Msg{Header: status("503"), Reply: message(1).Reply}, true},
			{nil, false}, // silence
			{message(2), true},
		} {
			if c.m != nil {
				msgs <- c.m
			} else {
				<-time.After(2*pullHeartbeat + time.Second)
			}
			synctest.Wait()
			if p.Alive.Load() != c.alive {
				t.Errorf("after %+v: %v", c.m, !c.alive)
			}
		}
	})
}
