package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Output is one of shadowd's events as it is stored.
type Output struct {
	shadow.Address
	Subject string    // empty if it was not read off a stream
	Seq     uint64    // in its stream
	Time    time.Time // when it was stored
	Event   event.Event
	Raw     []byte // the whole event, structured JSON
	// Rejection is the data of event-rejected, whose run Run is: the subject names
	// none.
	Rejection *shadow.Rejection
}

// readRejection says whether an output is no rejection, or one that can be read.
func (o *Output) readRejection() bool {
	if o.Name != shadow.EventRejected {
		return true
	}
	o.Rejection = &shadow.Rejection{}
	err := o.decode(o.Rejection)
	o.Run = o.Rejection.RunID
	return err == nil
}

// ReadOutput decodes a stored output. ok is false for what is none: on a bus
// without an account wall, anybody can write there.
func ReadOutput(l layout.Subjects, m *streams.Message) (o Output, ok bool) {
	o = Output{Subject: m.Subject, Seq: m.Seq, Time: m.Time, Raw: m.Data}
	var err error
	if o.Address, err = l.Parse(o.Subject); err != nil {
		return Output{}, false
	}
	o.Event, err = cloudevent.Decode(m.Header, m.Data)
	return o, err == nil && o.readRejection()
}

// ErrInput: an event is what a swarm publishes, and not what shadowd answers.
var ErrInput = errors.New("this is what a swarm says, input of shadowd replay: there is no report in it yet")

// ErrNotReported: an output that no report is made of.
var ErrNotReported = errors.New("nothing of this event is in a report")

// ParseOutput decodes an output as replay and demo print it. What holds no part
// of a report is ErrNotReported, and an input ErrInput.
func ParseOutput(raw []byte) (Output, error) {
	var line struct {
		Subject string `json:"nats_subject"`
	}
	if json.Unmarshal(raw, &line) == nil && line.Subject != "" {
		return Output{}, ErrInput
	}
	ev, err := cloudevent.Decode(nil, raw)
	if err != nil {
		return Output{}, err
	}
	o := Output{Event: ev, Raw: raw}
	o.Name = strings.TrimSuffix(strings.TrimPrefix(ev.Type(), "dev.swarmspeed."), ".v1")
	switch o.Name {
	case shadow.EnvelopeSealed, shadow.GapReport, shadow.RunScored, shadow.RunReviewed:
	case shadow.DecompositionDone, shadow.BundleComplete, shadow.FixSubmitted, shadow.ReportReviewed:
		return o, ErrInput
	case shadow.EventRejected:
		if !o.readRejection() || o.Run == "" {
			return o, ErrNotReported
		}
		return o, nil
	case shadow.HardeningRequest, shadow.BundleQuarantined, shadow.DomainSettled, shadow.Tick:
		return o, ErrNotReported
	default:
		return o, fmt.Errorf("an event of type %.80q is no output of shadowd", ev.Type())
	}
	if err := shadow.Validate(o.Name, ev.Data()); err != nil {
		return o, fmt.Errorf("%s: %w", o.Name, err)
	}
	var data struct {
		RunID  string       `json:"run_id"`
		Domain string       `json:"domain"`
		Swarm  shadow.Swarm `json:"swarm"`
	}
	if err := json.Unmarshal(ev.Data(), &data); err != nil {
		return o, err
	}
	if o.Run, o.Domain = data.RunID, data.Domain; o.Name == shadow.GapReport {
		o.Run, o.Domain = data.Swarm.RunID, data.Swarm.Domain
	}
	return o, nil
}

func (o *Output) decode(into any) error {
	if err := json.Unmarshal(o.Event.Data(), into); err != nil {
		return fmt.Errorf("message %d on %s: %w", o.Seq, o.Subject, err)
	}
	return nil
}
