package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Publisher is the part of [jetstream.JetStream] that stores an event and
// waits until it is stored. Tests put failures in its place.
type Publisher interface {
	PublishMsg(ctx context.Context, msg *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error)
}

// outbox makes and stores what shadowd says: each output on a subject of its own, on the
// condition that nothing of shadowd's stands there, so once.
type outbox struct {
	layout  layout.Subjects
	js      jetstream.JetStream
	pub     Publisher
	key     nkeys.KeyPair
	marks   func() (*shadow.Marker, error) // of key
	active  func() bool                    // whether this process may publish; nil: always
	stored  func(name string)              // told of each output; may be nil
	mu      sync.Mutex
	trouble error     // of the last try
	since   time.Time // how long there is trouble
}

// troubleAfter is when trouble is told: a stream without leader has a new one before.
const troubleAfter = 15 * time.Second

// problem says at a time what keeps the bus from storing outputs, or nothing.
func (o *outbox) problem(now time.Time) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.trouble == nil || now.Sub(o.since) <= troubleAfter {
		return ""
	}
	return fmt.Sprintf("since %s no output could be stored: %s", o.since.UTC().Format(time.RFC3339), layout.Unstored(o.trouble))
}

// note remembers whether the bus stores outputs, by the last try.
func (o *outbox) note(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.trouble == nil {
		o.since = time.Now()
	}
	o.trouble = err
}

func newOutbox(l layout.Subjects, js jetstream.JetStream, pub Publisher, key nkeys.KeyPair) outbox {
	if pub == nil {
		pub = js
	}
	return outbox{layout: l, js: js, pub: pub, key: key, marks: sync.OnceValues(func() (*shadow.Marker, error) { return shadow.NewMarker(key) })}
}

var (
	errStored    = errors.New("already stored")        // and for good: read what is there
	errNotActive = errors.New("the lease has run out") // another may have taken over
	errPermanent = errors.New("this cannot be stored") // trying again changes nothing
)

// output makes shadowd's own event on a subject, and its message, with a mark.
func (o *outbox) output(subject string, c cloudevent.Cause, at time.Time, v any) (*nats.Msg, event.Event, error) {
	data, err := shadow.Encode(v)
	if err != nil {
		return nil, event.Event{}, err
	}
	return o.event(subject, c, at, data)
}

// event is output of data that are encoded.
func (o *outbox) event(subject string, c cloudevent.Cause, at time.Time, data []byte) (*nats.Msg, event.Event, error) {
	msg, ev, err := cloudevent.New(o.layout, subject, c, at, data)
	if err != nil {
		return nil, event.Event{}, err
	}
	marker, err := o.marks()
	if err != nil {
		return nil, event.Event{}, err
	}
	msg.Header.Set(ownHeader, marker.Mark(subject, shadow.Digest(msg.Data)))
	return msg, ev, nil
}

// store publishes msg if the message at a sequence, 0 for none, is the last on its
// subject, or else returns errStored. Any other error proves nothing.
func (o *outbox) store(ctx context.Context, msg *nats.Msg, last uint64) (seq uint64, err error) {
	var ack *jetstream.PubAck
	for try := 0; ; try++ {
		if o.active != nil && !o.active() {
			return 0, errNotActive
		}
		ack, err = o.pub.PublishMsg(ctx, msg, jetstream.WithExpectLastSequenceForSubject(last, msg.Subject))
		// Another message for the subject is on its way to the replicas. Whether it
		// will be stored is soon known.
		if try == conflictTries || !hasCode(err, jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
			break
		}
		if err := pause(ctx, conflictPause); err != nil {
			return 0, err
		}
	}
	switch {
	case hasCode(err, jetstream.JSErrCodeStreamWrongLastSequence):
		o.note(nil) // it may be this one, whose answer got lost
		return 0, errStored
	case errors.Is(err, nats.ErrMaxPayload):
		return 0, fmt.Errorf("%w: it makes a message of %d bytes, raise the server's max_payload: %w", errPermanent, len(msg.Data), err)
	case err != nil:
		err = fmt.Errorf("publishing to %s: %w", msg.Subject, err)
		if ctx.Err() == nil {
			o.note(err)
		}
		return 0, err
	}
	o.note(nil)
	if a, err := o.layout.Parse(msg.Subject); err == nil && o.stored != nil {
		o.stored(a.Name)
	}
	return ack.Sequence, nil
}

// conflictPause is the wait before another look at what somebody else stores.
const conflictTries, conflictPause = 20, 50 * time.Millisecond

func hasCode(err error, code jetstream.ErrorCode) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == code
}

// own stores msg behind what stands on its subject, if none of that is shadowd's own:
// nobody else can take its place. It says whether it was stored here.
func (o *outbox) own(ctx context.Context, stream string, msg *nats.Msg) (bool, error) {
	for last := uint64(0); ; {
		_, err := o.store(ctx, msg, last)
		if !errors.Is(err, errStored) {
			return err == nil, err
		}
		var first *streams.Message
		if first, last, err = firstOwn(ctx, o.js, stream, msg.Subject, o.key); first != nil || err != nil {
			return false, err
		}
	}
}

// ownHeader is the header of each event of shadowd's own with its [shadow.Mark].
const ownHeader = "Shadowd-Own"

// isOwn says whether shadowd wrote a message. Its error is that of [shadow.Marked].
func isOwn(m *streams.Message, key nkeys.KeyPair) (bool, error) {
	digest, err := shadow.Marked(m.Header.Get(ownHeader), m.Subject, key)
	if err != nil {
		return false, fmt.Errorf("nobody here can tell who wrote message %d on %s: put the key into keys.envelope and start shadowd again, or remove the message if no shadowd of yours has that key: %w", m.Seq, m.Subject, err)
	}
	return digest == shadow.Digest(m.Data), nil
}

// firstOwn is the first message of shadowd's own on a subject, whatever else is there.
// Where there is none, last is the newest there; the error may be that of [shadow.Marked].
func firstOwn(ctx context.Context, js jetstream.JetStream, stream, subject string, key nkeys.KeyPair) (own *streams.Message, last uint64, err error) {
	var unknown error
	for {
		m, err := streams.Next(ctx, js, stream, subject, last+1)
		if m == nil || err != nil {
			return nil, last, cmp.Or(err, unknown)
		}
		ours, err := isOwn(m, key)
		if ours {
			return m, 0, nil
		}
		last, unknown = m.Seq, cmp.Or(unknown, err)
	}
}

// pause waits, or returns the error of a context that ends before.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
