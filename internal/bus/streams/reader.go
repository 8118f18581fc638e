// Package streams reads streams in order, whatever authors put into the headers
// of their messages. It changes nothing.
package streams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
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
//
// The client's own readers are not used because of what they believe: they take
// an event that has no payload and a header Status for word from the server.
// A publisher could so end the daemon with a "409 Consumer Deleted". Here the
// reply subject tells: the server's own notices have none.
type Reader struct {
	JS     jetstream.JetStream
	Stream string
	// Subjects selects messages; none means all.
	Subjects []string
	// HeadersOnly leaves the data out.
	HeadersOnly bool
	// Next is the sequence to go on from; 0 stands for the first message that
	// was stored at Since or later, and of all if that is zero.
	Next  uint64
	Since time.Time
	// Follow: go on waiting for new messages where the stream ends.
	Follow bool
	// Alive: the server gives signs of life.
	Alive   atomic.Bool
	Deliver func(*Message)
	// Done: all that the stream held was delivered.
	Done bool
	// scan: what does not come for a while counts as not there.
	scan bool
	// last is the sequence of what it delivered last, which was stored at time.
	last uint64
	time time.Time
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
	// retryPause is how long a reader waits after a failure.
	retryPause = time.Second
	// pullExpires is how long a request for messages lasts. Meanwhile the server gives
	// signs of life, and pullPause is the wait where it turns one down.
	pullExpires   = 30 * time.Second
	pullHeartbeat = 5 * time.Second
	pullPause     = 250 * time.Millisecond
	pullMisses    = 3 // after so many the consumer is gone
	// readPause is how long a reader waits for a message before it asks the
	// server why none comes, and followPause how often one does that follows, in
	// such pauses. After silence of so many it takes the server for dead.
	readPause    = 250 * time.Millisecond
	followPause  = 8
	silentPauses = int(2 * pullHeartbeat / readPause)
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
	nc, made := r.JS.Conn(), consumer.CachedInfo()
	if r.Done = !r.Follow && made.NumPending == 0; r.Done {
		return nil
	}
	s := &session{Reader: r, window: readWindow, info: consumer.Info, connectedNow: nc.IsConnected}
	if r.HeadersOnly {
		s.window = headersWindow
	}
	// A channel, since NextMsg too believes a Status. It has room for the
	// messages of a request and for notices beside them.
	msgs, inbox := make(chan *nats.Msg, 2*s.window+64), nc.NewInbox()
	sub, err := nc.ChanSubscribe(inbox, msgs)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	subject := apiSubject(r.JS, "CONSUMER.MSG.NEXT."+made.Stream+"."+made.Name)
	s.ask = func(n int) error {
		request, err := json.Marshal(map[string]any{"batch": n, "expires": pullExpires, "idle_heartbeat": pullHeartbeat})
		if err != nil {
			return err
		}
		return nc.PublishRequest(subject, inbox, request)
	}
	connected := nc.StatusChanged(nats.CONNECTED)
	defer nc.RemoveStatusListener(connected)
	s.msgs, s.connected = msgs, connected
	r.Alive.Store(true)
	defer r.Alive.Store(false)
	err = s.run(ctx)
	if errors.Is(err, jetstream.ErrConsumerDeleted) {
		return nil // the server that had it has gone, or was started anew
	}
	if err == nil && r.Done && !r.scan && s.got < made.NumPending {
		err = unreadable(ctx, r.JS, r.Stream)
	}
	return err
}

// session is one consumer of a reader. It keeps up to window messages asked for, and
// asks for more when half of them have come, so that the server never has to wait
// for it.
type session struct {
	*Reader
	window int
	msgs   <-chan *nats.Msg
	ask    func(n int) error
	info   func(context.Context) (*jetstream.ConsumerInfo, error)
	// connected tells that a connection has come back: what was asked for
	// over the one before is lost.
	connected <-chan nats.Status
	// connectedNow says whether there is a connection. No server reports a consumer
	// as gone while its own server is away or hangs.
	connectedNow func() bool
	// got is how many messages came, and due how many were asked for and have not.
	got uint64
	due int
	// missed is how often in a row the server knew no such consumer.
	missed int
}

