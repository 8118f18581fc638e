package bus

import (
	"context"
	"fmt"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// Lag is how far one of shadowd's consumers is behind its stream.
type Lag struct {
	Stream, Consumer string
	Messages, Bytes  uint64 // of the stream
	Pending          uint64 // messages that are not delivered yet
	Unacked          int    // messages that are delivered and have no outcome
}

// Lags asks the bus how far the consumers are.
func Lags(ctx context.Context, s *layout.Store) (lags []Lag, err error) {
	for _, c := range []struct{ stream, durable string }{{layout.StreamIn, layout.DurableSeal}, {layout.StreamIn, layout.DurableJudge}, {layout.StreamOut, layout.DurableClock}} {
		stream, err := s.JS.Stream(ctx, c.stream)
		if err != nil {
			return lags, fmt.Errorf("stream %s: %w", c.stream, err)
		}
		consumer, err := stream.Consumer(ctx, c.durable)
		if err != nil {
			return lags, fmt.Errorf("consumer %s of %s: %w", c.durable, c.stream, err)
		}
		state, info := stream.CachedInfo().State, consumer.CachedInfo()
		lags = append(lags, Lag{c.stream, c.durable, state.Msgs, state.Bytes, info.NumPending, info.NumAckPending})
	}
	return lags, nil
}
