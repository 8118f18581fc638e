package bus

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
)

// TestLostAnswer: a read whose answer is lost on the way fails, to be tried
// again. Else whoever asks the same would wait for it for ever.
func TestLostAnswer(t *testing.T) {
	nc, _ := bustest.Server(t).Connect(t)
	sub := bustest.Must(nc.SubscribeSync("mute.>")) // takes requests and answers none
	defer func() { _ = sub.Unsubscribe() }()
	js := bustest.Must(jetstream.NewWithAPIPrefix(nc, "mute", jetstream.WithDefaultTimeout(100*time.Millisecond)))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := streams.At(ctx, js, layout.StreamIn, 1); err == nil || ctx.Err() != nil {
		t.Errorf("%v", err)
	}
}
