package streams

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/progress"
)

// Message is a message as it stands in a stream.
type Message struct {
	Subject string
	Header  nats.Header
	Data    []byte
	Seq     uint64
	Time    time.Time
}

// Read delivers all messages that a stream holds by now on the subjects,
// or on any if none is given, in order, whatever authors put into their headers:
// the client's own readers take a Status there for word from the server, and
// stop. An error of deliver ends it; so does a message that the server cannot
// read, with an [UnreadableError].
func Read(ctx context.Context, js jetstream.JetStream, stream string, subjects []string, deliver func(*Message) error) error {
	return ReadSince(ctx, js, stream, subjects, time.Time{}, deliver)
}

// ReadSince is [Read] of what was stored since a moment, or of all if that is zero.
func ReadSince(ctx context.Context, js jetstream.JetStream, stream string, subjects []string, since time.Time, deliver func(*Message) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	read := progress.Count(ctx, "messages read of "+stream, 0)
	r := &Reader{JS: js, Stream: stream, Subjects: subjects, Since: since, Deliver: func(m *Message) {
		if failed != nil {
			return
		}
		read()
		if failed = deliver(m); failed != nil {
			stop()
		}
	}}
	if since.IsZero() {
		r.Next = 1
	}
	for !r.Done {
		err := r.Session(ctx)
		if err == nil && !r.Done {
			err = ctx.Err()
		}
		if failed != nil {
			return failed
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", stream, err)
		}
	}
	return failed
}
