package bus

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// reader delivers the messages of a stream in order, through consumers of its
// own that the server forgets. It changes nothing. Where messages are lost on
// the way, such as by a connection that came back, it goes on behind the last
// one that it delivered.
type reader struct {
	js     jetstream.JetStream
	stream string
	// subjects selects messages; none means all.
	subjects []string
	// headersOnly leaves the data out.
	headersOnly bool
	// next is the sequence to go on from; 0 stands for the first message that
	// was stored at since or later.
	next  uint64
	since time.Time
	// follow: go on waiting for new messages where the stream ends.
	follow bool
	// alive: the server gives signs of life.
	alive atomic.Bool
	// scan: what does not come for a while counts as not there.
	scan    bool
	deliver func(*message)
	// done: all that the stream held was delivered.
	done bool
	// now is the consumer that it reads through.
	now atomic.Pointer[session]
}

// session is one consumer of a reader, and how many messages it delivered.
type session struct {
	consumer jetstream.Consumer
	got      atomic.Uint64
}

// UnreadableError names a message that the server has and cannot read.
type UnreadableError struct {
	Stream   string
	Sequence uint64
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("message %d of %s cannot be read, so the storage of the server is damaged there: restore %[2]s from a backup, or delete that message", e.Sequence, e.Stream)
}

const (
	// readWindow is how many messages a reader asks for ahead, and
	// headersWindow how many if they come without their data.
	readWindow, headersWindow = 512, 8192
	// readerGone is when the server forgets a reader that has gone.
	readerGone = time.Minute
	// readPause is how long a reader waits for a message before it asks the
	// server why none comes.
	readPause = 250 * time.Millisecond
	// stuckAfter is how many times it asks before it looks for a message that
	// the server cannot read.
	stuckAfter = 4
)

// session reads through one consumer until all is read, the consumer is lost
// or messages are, or nothing more can be read.
func (r *reader) session(ctx context.Context) error {
	consumer, err := r.consumer(ctx)
	if err != nil {
		return err
	}
	expected := consumer.CachedInfo().NumPending
	if !r.follow && expected == 0 {
		r.done = true
		return nil
	}
	outer := ctx
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := &session{consumer: consumer}
	r.now.Store(s)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if !r.follow {
			r.watch(ctx, stop, s)
		}
	}()
	lost := false
	window := readWindow
	if r.headersOnly {
		window = headersWindow
	}
	err = pull(ctx, r.js, consumer, window, &r.alive, func(m *nats.Msg) {
		meta, err := m.Metadata()
		if err != nil || lost || r.done {
			return
		}
		if lost = meta.Sequence.Consumer != s.got.Load()+1; lost {
			stop(nil)
			return
		}
		r.next = meta.Sequence.Stream + 1
		r.deliver(&message{subject: m.Subject, header: m.Header, data: m.Data, seq: meta.Sequence.Stream, time: meta.Timestamp.UTC()})
		s.got.Add(1)
		if meta.NumPending == 0 && !r.follow {
			r.done = true
			stop(nil)
		}
	})
	cause := context.Cause(ctx)
	stop(nil)
	<-ended
	switch {
	case errors.Is(cause, errReadAll) && !lost:
		r.done = true
	case errors.Is(err, jetstream.ErrConsumerDeleted) && (r.follow || s.got.Load() > 0):
		return nil // the server has forgotten it: with a restart, say
	}
	if err == nil && r.done && !r.scan && s.got.Load() < expected {
		err = unreadable(outer, r.js, r.stream)
	}
	return err
}

func (r *reader) consumer(ctx context.Context) (jetstream.Consumer, error) {
	config := jetstream.ConsumerConfig{
		Description:       "reads the stream once, from front to back",
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       r.next,
		AckPolicy:         jetstream.AckNonePolicy,
		FilterSubjects:    r.subjects,
		HeadersOnly:       r.headersOnly,
		InactiveThreshold: readerGone,
		MemoryStorage:     true,
		Replicas:          1,
	}
	if r.next == 0 {
		config.DeliverPolicy, config.OptStartSeq, config.OptStartTime = jetstream.DeliverByStartTimePolicy, 0, &r.since
	}
	if r.follow && r.next > 0 {
		stream, err := r.js.Stream(ctx, r.stream)
		if err != nil {
			return nil, err
		}
		if err := truncated(r.stream, stream.CachedInfo().State.LastSeq, r.next-1); err != nil {
			return nil, err
		}
	}
	consumer, err := r.js.CreateConsumer(ctx, r.stream, config)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, fmt.Errorf("%w: is a shadowd set up on this bus?", err)
	}
	return consumer, err
}

// errReadAll: nothing is left to be delivered.
var errReadAll = errors.New("all was read")

// watch asks the server why no message comes, whenever none has come for a
// while, and ends the session when nothing is left to come: the last messages
// have expired, or cannot be read. Those may count as pending for ever.
func (r *reader) watch(ctx context.Context, stop context.CancelCauseFunc, s *session) {
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
		if idle++; info.NumPending == 0 || idle == stuckAfter && (r.scan || unreadable(ctx, r.js, r.stream) != nil) {
			stop(errReadAll)
		}
		idle %= stuckAfter
	}
}

// unreadable looks for a message that the server has and cannot read. Its
// consumers pass over it without a word.
func unreadable(ctx context.Context, js jetstream.JetStream, name string) error {
	readable := map[uint64]bool{}
	r := &reader{js: js, stream: name, headersOnly: true, next: 1, scan: true, deliver: func(m *message) { readable[m.seq] = true }}
	for !r.done {
		if err := r.session(ctx); err != nil || ctx.Err() != nil {
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
