package streams

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// Input reads what stands at a sequence of IN as an engine takes it, a message
// whose header the client cannot read included: that of an author must not
// keep anybody from looking at it. The error is [jetstream.ErrMsgNotFound] if
// nothing stands there.
func Input(ctx context.Context, js jetstream.JetStream, seq uint64) (nats.Header, []byte, error) {
	stream, err := js.Stream(ctx, layout.StreamIn)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", layout.StreamIn, err)
	}
	m, err := stream.GetMsg(ctx, seq)
	if err == nil {
		return m.Header, m.Data, nil
	}
	if !errors.Is(err, nats.ErrBadHeaderMsg) {
		return nil, nil, err
	}
	raw, err := NextRaw(ctx, js, ">", seq)
	if err != nil {
		return nil, nil, err
	}
	return nil, raw.Data, nil
}
