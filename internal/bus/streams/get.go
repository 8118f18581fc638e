package streams

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

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

// get asks the server for one message. The client's own calls are not used
// because they fail on a header that they cannot read, and that of an author
// must not keep anybody from looking at the message. As in a delivery, it then
// has no header.
func get(ctx context.Context, js jetstream.JetStream, stream string, what map[string]any) (*Message, error) {
	request, err := json.Marshal(what)
	if err != nil {
		return nil, err
	}
	// As the client bounds its own requests: an answer can get lost.
	ctx, cancel := context.WithTimeout(ctx, js.Options().DefaultTimeout)
	defer cancel()
	m, err := js.Conn().RequestWithContext(ctx, apiSubject(js, "STREAM.MSG.GET."+stream), request)
	if err != nil {
		return nil, fmt.Errorf("reading from %s: %w", stream, err)
	}
	var answer struct {
		Error   *jetstream.APIError `json:"error"`
		Message struct {
			Subject string    `json:"subject"`
			Seq     uint64    `json:"seq"`
			Header  []byte    `json:"hdrs"`
			Data    []byte    `json:"data"`
			Time    time.Time `json:"time"`
		} `json:"message"`
	}
	if err := json.Unmarshal(m.Data, &answer); err != nil {
		return nil, fmt.Errorf("reading from %s: %w", stream, err)
	}
	if e := answer.Error; e != nil {
		switch e.ErrorCode {
		case jetstream.JSErrCodeMessageNotFound:
			return nil, nil
		case jetstream.JSErrCodeStreamNotFound:
			return nil, noStream(jetstream.ErrStreamNotFound)
		}
		return nil, fmt.Errorf("reading from %s: %w", stream, e)
	}
	stored := &answer.Message
	header, err := nats.DecodeHeadersMsg(stored.Header)
	if err != nil {
		header = nil
	}
	return &Message{Subject: stored.Subject, Header: header, Data: stored.Data, Seq: stored.Seq, Time: stored.Time.UTC()}, nil
}

func noStream(err error) error { return fmt.Errorf("%w: is a shadowd set up on this bus?", err) }
