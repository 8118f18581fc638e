package cloudevent

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

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
func CauseOf(ev Event) Cause {
	c := Cause{ID: ev.ID}
	if s := ev.extension(traceParent); validTraceParent(s) {
		c.TraceParent = s
		if s := ev.extension(traceState); validTraceState(s) {
			c.TraceState = s
		}
	}
	return c
}

// InheritedCause is the cause of an output that follows from a stored output: the
// same input caused both.
func InheritedCause(stored Event) Cause {
	c := CauseOf(stored)
	c.ID, c.Run = stored.extension(causationID), stored.extension(correlationID)
	return c
}

// SignatureOf is the signature of a stored report or a review, or empty.
func SignatureOf(stored Event) string { return stored.extension(signature) }

// New makes the output for a subject, and its message. Everything in it follows
// from the arguments, so that two workers write the same bytes: at is the time
// that the stream gave the cause, never that of a clock, and is written in UTC;
// the id is the subject without its prefix.
func New(l layout.Subjects, subject string, c Cause, at time.Time, data []byte) (*nats.Msg, Event, error) {
	a, err := l.Parse(subject)
	if err != nil {
		return nil, Event{}, fmt.Errorf("making an event: %w", err)
	}
	if a.Run != "" {
		c.Run = a.Run
	}
	ev := Event{ID: l.EventID(subject), Type: shadow.Type(a.Name), Source: eventSource, Time: at, Data: data, DataContentType: applicationJSON,
		DataSchema: "https://swarmspeed.dev/schemas/" + a.Name + ".v1.json", // its $id
		Extensions: map[string]any{}}
	ev.Subject = strings.TrimPrefix(ev.ID, a.Name+".")
	for name, value := range map[string]string{correlationID: c.Run, causationID: c.ID, traceParent: c.TraceParent, traceState: c.TraceState, signature: c.Signature} {
		if value != "" {
			ev.Extensions[name] = value
		}
	}
	msg, err := encode(ev, subject)
	return msg, ev, err
}

// NewReview is the message of a review, which has data. The signature may be empty.
func NewReview(l layout.Subjects, v *shadow.Review, data []byte, signed string) (*nats.Msg, error) {
	ev := Event{ID: nuid.Next(), Type: shadow.Type(shadow.ReportReviewed), Source: "/reviewers/" + v.By, DataContentType: applicationJSON, Data: data}
	if signed != "" {
		ev.Extensions = map[string]any{signature: signed}
	}
	return encode(ev, l.Review(v.RunID, v.Domain, v.By))
}

// encode writes an event as a structured message. Equal events become equal bytes. What is stored once stays, so a mistake in the
// data must not get that far.
func encode(ev Event, subject string) (*nats.Msg, error) {
	if ev.ID == "" || !jsontext.Value(ev.Data).IsValid(jsontext.AllowDuplicateNames(true)) {
		return nil, errors.New("encoding an event: it has no id, or its data are not JSON")
	}
	b := append(make([]byte, 0, len(ev.Data)+1024), `{"specversion":"1.0"`...)
	var err error
	add := func(name, value string) {
		if value != "" && err == nil {
			b = append(append(append(b, `,"`...), name...), `":`...)
			b, err = jsontext.AppendQuote(b, value)
		}
	}
	add("id", ev.ID)
	add("source", ev.Source)
	add("type", ev.Type)
	add("subject", ev.Subject)
	add("datacontenttype", ev.DataContentType)
	add("dataschema", ev.DataSchema)
	if !ev.Time.IsZero() {
		add("time", ev.Time.UTC().Format(time.RFC3339Nano))
	}
	b = append(append(b, `,"data":`...), ev.Data...)
	for _, name := range slices.Sorted(maps.Keys(ev.Extensions)) {
		b = append(append(append(b, `,"`...), name...), `":`...)
		if value, isString := ev.Extensions[name].(string); !isString {
			b = fmt.Append(b, ev.Extensions[name])
		} else if err == nil {
			b, err = jsontext.AppendQuote(b, value)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("encoding an event: %w", err)
	}
	return &nats.Msg{Subject: subject, Header: nats.Header{contentType: {structuredJSON}}, Data: append(b, '}')}, nil
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
