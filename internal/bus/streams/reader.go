// Package streams reads streams in order, whatever authors put into the headers
// of their messages. It changes nothing.
package streams

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// Reader delivers the messages of a stream in order, through consumers of its
// own that the server forgets. It changes nothing. Where messages are lost on
// the way, such as by a connection that came back, it goes on behind the last
// one that it delivered.
type Reader struct {
	JS     jetstream.JetStream
	Stream string
	// Subjects selects messages; none means all.
	Subjects []string
	// HeadersOnly leaves the data out.
	HeadersOnly bool
	// Next is the sequence to go on from; 0 stands for the first message that
	// was stored at Since or later.
	Next  uint64
	Since time.Time
	// Follow: go on waiting for new messages where the stream ends.
	Follow bool
	// Alive: the server gives signs of life.
	Alive atomic.Bool
	// scan: what does not come for a while counts as not there.
	scan    bool
	Deliver func(*Message)
	// Done: all that the stream held was delivered.
	Done bool
	// now is the consumer that it reads through, at the sequence that it delivered
	// last, which was stored at time.
	now  atomic.Pointer[session]
	at   atomic.Uint64
	time time.Time
	// failed is why it cannot read, if it cannot.
	failed atomic.Pointer[error]
}

// Err is why a reader that runs cannot read, or nil.
func (r *Reader) Err() error {
	if err := r.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// session is one consumer of a reader, and how many messages it delivered.
type session struct {
	consumer jetstream.Consumer
	got      atomic.Uint64
}

// ErrTruncated: a stream ends before what is known to have been in it, so its
// sequences would be used again for other events.
var ErrTruncated = errors.New("it was cut, or restored from an older backup than the others: restore IN, OUT and " + layout.BucketEnvelopes + " from one backup, or remove all three, and start shadowd again")

const (
	// readWindow is how many messages a reader asks for ahead, and
	// headersWindow how many if they come without their data.
	readWindow, headersWindow = 512, 8192
	// readerGone is when the server forgets a reader that has gone.
	readerGone = time.Minute
	// readPause is how long a reader waits for a message before it asks the
	// server why none comes.
	readPause = 250 * time.Millisecond
	// retryPause is how long a reader waits after a failure.
	retryPause = time.Second
	// stuckAfter is how many times it asks before it looks for a message that
	// the server cannot read.
	stuckAfter = 4
)

// Run reads until all is read or ctx ends. Where that fails, it goes on after a
// while; failed is called once for a failure that repeats.
func (r *Reader) Run(ctx context.Context, failed func(error)) {
	var before error
	for ctx.Err() == nil && !r.Done {
		err := r.Session(ctx)
		if err != nil && ctx.Err() == nil && (before == nil || before.Error() != err.Error()) {
			failed(err)
		}
		if before = err; err != nil {
			r.failed.Store(&err)
			select {
			case <-ctx.Done():
			case <-time.After(retryPause):
			}
		}
	}
}

// Session reads through one consumer until all is read, the consumer is lost
// or messages are, or nothing more can be read.
func (r *Reader) Session(ctx context.Context) error {
	consumer, err := r.consumer(ctx)
	if err != nil {
		return err
	}
	expected := consumer.CachedInfo().NumPending
	if !r.Follow && expected == 0 {
		r.Done = true
		return nil
	}
	outer := ctx
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r.failed.Store(nil)
	s := &session{consumer: consumer}
	r.now.Store(s)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.watch(ctx, stop, s)
	}()
	lost := false
	window := readWindow
	if r.HeadersOnly {
		window = headersWindow
	}
	err = pull(ctx, r.JS, consumer, window, &r.Alive, func(m *nats.Msg) {
		meta, err := m.Metadata()
		if err != nil || lost || r.Done {
			return
		}
		if lost = meta.Sequence.Consumer != s.got.Load()+1; lost {
			stop(nil)
			return
		}
		r.Next = meta.Sequence.Stream + 1
		r.Deliver(&Message{Subject: m.Subject, Header: m.Header, Data: m.Data, Seq: meta.Sequence.Stream, Time: meta.Timestamp.UTC()})
		r.at.Store(meta.Sequence.Stream)
		r.time = meta.Timestamp
		s.got.Add(1)
		if meta.NumPending == 0 && !r.Follow {
			r.Done = true
			stop(nil)
		}
	})
	cause := context.Cause(ctx)
	stop(nil)
	<-ended
	switch {
	case errors.Is(cause, errPaused):
		return fmt.Errorf("%w: another one is made", errPaused)
	case errors.Is(cause, errReadAll) && !lost:
		r.Done = true
	case errors.Is(err, jetstream.ErrConsumerDeleted):
		return nil // the server that had it has gone, or was started anew
	}
	if err == nil && r.Done && !r.scan && s.got.Load() < expected {
		err = unreadable(outer, r.JS, r.Stream)
	}
	return err
}

