package bus

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

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
// any if none is given, in order. It reads through a consumer of its own, which
// the server forgets, and changes nothing.
func readStream(ctx context.Context, js jetstream.JetStream, stream string, subjects []string, deliver func(*message)) error {
	for next := uint64(1); next > 0; {
		var err error
		if next, err = readFrom(ctx, js, stream, subjects, next, deliver); err != nil {
			return fmt.Errorf("reading %s: %w", stream, err)
		}
	}
	return nil
}

// readFrom reads from a sequence on. It returns the sequence to go on from
// where messages were lost on the way, such as by a connection that came back,
// or 0 when all was read.
func readFrom(ctx context.Context, js jetstream.JetStream, stream string, subjects []string, from uint64, deliver func(*message)) (next uint64, err error) {
	consumer, err := js.CreateConsumer(ctx, stream, jetstream.ConsumerConfig{
		Description:       "reads the stream once, from front to back",
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       from,
		AckPolicy:         jetstream.AckNonePolicy,
		FilterSubjects:    subjects,
		InactiveThreshold: readerGone,
		MemoryStorage:     true,
		Replicas:          1,
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return 0, fmt.Errorf("%w: is a shadowd set up on this bus?", err)
	}
	if err != nil {
		return 0, err
	}
	if consumer.CachedInfo().NumPending == 0 {
		return 0, nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	next = from
	var got uint64
	whole, broken := false, false
	err = pull(ctx, js, consumer, readWindow, new(atomic.Bool), func(m *nats.Msg) {
		meta, err := m.Metadata()
		if err != nil || broken || whole && meta.Sequence.Consumer != got+1 {
			return
		}
		if meta.Sequence.Consumer != got+1 {
			broken = true
			stop()
			return
		}
		got, next = meta.Sequence.Consumer, meta.Sequence.Stream+1
		deliver(&message{subject: m.Subject, header: m.Header, data: m.Data, seq: meta.Sequence.Stream, time: meta.Timestamp.UTC()})
		if meta.NumPending == 0 {
			whole = true
			stop()
		}
	})
	switch {
	case errors.Is(err, jetstream.ErrConsumerDeleted) && got > 0:
		return next, nil // the server has forgotten it: with a restart, say
	case err != nil:
		return 0, err
	case whole:
		return 0, nil
	case broken:
		return next, nil
	}
	return 0, ctx.Err()
}

const (
	// readWindow is how many messages a reader asks for ahead.
	readWindow = 512
	// readerGone is when the server forgets a reader that has gone.
	readerGone = time.Minute
)

// settledBy asks how far the daemons have come.
func settledBy(ctx context.Context, js jetstream.JetStream) (audit.Settled, error) {
	var s audit.Settled
	for _, d := range []struct {
		stream, durable string
		floor           *uint64
	}{{StreamIn, DurableSeal, &s.Seal}, {StreamIn, DurableJudge, &s.Judge}, {StreamOut, DurableClock, &s.Clock}} {
		c, err := js.Consumer(ctx, d.stream, d.durable)
		if err != nil {
			return s, fmt.Errorf("consumer %s of %s: is a shadowd set up on this bus?: %w", d.durable, d.stream, err)
		}
		*d.floor = c.CachedInfo().AckFloor.Stream
	}
	return s, nil
}

func firstSequence(ctx context.Context, js jetstream.JetStream, stream string) (uint64, error) {
	s, err := js.Stream(ctx, stream)
	if err != nil {
		return 0, fmt.Errorf("stream %s: %w", stream, err)
	}
	return max(s.CachedInfo().State.FirstSeq, 1), nil
}
