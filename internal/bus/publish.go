package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// errStored: a message stands on that subject already, and for good. Whoever
// gets it reads that message and goes on from there.
var errStored = errors.New("already stored")

// output makes the event of shadowd's own that belongs on a subject, and its
// message, with a mark.
func (e *Engine) output(subject string, c cloudevent.Cause, at time.Time, v any) (*nats.Msg, event.Event, error) {
	data, err := shadow.Encode(v)
	if err != nil {
		return nil, event.Event{}, err
	}
	msg, ev, err := cloudevent.New(e.layout, subject, c, at, data)
	if err != nil {
		return nil, event.Event{}, err
	}
	mark, err := shadow.Mark(subject, shadow.Digest(msg.Data), e.cfg.Key)
	if err != nil {
		return nil, event.Event{}, err
	}
	msg.Header.Set(ownHeader, mark)
	return msg, ev, nil
}

// ownHeader is the header of each event of shadowd's own with its [shadow.Mark].
const ownHeader = "Shadowd-Own"

// isOwn says whether shadowd wrote a message. Its error is that of [shadow.Marked].
func isOwn(m *streams.Message, key nkeys.KeyPair) (bool, error) {
	digest, err := shadow.Marked(m.Header.Get(ownHeader), m.Subject, key)
	if err != nil {
		return false, &unknownAuthorError{m.Seq, m.Subject, err}
	}
	return digest == shadow.Digest(m.Data), nil
}

// unknownAuthorError: the mark of a message of OUT names a key that nobody here has.
type unknownAuthorError struct {
	seq     uint64
	subject string
	err     error
}

func (e *unknownAuthorError) Error() string {
	return fmt.Sprintf("nobody here can tell who wrote message %d on %s: put the key into keys.envelope and start shadowd again, or remove the message if no shadowd of yours has that key: %v", e.seq, e.subject, e.err)
}

func (e *unknownAuthorError) Unwrap() error { return e.err }

// firstOwn is the first message of shadowd's own on a subject of OUT. What somebody
// else stored there counts neither before it nor behind it. Where there is none it
// is nil, and last the newest message there; its error may be that of [shadow.Marked].
func firstOwn(ctx context.Context, js jetstream.JetStream, subject string, key nkeys.KeyPair) (own *streams.Message, last uint64, err error) {
	var unsure error
	for {
		m, err := streams.Next(ctx, js, layout.StreamOut, subject, last+1)
		if m == nil || err != nil {
			return nil, last, cmp.Or(err, unsure)
		}
		ours, err := isOwn(m, key)
		if ours {
			return m, 0, nil
		}
		last, unsure = m.Seq, cmp.Or(unsure, err)
	}
}

// storeOnce publishes msg if nothing was ever stored on the subject guard,
// which is the message's own or a wildcard around it. This compare-and-swap is
// what makes every output appear once, whoever writes it and however often.
// It returns the sequence, or errStored if something is there. Any other error
// proves nothing: the message may or may not be stored, and the input must come
// again.
//
// Where there is an observer, tell is called if the output was stored by this
// engine.
func (e *Engine) storeOnce(ctx context.Context, msg *nats.Msg, guard string, tell ...func()) (seq uint64, err error) {
	return e.storeBehind(ctx, msg, guard, 0, tell...)
}

// storeBehind is storeOnce if the message at a sequence is the last on guard.
func (e *Engine) storeBehind(ctx context.Context, msg *nats.Msg, guard string, last uint64, tell ...func()) (seq uint64, err error) {
	var ack *jetstream.PubAck
	for try := 0; ; try++ {
		ack, err = e.pub.PublishMsg(ctx, msg, jetstream.WithExpectLastSequenceForSubject(last, guard))
		// Another message for the subject is on its way to the replicas. Whether it
		// will be stored is soon known.
		if try == conflictTries || !hasCode(err, jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
			break
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(conflictPause):
		}
	}
	if hasCode(err, jetstream.JSErrCodeStreamWrongLastSequence) {
		return 0, errStored
	}
	if errors.Is(err, nats.ErrMaxPayload) {
		err = fmt.Errorf("%w: it makes a message of %d bytes, raise the server's max_payload: %w", errPermanent, len(msg.Data), err)
	}
	if err != nil {
		return 0, fmt.Errorf("publishing to %s: %w", msg.Subject, err)
	}
	e.notifier.stored(msg.Subject, tell)
	return ack.Sequence, nil
}

const (
	conflictTries = 20
	conflictPause = 50 * time.Millisecond
)

func hasCode(err error, code jetstream.ErrorCode) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == code
}

// storeIfNew is storeOnce where it doesn't matter who stored the message.
func (e *Engine) storeIfNew(ctx context.Context, msg *nats.Msg, guard string) error {
	if _, err := e.storeOnce(ctx, msg, guard); !errors.Is(err, errStored) {
		return err
	}
	return nil
}

// storeOwn is storeIfNew for what nobody else can take the place of: it is stored
// behind what stands on its subject, if none of that is shadowd's own. It says
// whether it was stored here.
func (e *Engine) storeOwn(ctx context.Context, msg *nats.Msg) (bool, error) {
	for last := uint64(0); ; {
		_, err := e.storeBehind(ctx, msg, msg.Subject, last)
		if !errors.Is(err, errStored) {
			return err == nil, err
		}
		var own *streams.Message
		if own, last, err = firstOwn(ctx, e.store.JS, msg.Subject, e.cfg.Key); own != nil || err != nil {
			return false, err
		}
	}
}

// arm sets a timer: an empty message that the server delivers at the time at. A
// late redelivery cannot set one that has fired.
func (e *Engine) arm(ctx context.Context, t layout.Timer, at time.Time) error {
	msg := nats.NewMsg(t.Set)
	// Written by hand because the client's option cuts to whole seconds, and
	// would fire before the deadline.
	msg.Header.Set("Nats-Schedule", "@at "+at.UTC().Format(time.RFC3339Nano))
	msg.Header.Set("Nats-Schedule-Target", t.Fired)
	return e.storeIfNew(ctx, msg, t.Both)
}

// message is a stored message, whether a consumer delivered it or it was read.
type message struct {
	streams.Message

	// Of one that a durable delivered: its loop, its delivery, and how many
	// times it was delivered.
	loop      *loop
	raw       *nats.Msg
	delivered uint64
	// Of one that waits or has waited: since when and for what, its commander,
	// what looks at it again after a while, and whether it takes a place of
	// unknown runs.
	since   time.Time
	turn    shadow.Turn
	author  string
	timer   *time.Timer
	unknown bool
}
