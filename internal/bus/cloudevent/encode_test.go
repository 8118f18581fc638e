package cloudevent

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestNewEvent(t *testing.T) {
	at := time.Date(2026, 1, 2, 4, 4, 5, 678901234, time.FixedZone("", 3600))
	cause := Cause{ID: "e 1 <é>", Run: "other", TraceParent: parent, TraceState: "a=b"}
	for _, c := range []struct{ prefix, subject, want string }{
		{"", "swarm.gap-report.r.d.0", `{"specversion":"1.0","id":"gap-report.r.d.0","source":"/shadowd","type":"dev.swarmspeed.gap-report.v1","subject":"r.d.0",` +
			`"datacontenttype":"application/json","dataschema":"https://swarmspeed.dev/schemas/gap-report.v1.json","time":"2026-01-02T03:04:05.678901234Z","data":{"a": 1},` +
			`"causationid":"e 1 <é>","correlationid":"r","traceparent":"` + parent + `","tracestate":"a=b"}`},
		{"acme.swarm", "acme.swarm.event-rejected.alpha.17", `{"specversion":"1.0","id":"event-rejected.alpha.17","source":"/shadowd","type":"dev.swarmspeed.event-rejected.v1","subject":"alpha.17",` +
			`"datacontenttype":"application/json","dataschema":"https://swarmspeed.dev/schemas/event-rejected.v1.json","time":"2026-01-02T03:04:05.678901234Z","data":{"a": 1},` +
			`"causationid":"e 1 <é>","correlationid":"other","traceparent":"` + parent + `","tracestate":"a=b"}`},
	} {
		msg, ev, err := New(layout.Subjects{Prefix: c.prefix}, c.subject, cause, at, []byte(`{"a": 1}`))
		bustest.OK(t, err)
		if string(msg.Data) != c.want || msg.Subject != c.subject {
			t.Errorf("got  %s\nwant %s", msg.Data, c.want)
		}
		if got := msg.Header.Get("Content-Type"); got != "application/cloudevents+json" {
			t.Errorf("content type %q", got)
		}
		roundTrip(t, ev)
	}
}

// TestSignature: a report carries its signature, and what follows from it does not.
func TestSignature(t *testing.T) {
	msg, ev, err := New(layout.Subjects{}, "swarm.gap-report.r.d.0", Cause{Signature: "v1 key sig"}, time.Unix(0, 0), []byte(`{}`))
	bustest.OK(t, err)
	if back, err := Decode(msg.Header, msg.Data); err != nil || SignatureOf(back) != "v1 key sig" {
		t.Errorf("%s: %v", msg.Data, err)
	}
	if c := InheritedCause(ev); c.Signature != "" {
		t.Errorf("%+v", c)
	}
}

func TestNewEventRefuses(t *testing.T) {
	for _, subject := range []string{"other.run-scored.r", "swarm.run-scored.r.x", "swarm.run-scored.*", "swarm.tick.r", "swarm.nonsense.r"} {
		if _, _, err := New(layout.Subjects{}, subject, Cause{}, time.Unix(0, 0), []byte(`{}`)); !errors.Is(err, layout.ErrNotOurs) {
			t.Errorf("%s: %v", subject, err)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for name, change := range map[string]func(*event.Event){
		"no id":         func(ev *event.Event) { ev.Context = &event.EventContextV1{} },
		"no JSON":       func(ev *event.Event) { ev.DataEncoded = []byte(`{"a":`) },
		"no data":       func(ev *event.Event) { ev.DataEncoded = nil },
		"invalid UTF-8": func(ev *event.Event) { ev.DataEncoded = []byte("\"\xff\"") },
		"base64":        func(ev *event.Event) { ev.DataBase64 = true },
		"text":          func(ev *event.Event) { ev.SetDataContentType("text/plain") },
		"other JSON":    func(ev *event.Event) { ev.SetDataContentType("application/x+json") }, // which the SDK writes as a string
	} {
		_, ev, err := New(layout.Subjects{}, "swarm.run-scored.r", Cause{}, time.Unix(0, 0), []byte(`{}`))
		bustest.OK(t, err)
		change(&ev)
		if msg, err := encode(ev); err == nil {
			t.Errorf("%s: encoded as %s", name, msg.Data)
		}
	}
}

func TestCauseOf(t *testing.T) {
	for _, c := range []struct{ name, parent, state, wantParent, wantState string }{
		{"both", parent, "a=b,c=d", parent, "a=b,c=d"},
		{"none", "", "", "", ""},
		{"state alone", "", "a=b", "", ""},
		{"upper case", strings.ToUpper(parent), "a=b", "", ""},
		{"short", parent[:54], "", "", ""},
		{"long", parent + "-x", "", "", ""},
		{"later version", "01" + parent[2:], "", "", ""},
		{"no trace", "00-00000000000000000000000000000000-b7ad6b7169203331-01", "", "", ""},
		{"no span", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", "", "", ""},
		{"wrong dash", "00-0af7651916cd43dd8448eb211c80319cab7ad6b7169203331-01", "", "", ""},
		{"state too long", parent, strings.Repeat("a", 513), parent, ""},
		{"state not ASCII", parent, "a=é", parent, ""},
	} {
		ev := event.New()
		ev.SetID("e1")
		ev.SetExtension("traceparent", c.parent)
		ev.SetExtension("tracestate", c.state)
		want := Cause{ID: "e1", TraceParent: c.wantParent, TraceState: c.wantState}
		if got := CauseOf(ev); got != want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}
	}
	if got := CauseOf(event.Event{}); got != (Cause{}) {
		t.Errorf("of an event that could not be read: %+v", got)
	}
}
