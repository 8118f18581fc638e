package bus

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// Lag is how far one of shadowd's consumers is behind its stream.
type Lag struct {
	Stream, Consumer string
	Messages, Bytes  uint64 // of the stream; in IN an event counts as [layout.MinEventBytes] at least
	MaxBytes         int64  // of the stream; -1 is no bound
	Pending          uint64 // messages that are not delivered yet
	Unacked          int    // messages that are delivered and have no outcome
}

// Lags asks the bus how far the consumers are.
func Lags(ctx context.Context, s *layout.Store) (lags []Lag, err error) {
	found, err := durables(ctx, s.JS)
	for _, d := range found {
		state, info := d.stream.CachedInfo().State, d.consumer.CachedInfo()
		bytes := state.Bytes
		if info.Stream == layout.StreamIn {
			bytes = layout.InUsed(state)
		}
		lags = append(lags, Lag{info.Stream, info.Name, state.Msgs, bytes, d.stream.CachedInfo().Config.MaxBytes, info.NumPending, info.NumAckPending})
	}
	return lags, err
}

type durable struct {
	stream   jetstream.Stream
	consumer jetstream.Consumer
}

// durables finds those for seals, judgements and deadlines, in this order.
func durables(ctx context.Context, js jetstream.JetStream) (found []durable, err error) {
	for _, c := range [][2]string{{layout.StreamIn, layout.DurableSeal}, {layout.StreamIn, layout.DurableJudge}, {layout.StreamOut, layout.DurableClock}} {
		var d durable
		if d.stream, err = js.Stream(ctx, c[0]); err == nil {
			d.consumer, err = d.stream.Consumer(ctx, c[1])
		}
		if err != nil {
			return found, fmt.Errorf("consumer %s of %s: %w", c[1], c[0], err)
		}
		found = append(found, d)
	}
	return found, nil
}
