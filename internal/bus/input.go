package bus

import (
	"strings"

	"github.com/cloudevents/sdk-go/v2/event"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// input is an event of the swarm.
type input struct {
	*streams.Message
	addr    shadow.Address
	event   event.Event
	digest  string
	ignored []string // fields of the data that nobody reads
	// One of the three is set, unless the event is malformed.
	decomposition *shadow.Decomposition
	submission    *shadow.Submission
	review        *shadow.Review
	signedBy      string // the nkey that signed the review; empty: none
}

func (in *input) place() shadow.Place { return shadow.Place{Sequence: in.Seq, Time: in.Time} }

// takeInput reads a message of IN as an input event. Its error is a *shadow.Refusal.
func takeInput(l layout.Subjects, c *Config, m *streams.Message) (*input, error) {
	in := &input{Message: m}
	var err error
	if in.addr, err = l.Parse(m.Subject); err != nil {
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
		where := ""
		if !strings.HasPrefix(err.Error(), "/") {
			where = "/data: " // the data as a whole
		}
		return in, shadow.Refuse(shadow.InvalidData, "%s%v", where, err)
	}
	in.digest = shadow.Digest(data)
	var run, commander string // as the data name them
	switch p := payload.(type) {
	case *shadow.Decomposition:
		in.decomposition, run = p, p.RunID
		if _, _, err := c.Settings.For(p.Scale); err != nil {
			return in, shadow.Refuse(shadow.InvalidData, "%v", err)
		}
	case *shadow.Submission:
		in.submission, run, commander = p, p.RunID, p.Bundle.CommanderID
		if r := c.Limits.Bundle(&p.Bundle); r != nil {
			return in, r
		}
	case *shadow.Review:
		in.review, run = p, p.RunID
		if in.addr.Domain != p.Domain || in.addr.Author != p.By {
			return in, shadow.Refuse(shadow.IDMismatch, "the subject names domain %q and reviewer %q, the data domain %q and reviewer %q", in.addr.Domain, in.addr.Author, p.Domain, p.By)
		}
		if in.signedBy, err = shadow.ReviewSigner(data, cloudevent.SignatureOf(in.event)); err != nil {
			return in, err
		}
	default:
		return in, shadow.Refuse(shadow.NotAnEvent, "%v", shadow.ErrUnknownType)
	}
	// Permissions on the bus are granted by subject, so only the subject tells who
	// wrote an event.
	if in.addr.Run != run {
		return in, shadow.Refuse(shadow.IDMismatch, "the subject names run %q, the data run %q", in.addr.Run, run)
	}
	if in.addr.Commander != commander {
		return in, shadow.Refuse(shadow.IDMismatch, "the subject names commander %q, the data commander %q", in.addr.Commander, commander)
	}
	return in, nil
}
