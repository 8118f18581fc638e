package streams

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// UnreadableError names a message that the server has and cannot read.
type UnreadableError struct {
	Stream   string
	Sequence uint64
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("message %d of %s cannot be read, so the storage of the server is damaged there: restore %[2]s from a backup, or delete that message", e.Sequence, e.Stream)
}

// errReadAll: nothing is left to be delivered.
var errReadAll = errors.New("all was read")

// watch asks the server why no message comes, whenever none has come for a
// while, and ends the session when nothing is left to come: the last messages
// have expired, or cannot be read. Those may count as pending for ever.
func (r *Reader) watch(ctx context.Context, stop context.CancelCauseFunc, s *session) {
	tick := time.NewTicker(readPause)
	defer tick.Stop()
	for before, idle := uint64(0), 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n := s.got.Load()
		if n != before {
			before, idle = n, 0
			continue
		}
		info, err := s.consumer.Info(ctx)
		if err != nil || s.got.Load() != n || info.Delivered.Consumer != n {
			continue // the loop of pull finds out, or something is on its way
		}
		if idle++; info.NumPending == 0 || idle == stuckAfter && (r.scan || unreadable(ctx, r.JS, r.Stream) != nil) {
			stop(errReadAll)
		}
		idle %= stuckAfter
	}
}

// unreadable looks for a message that the server has and cannot read. Its
// consumers pass over it without a word.
func unreadable(ctx context.Context, js jetstream.JetStream, name string) error {
	readable := map[uint64]bool{}
	r := &Reader{JS: js, Stream: name, HeadersOnly: true, Next: 1, scan: true, Deliver: func(m *Message) { readable[m.Seq] = true }}
	for !r.Done {
		if err := r.Session(ctx); err != nil || ctx.Err() != nil {
			return nil
		}
	}
	stream, err := js.Stream(ctx, name)
	if err != nil {
		return nil
	}
	info, err := stream.Info(ctx, jetstream.WithDeletedDetails(true))
	if err != nil {
		return nil
	}
	for _, seq := range info.State.Deleted {
		readable[seq] = true
	}
	for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
		if readable[seq] {
			continue
		}
		if _, err := stream.GetMsg(ctx, seq); errors.Is(err, jetstream.ErrMsgNotFound) {
			return &UnreadableError{name, seq}
		}
	}
	return nil
}
