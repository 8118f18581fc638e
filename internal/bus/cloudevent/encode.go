package cloudevent

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/cloudevents/sdk-go/v2/types"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// eventSource is the source of every event of shadowd.
const eventSource = "/shadowd"

// Names of the extensions that outputs carry.
const (
	correlationID = "correlationid"
	causationID   = "causationid"
	traceParent   = "traceparent"
	traceState    = "tracestate"
	signature     = "signature"
)

// Cause is what an output takes over from the event that led to it.
type Cause struct {
	// ID is that event's id; empty if it could not be read.
	ID string
	// Run is the run, for outputs whose subject does not name it.
	Run string
	// TraceParent and TraceState are the W3C trace context, if any.
	TraceParent, TraceState string
	// Signature is that of a final report or of a review, which is not inherited.
	Signature string
}

// CauseOf is the cause that ev is. A trace context that is not well formed is
// left out.
func CauseOf(ev event.Event) Cause {
	c := Cause{ID: ev.ID()}
	x := ev.Extensions()
	if s, ok := x[traceParent].(string); ok && validTraceParent(s) {
		c.TraceParent = s
		if s, ok := x[traceState].(string); ok && validTraceState(s) {
			c.TraceState = s
		}
	}
	return c
}

// InheritedCause is the cause of an output that follows from a stored output: the
// same input caused both.
func InheritedCause(stored event.Event) Cause {
	c := CauseOf(stored)
	c.ID, _ = stored.Extensions()[causationID].(string)
	c.Run, _ = stored.Extensions()[correlationID].(string)
	return c
}

// SignatureOf is the signature of a stored report or a review, or empty.
func SignatureOf(stored event.Event) string {
	s, _ := stored.Extensions()[signature].(string)
	return s
}

// New makes the output for a subject, and its message. Everything in it follows
// from the arguments, so that two workers write the same bytes: at is the time
// that the stream gave the cause, never that of a clock, and is written in UTC;
// the id is the subject without its prefix.
func New(l layout.Subjects, subject string, c Cause, at time.Time, data []byte) (*nats.Msg, event.Event, error) {
	a, err := l.Parse(subject)
	if err != nil {
		return nil, event.Event{}, fmt.Errorf("making an event: %w", err)
	}
	id := l.EventID(subject)
	tokens := strings.TrimPrefix(id, a.Name+".")
	c.Run = cmp.Or(a.Run, c.Run)
	return message(subject, c, data, &event.EventContextV1{
		ID:         id,
		Type:       shadow.Type(a.Name),
		Source:     *types.ParseURIRef(eventSource),
		Subject:    &tokens,
		Time:       &types.Timestamp{Time: at},
		DataSchema: types.ParseURI("https://swarmspeed.dev/schemas/" + a.Name + ".v1.json"), // its $id
	})
}

// NewReview is the message of a review, which has data. The signature may be empty.
func NewReview(l layout.Subjects, v *shadow.Review, data []byte, signed string) (*nats.Msg, error) {
	msg, _, err := message(l.Review(v.RunID, v.Domain, v.By), Cause{Signature: signed}, data, &event.EventContextV1{
		ID: nuid.Next(), Type: shadow.Type(shadow.ReportReviewed), Source: *types.ParseURIRef("/reviewers/" + v.By),
	})
	return msg, err
}

// message is an event of JSON data with what it takes over from its cause.
func message(subject string, c Cause, data []byte, ctx *event.EventContextV1) (*nats.Msg, event.Event, error) {
	media := applicationJSON
	ctx.DataContentType = &media
	ev := event.Event{Context: ctx, DataEncoded: data}
	for _, x := range []struct{ name, value string }{
		{correlationID, c.Run}, {causationID, c.ID}, {traceParent, c.TraceParent}, {traceState, c.TraceState}, {signature, c.Signature},
	} {
		if x.value == "" {
			continue
		}
		if err := ctx.SetExtension(x.name, x.value); err != nil {
			return nil, ev, fmt.Errorf("making an event: %s: %w", x.name, err)
		}
	}
	msg, err := encode(ev)
	if err != nil {
		return nil, ev, fmt.Errorf("making an event: %w", err)
	}
	msg.Subject = subject
	return msg, ev, nil
}

// encode writes an event with application/json data as a structured message.
// Equal events become equal bytes.
func encode(ev event.Event) (*nats.Msg, error) {
	if err := ev.Validate(); err != nil {
		return nil, err
	}
	// The SDK copies the data as they are, and only those of this media type.
	// What is stored once stays, so a mistake must not get that far.
	if ev.DataMediaType() != applicationJSON || ev.DataBase64 || !jsontext.Value(ev.DataEncoded).IsValid(jsontext.AllowDuplicateNames(true)) {
		return nil, errors.New("its data are not application/json")
	}
	data, err := ev.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return &nats.Msg{Header: nats.Header{contentType: {structuredJSON}}, Data: data}, nil
}

var traceParentForm = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// validTraceParent holds a traceparent to version 00 of the W3C trace context,
// in which no id is zero.
func validTraceParent(s string) bool {
	return traceParentForm.MatchString(s) && strings.Trim(s[3:35], "0") != "" && strings.Trim(s[36:52], "0") != ""
}

// validTraceState bounds a tracestate, whose inside means nothing to shadowd.
func validTraceState(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return s != "" && len(s) <= 512
}
