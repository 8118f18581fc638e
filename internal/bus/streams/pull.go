package streams

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// pull asks a consumer for its messages and gives them to deliver, in order, until
// ctx ends. It returns an error when the consumer is gone, or no word comes of it.
// Meanwhile alive is whether the server gives signs of life.
//
// The client's own Consume is not used because of what it believes: it takes
// an event that has no payload and a header Status for word from the server.
// A publisher could so end the daemon with a "409 Consumer Deleted". Here the
// reply subject tells: the server's own notices have none.
func pull(ctx context.Context, js jetstream.JetStream, consumer jetstream.Consumer, window int, alive *atomic.Bool, deliver func(*nats.Msg)) error {
	nc, info := js.Conn(), consumer.CachedInfo()
	inbox := nc.NewInbox()
	// A channel, since NextMsg too believes a Status. It has room for the
	// messages of a request and for notices beside them.
	msgs := make(chan *nats.Msg, 2*window+64)
	sub, err := nc.ChanSubscribe(inbox, msgs)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	subject := apiSubject(js, "CONSUMER.MSG.NEXT."+info.Stream+"."+info.Name)
	alive.Store(true)
	defer alive.Store(false)
	connected := nc.StatusChanged(nats.CONNECTED)
	defer nc.RemoveStatusListener(connected)
	p := &puller{connected: connected, window: window, msgs: msgs, alive: alive, deliver: deliver, ask: func(n int) error {
		request, err := json.Marshal(map[string]any{"batch": n, "expires": pullExpires, "idle_heartbeat": pullHeartbeat})
		if err != nil {
			return err
		}
		return nc.PublishRequest(subject, inbox, request)
	}, connectedNow: nc.IsConnected}
	return p.run(ctx)
}

const (
	pullExpires   = 30 * time.Second
	pullHeartbeat = 5 * time.Second
	pullPause     = 250 * time.Millisecond // after a request that the server turned down
	pullMisses    = 3                      // after so many the consumer is gone
)

// puller keeps up to window messages asked for, and asks for more when half of
// them have come, so that the server never has to wait for it.
type puller struct {
	window  int
	msgs    <-chan *nats.Msg
	alive   *atomic.Bool
	deliver func(*nats.Msg)
	ask     func(n int) error
	// connected tells that a connection has come back: what was asked for
	// over the one before is lost.
	connected <-chan nats.Status
	// connectedNow says whether there is a connection. No server reports a consumer
	// as gone while its own server is away or hangs.
	connectedNow func() bool
	// due is how many messages were asked for and have not come.
	due int
	// missed is how often in a row the server knew no such consumer.
	missed int
}

func (p *puller) run(ctx context.Context) error {
	for {
		if n := p.window - p.due; n >= p.window/2 {
			if err := p.ask(n); err != nil {
				return fmt.Errorf("asking for messages: %w", err)
			}
			p.due += n
		}
		select {
		case <-ctx.Done():
			return nil
		case _, open := <-p.connected:
			if p.due = 0; !open {
				p.connected = nil
			}
		case <-time.After(2 * pullHeartbeat):
			p.due = 0 // no sign of life: ask anew
			p.alive.Store(false)
			if p.connectedNow() {
				return jetstream.ErrConsumerDeleted
			}
		case m := <-p.msgs:
			p.alive.Store(delivered(m) || m.Header.Get("Status") != "503")
			if delivered(m) {
				p.due, p.missed = max(p.due-1, 0), 0
				p.deliver(m)
			} else if err := p.notice(ctx, m); err != nil {
				return err
			}
		}
	}
}

// notice takes in what the server says about a request. One word that the
// consumer is gone is not enough: a server that starts or ends says so too.
func (p *puller) notice(ctx context.Context, m *nats.Msg) error {
	switch status := m.Header.Get("Status"); status {
	case "100": // alive
		return nil
	case "503": // nobody answers: no leader, or the consumer is gone
		if !p.connectedNow() {
			p.missed = 0
		} else if p.missed++; p.missed > pullMisses {
			return jetstream.ErrConsumerDeleted
		}
		fallthrough
	case "409": // the server has no room just now, or the consumer was deleted
		select {
		case <-ctx.Done():
		case <-time.After(pullPause):
		}
	}
	// The request is over, and says how much of it was not met.
	left, err := strconv.Atoi(m.Header.Get("Nats-Pending-Messages"))
	if err != nil || left > p.due {
		left = p.due
	}
	p.due -= left
	return nil
}

// delivered tells a message of the stream from a notice of the server.
func delivered(m *nats.Msg) bool { return strings.HasPrefix(m.Reply, "$JS.ACK.") }

// apiSubject is where JetStream's API listens.
func apiSubject(js jetstream.JetStream, name string) string {
	o := js.Options()
	switch {
	case o.APIPrefix != "":
		return strings.TrimSuffix(o.APIPrefix, ".") + "." + name
	case o.Domain != "":
		return "$JS." + o.Domain + ".API." + name
	}
	return "$JS.API." + name
}
