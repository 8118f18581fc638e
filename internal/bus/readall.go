package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// Stored is a message as it stands in a stream.
type Stored struct {
	Subject  string
	Header   nats.Header
	Data     []byte
	Sequence uint64
	Time     time.Time
}

// ReadStream delivers all messages that a stream holds by now on the subjects,
// in order, whatever authors put into their headers: the client's own readers
// take a Status there for word from the server, and stop. An error of deliver
// ends it.
func ReadStream(ctx context.Context, js jetstream.JetStream, stream string, subjects []string, deliver func(Stored) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	err := readStream(ctx, js, stream, subjects, func(m *message) {
		if failed != nil {
			return
		}
		if failed = deliver(Stored{m.subject, m.header, m.data, m.seq, m.time}); failed != nil {
			stop()
		}
	})
	if failed != nil {
		return failed
	}
	return err
}

// readStream delivers all messages that a stream holds on the subjects, or on
// any if none is given, in order. A message that the server cannot read ends
// it with an [UnreadableError].
func readStream(ctx context.Context, js jetstream.JetStream, stream string, subjects []string, deliver func(*message)) error {
	r := &reader{js: js, stream: stream, subjects: subjects, next: 1, deliver: deliver}
	for !r.done {
		err := r.session(ctx)
		if err == nil && !r.done {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", stream, err)
		}
	}
	return nil
}

// settledBy asks how far the daemons have come.
func settledBy(ctx context.Context, js jetstream.JetStream) (audit.Settled, error) {
	var s audit.Settled
	for _, d := range []struct {
		stream, durable string
		floor           *uint64
	}{{layout.StreamIn, layout.DurableSeal, &s.Seal}, {layout.StreamIn, layout.DurableJudge, &s.Judge}, {layout.StreamOut, layout.DurableClock, &s.Clock}} {
		c, err := js.Consumer(ctx, d.stream, d.durable)
		if err != nil {
			return s, fmt.Errorf("consumer %s of %s: is a shadowd set up on this bus?: %w", d.durable, d.stream, err)
		}
		*d.floor = c.CachedInfo().AckFloor.Stream
	}
	return s, nil
}

// firstKept is the sequence below which messages of a stream may have expired,
// and the moment before which those were stored. Where the stream keeps them
// for ever, nothing expires: what is not there was removed by somebody.
func firstKept(ctx context.Context, js jetstream.JetStream, stream string) (first uint64, since time.Time, err error) {
	s, err := js.Stream(ctx, stream)
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("stream %s: %w", stream, err)
	}
	info := s.CachedInfo()
	if info.Config.MaxAge == 0 {
		return 1, time.Time{}, nil
	}
	return max(info.State.FirstSeq, 1), info.TimeStamp.Add(-info.Config.MaxAge), nil
}