func (r *Reader) consumer(ctx context.Context) (jetstream.Consumer, error) {
	config := jetstream.ConsumerConfig{
		Description:       "reads the stream once, from front to back",
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       r.Next,
		AckPolicy:         jetstream.AckNonePolicy,
		FilterSubjects:    r.Subjects,
		HeadersOnly:       r.HeadersOnly,
		InactiveThreshold: readerGone,
		MemoryStorage:     true,
		Replicas:          1,
	}
	if r.Next == 0 {
		config.DeliverPolicy, config.OptStartSeq, config.OptStartTime = jetstream.DeliverByStartTimePolicy, 0, &r.Since
	}
	if err := r.checkCut(ctx); err != nil {
		return nil, err
	}
	consumer, err := r.JS.CreateConsumer(ctx, r.Stream, config)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, noStream(err)
	}
	return consumer, err
}

// checkCut looks whether a stream that is followed still holds what it held.
func (r *Reader) checkCut(ctx context.Context) error {
	if !r.Follow || r.Next <= 1 {
		return nil
	}
	var end uint64
	stream, err := r.JS.Stream(ctx, r.Stream)
	if err == nil {
		end = stream.CachedInfo().State.LastSeq
	} else if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	if err := CheckEnd(r.Stream, end, r.Next-1); err != nil || r.at.Load() != r.Next-1 {
		return err
	}
	// It may have grown again meanwhile.
	m, err := At(ctx, r.JS, r.Stream, r.Next-1)
	if m != nil && !m.Time.Equal(r.time) {
		err = fmt.Errorf("%s has another message at sequence %d than before: %w", r.Stream, m.Seq, ErrTruncated)
	}
	return err
}

// Current waits until a reader that follows has delivered all that its stream
// holds, up to the message last at least: the server's count of what is pending
// may be behind what it has stored.
func (r *Reader) Current(ctx context.Context, last uint64) error {
	for idle := 0; last == 0 || r.at.Load() < last; {
		s := r.now.Load()
		if s != nil {
			n := s.got.Load()
			info, err := s.consumer.Info(ctx)
			if err == nil && info.Delivered.Consumer == n && s.got.Load() == n {
				if idle++; info.NumPending == 0 && info.Delivered.Stream >= last || idle%stuckAfter == 0 && r.gone(ctx, last) {
					return nil
				}
			}
		}
		pause := currentPause
		if idle > 0 {
			pause = readPause
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return nil
}

// gone says whether a message that does not come was erased, or cannot be read.
// Else the server that has the consumer is behind.
func (r *Reader) gone(ctx context.Context, seq uint64) bool {
	if seq == 0 {
		return true
	}
	m, err := At(ctx, r.JS, r.Stream, seq)
	return m == nil && err == nil
}

// currentPause is the wait for a follower that has messages left to handle.
const currentPause = time.Millisecond

// CheckEnd compares the end of a stream with a sequence of it that is known.
func CheckEnd(stream string, end, known uint64) error {
	if end < known {
		return fmt.Errorf("%s ends at sequence %d, and sequence %d of it was stored before: %w", stream, end, known, ErrTruncated)
	}
	return nil
}

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

// errPaused: somebody has paused the consumer.
var errPaused = errors.New("somebody paused the consumer that it is read by")

// pausedPause is how long no message may come until a reader that follows asks
// whether its consumer is paused.
const pausedPause = 2 * time.Second

// watchPaused ends the session where the consumer is paused.
func (r *Reader) watchPaused(ctx context.Context, stop context.CancelCauseFunc, s *session) {
	tick := time.NewTicker(pausedPause)
	defer tick.Stop()
	for before := uint64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n := s.got.Load(); n != before {
			before = n
			continue
		}
		if info, err := s.consumer.Info(ctx); err == nil && info.Paused {
			stop(errPaused)
			return
		}
	}
}

// watch asks the server why no message comes, whenever none has come for a
// while, and ends the session when nothing is left to come: the last messages
// have expired, or cannot be read. Those may count as pending for ever.
func (r *Reader) watch(ctx context.Context, stop context.CancelCauseFunc, s *session) {
	if r.Follow {
		r.watchPaused(ctx, stop, s)
		return
	}
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