// run reads until all is read, a message is lost or ctx ends. It returns an error when
// the consumer is gone or paused, or no word comes of it.
func (s *session) run(ctx context.Context) error {
	tick := time.NewTicker(readPause)
	defer tick.Stop()
	before, idle, silent := uint64(0), 0, 0
	for {
		if n := s.window - s.due; n >= s.window/2 {
			if err := s.ask(n); err != nil {
				return fmt.Errorf("asking for messages: %w", err)
			}
			s.due += n
		}
		select {
		case <-ctx.Done():
			return nil
		case _, open := <-s.connected:
			if s.due = 0; !open {
				s.connected = nil
			}
		case <-tick.C:
			if silent++; silent == silentPauses {
				silent, s.due = 0, 0 // ask anew
				s.Alive.Store(false)
				if s.connectedNow() {
					return jetstream.ErrConsumerDeleted
				}
			}
			if s.got != before {
				before, idle = s.got, 0
				continue
			}
			idle++
			if err := s.quiet(ctx, idle); s.Done || err != nil {
				return err
			}
		case m := <-s.msgs:
			silent = 0
			// What tells a message of the stream from a notice of the server.
			delivered := strings.HasPrefix(m.Reply, "$JS.ACK.")
			s.Alive.Store(delivered || m.Header.Get("Status") != "503")
			if !delivered {
				if err := s.notice(ctx, m); err != nil {
					return err
				}
			} else if lost := s.take(m); s.Done || lost {
				return nil
			}
		}
	}
}

// take delivers a message, unless one before it is lost.
func (s *session) take(m *nats.Msg) (lost bool) {
	s.due, s.missed = max(s.due-1, 0), 0
	meta, err := m.Metadata()
	if err != nil {
		return false
	}
	if meta.Sequence.Consumer != s.got+1 {
		return true
	}
	s.got++
	s.last, s.time, s.Next = meta.Sequence.Stream, meta.Timestamp, meta.Sequence.Stream+1
	s.Deliver(&Message{Subject: m.Subject, Header: m.Header, Data: m.Data, Seq: s.last, Time: s.time.UTC()})
	s.Done = meta.NumPending == 0 && !s.Follow
	return false
}

// quiet asks the server why no message comes, for the n-th time in a row. Reading is
// done when nothing is left to come: the last messages have expired, or cannot be
// read. Those may count as pending for ever.
func (s *session) quiet(ctx context.Context, n int) error {
	if s.Follow && n%followPause != 0 {
		return nil
	}
	info, err := s.info(ctx)
	switch {
	case err != nil: // the loop finds out
	case s.Follow && info.Paused:
		return errors.New("somebody paused the consumer that it is read by: another one is made")
	case s.Follow || info.Delivered.Consumer != s.got: // something is on its way
	default:
		s.Done = info.NumPending == 0 || n%stuckAfter == 0 && (s.scan || unreadable(ctx, s.JS, s.Stream) != nil)
	}
	return nil
}

// notice takes in what the server says about a request. One word that the
// consumer is gone is not enough: a server that starts or ends says so too.
func (s *session) notice(ctx context.Context, m *nats.Msg) error {
	switch m.Header.Get("Status") {
	case "100": // alive
		return nil
	case "503": // nobody answers: no leader, or the consumer is gone
		if !s.connectedNow() {
			s.missed = 0
		} else if s.missed++; s.missed > pullMisses {
			return jetstream.ErrConsumerDeleted
		}
		fallthrough
	case "409": // the server has no room just now, or the consumer was deleted
		select {
		case <-ctx.Done():
		case <-time.After(pullPause):
		}
	}
	// The request is over, and says how much of it was not met.
	left, err := strconv.Atoi(m.Header.Get("Nats-Pending-Messages"))
	if err != nil || left > s.due {
		left = s.due
	}
	s.due -= left
	return nil
}

func (r *Reader) consumer(ctx context.Context) (jetstream.Consumer, error) {
	config := jetstream.ConsumerConfig{
		Description:       "reads the stream once, from front to back",
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       max(r.Next, 1),
		AckPolicy:         jetstream.AckNonePolicy,
		FilterSubjects:    r.Subjects,
		HeadersOnly:       r.HeadersOnly,
		InactiveThreshold: readerGone,
		MemoryStorage:     true,
		Replicas:          1,
	}
	if r.Next == 0 && !r.Since.IsZero() {
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
	if err := CheckEnd(r.Stream, end, r.Next-1); err != nil || r.last != r.Next-1 {
		return err
	}
	// It may have grown again meanwhile.
	m, err := At(ctx, r.JS, r.Stream, r.Next-1)
	if m != nil && !m.Time.Equal(r.time) {
		err = fmt.Errorf("%s has another message at sequence %d than before: %w", r.Stream, m.Seq, ErrTruncated)
	}
	return err
}

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
