package bus

import (
	"context"
	"errors"
	"strings"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// input is an event of the swarm that is well formed: decoded, valid under its
// schema, and from the author that its subject names.
type input struct {
	*message
	addr   shadow.Address
	event  event.Event
	digest string
	// ignored says which fields of the data nobody reads.
	ignored []string
	// malformed: it is going to be rejected for what it is.
	malformed bool
	// One of the two is set.
	decomposition *shadow.Decomposition
	submission    *shadow.Submission
}

// take reads a message of IN as an input event. Its error is a *shadow.Refusal, for
// nothing that is wrong with a message can mend itself.
func (e *Engine) take(m *message) (*input, error) {
	in, err := e.read(m)
	in.malformed = err != nil
	return in, err
}

func (e *Engine) read(m *message) (*input, error) {
	in := &input{message: m}
	var err error
	if in.addr, err = e.layout.Parse(m.Subject); err != nil {
		return in, shadow.Refuse(shadow.IDMismatch, "%v", err)
	}
	if in.event, err = cloudevent.Decode(m.Header, m.Data); err != nil {
		return in, shadow.Refuse(shadow.NotAnEvent, "%v", err)
	}
	name := in.addr.Name
	if want := shadow.Type(name); in.event.Type() != want {
		return in, shadow.Refuse(shadow.NotAnEvent, "type is %.80q, but events on this subject are of type %q", in.event.Type(), want)
	}
	data := in.event.Data()
	payload, ignored, err := shadow.Decode(name, data)
	if in.ignored = ignored; err != nil {
		return in, shadow.Refuse(shadow.InvalidData, "%s", inData(err))
	}
	in.digest = shadow.Digest(data)
	switch p := payload.(type) {
	case *shadow.Decomposition:
		in.decomposition = p
		if _, _, err := e.cfg.Settings.For(p.Scale); err != nil {
			return in, shadow.Refuse(shadow.InvalidData, "%v", err)
		}
		return in, sameIDs(in.addr, p.RunID, "")
	case *shadow.Submission:
		in.submission = p
		if r := e.cfg.Limits.Bundle(&p.Bundle); r != nil {
			return in, r
		}
		return in, sameIDs(in.addr, p.RunID, p.Bundle.CommanderID)
	}
	return in, shadow.Refuse(shadow.NotAnEvent, "%v", shadow.ErrUnknownType)
}

// sameIDs holds the ids in the data against those in the subject. Permissions
// on the bus are granted by subject, so only the subject tells who wrote it.
func sameIDs(a shadow.Address, run, commander string) error {
	if a.Run != run {
		return shadow.Refuse(shadow.IDMismatch, "the subject names run %q, the data run %q", a.Run, run)
	}
	if a.Commander != commander {
		return shadow.Refuse(shadow.IDMismatch, "the subject names commander %q, the data commander %q", a.Commander, commander)
	}
	return nil
}

// reject stores the rejection of an event. One of shadowd's that is there stands.
func (e *Engine) reject(ctx context.Context, in *input, r *shadow.Refusal) error {
	msg, err := e.rejection(in, r)
	if err != nil {
		return err
	}
	_, err = e.storeOwn(ctx, msg)
	return err
}

func (e *Engine) rejection(in *input, r *shadow.Refusal) (*nats.Msg, error) {
	cause := cloudevent.CauseOf(in.event)
	cause.Run = in.addr.Run
	msg, _, err := e.output(e.layout.Rejected(in.addr.Author, in.Seq), cause, in.Time, shadow.Rejection{
		Reason:   r.Reason,
		Message:  shadow.Printable(r.Message),
		Limit:    r.Limit,
		Resubmit: r.Reason.Hint(),
		Subject:  shadow.Printable(in.Subject),
		Stream:   layout.StreamIn,
		In:       in.place(),
		EventID:  shadow.Printable(in.event.ID()),
		RunID:    in.addr.Run,
	})
	return msg, err
}

func (in *input) place() shadow.Place { return shadow.Place{Sequence: in.Seq, Time: in.Time} }

// asRefusal tells a refusal from a failure that may pass.
func asRefusal(err error) *shadow.Refusal {
	if r, ok := errors.AsType[*shadow.Refusal](err); ok {
		return r
	}
	return nil
}

// inData says of a problem with the data as a whole where it is.
func inData(err error) string {
	if s := err.Error(); !strings.HasPrefix(s, "/") {
		return "/data: " + s
	}
	return err.Error()
}
