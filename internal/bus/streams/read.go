package streams

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
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
	r := &Reader{JS: js, Stream: stream, Subjects: subjects}
	return r.All(ctx, deliver)
}

// All is [Read] from where the reader begins.
func (r *Reader) All(ctx context.Context, deliver func(*Message) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	r.Deliver = func(m *Message) {
		if failed != nil {
			return
		}
		if failed = deliver(m); failed != nil {
			stop()
		}
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
			return fmt.Errorf("reading %s: %w", r.Stream, err)
		}
	}
	return failed
}

// Last reads the last message of a stream on a subject, or nil if there is none.
func Last(ctx context.Context, js jetstream.JetStream, stream, subject string) (*Message, error) {
	return get(ctx, js, stream, map[string]any{"last_by_subj": subject})
}

// Next reads the first message of a stream on a subject at or after seq, or nil.
func Next(ctx context.Context, js jetstream.JetStream, stream, subject string, seq uint64) (*Message, error) {
	return get(ctx, js, stream, map[string]any{"seq": seq, "next_by_subj": subject})
}

// At reads the message of a stream at a sequence, or nil.
func At(ctx context.Context, js jetstream.JetStream, stream string, seq uint64) (*Message, error) {
	return get(ctx, js, stream, map[string]any{"seq": seq})
}

// get asks the server for one message; nil if there is none. The client's own calls
// are not used, because they fail on a header that they cannot read, which must not keep
// anybody from looking at the message: as in a delivery, it then has none.
func get(ctx context.Context, js jetstream.JetStream, stream string, what map[string]any) (*Message, error) {
	request, err := json.Marshal(what)
	if err != nil {
		return nil, err
	}
	// As the client bounds its own requests: an answer can get lost.
	ctx, cancel := context.WithTimeout(ctx, js.Options().DefaultTimeout)
	defer cancel()
	var a struct {
		Error   *jetstream.APIError
		Message struct {
			Subject    string
			Seq        uint64
			Hdrs, Data []byte
			Time       time.Time
		}
	}
	m, err := js.Conn().RequestWithContext(ctx, apiSubject(js, "STREAM.MSG.GET."+stream), request)
	if err == nil {
		err = json.Unmarshal(m.Data, &a)
	}
	switch e := a.Error; {
	case err != nil:
	case e == nil:
		header, err := nats.DecodeHeadersMsg(a.Message.Hdrs)
		if err != nil {
			header = nil
		}
		return &Message{Subject: a.Message.Subject, Header: header, Data: a.Message.Data, Seq: a.Message.Seq, Time: a.Message.Time.UTC()}, nil
	case e.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return nil, nil
	case e.ErrorCode == jetstream.JSErrCodeStreamNotFound:
		return nil, noStream(jetstream.ErrStreamNotFound)
	default:
		err = e
	}
	return nil, fmt.Errorf("reading from %s: %w", stream, err)
}

func noStream(err error) error { return fmt.Errorf("%w: is a shadowd set up on this bus?", err) }

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
