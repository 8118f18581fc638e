package bus

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// headerBlock and parseBlock write a header as lines and read it again, since
// a fuzzer has no maps.
func headerBlock(h nats.Header) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[k] {
			fmt.Fprintf(&b, "%s:%s\n", k, v)
		}
	}
	return b.String()
}

func parseBlock(s string) nats.Header {
	h := nats.Header{}
	for line := range strings.Lines(s) {
		k, v, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		h[k] = append(h[k], v)
	}
	return h
}

// longestRejection is an event that has as much as possible to repeat.
func longestRejection() malformed {
	quotes := func(n int) string { return strings.Repeat(`\"`, n) }
	h, body := inShape(0, shadow.BundleComplete, fmt.Sprintf(`{"run_id":"%[1]s","bundle_id":"%[1]s","domain":"%[1]s","commander_id":"%[1]s","status":"%[1]s"}`, quotes(100)))
	body = swap(body, `"e-1"`, `"`+quotes(cloudevent.MaxAttributeValue)+`","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","tracestate":"`+quotes(512)+`"`)
	return malformed{subject: subjectOf(shadow.BundleComplete), header: h, data: body}
}

// FuzzIntake: whatever is on IN, it is either an input of the very author that
// the subject names, or refused with an event-rejected that can be stored.
func FuzzIntake(f *testing.F) {
	seeds := append(malformedKinds(), wrongSubjects()...)
	for name, data := range goodData {
		for shape := range 4 {
			h, body := inShape(shape, name, data)
			seeds = append(seeds, malformed{subject: subjectOf(name), header: h, data: body})
		}
	}
	seeds = append(seeds, longestRejection())
	if len(seeds) < 200 {
		f.Fatalf("%d seeds", len(seeds))
	}
	for _, s := range seeds {
		if len(s.data) < 8<<10 { // large ones only slow the fuzzer down
			f.Add(s.subject, headerBlock(s.header), []byte(s.data))
		}
	}
	e := serverless()
	f.Fuzz(func(t *testing.T, subject, block string, body []byte) {
		m := &streams.Message{Subject: subject, Header: parseBlock(block), Data: body, Seq: 7}
		in, err := takeInput(e.layout, &e.cfg, m)
		if err == nil {
			isInput(t, e, in)
			return
		}
		refused, ok := errors.AsType[*shadow.Refusal](err)
		if !ok {
			t.Fatalf("not a refusal: %v", err)
		}
		if _, again := takeInput(e.layout, &e.cfg, m); again == nil || again.Error() != err.Error() {
			t.Fatalf("two answers:\n%v\n%v", err, again)
		}
		msg, err := e.rejection(in, refused)
		if err != nil {
			t.Fatalf("%v: cannot be rejected: %v", refused, err)
		}
		ev, err := cloudevent.Decode(msg.Header, msg.Data)
		if err != nil {
			t.Fatal(err)
		}
		var rej shadow.Rejection
		if err := json.Unmarshal(ev.Data(), &rej); err != nil {
			t.Fatal(err)
		}
		if err := fitRejection(msg.Data, ev.Data(), rej); err != nil {
			t.Fatalf("%v\n%s", err, msg.Data)
		}
		if a, err := e.layout.Parse(msg.Subject); err != nil || a.Sequence != m.Seq {
			t.Fatalf("rejected on %q", msg.Subject)
		}
	})
}

// isInput holds an input that was taken to what the engine goes on to believe.
func isInput(t *testing.T, e *Engine, in *input) {
	t.Helper()
	l := layout.Subjects{}
	if in.digest != shadow.Digest(in.event.Data()) || in.event.Type() != shadow.Type(in.addr.Name) {
		t.Fatalf("%+v", in)
	}
	switch d, s := in.decomposition, in.submission; {
	case d != nil && s == nil:
		if in.Subject != l.Decomposition(d.RunID) || in.addr.Author != layout.AuthorNexus {
			t.Fatalf("decomposition of %q by %s on %q", d.RunID, in.addr.Author, in.Subject)
		}
	case d == nil && s != nil:
		if want := map[bool]string{true: l.Bundle(s.RunID, s.Bundle.CommanderID), false: l.Fix(s.RunID, s.Bundle.CommanderID)}[s.Cycle == 0]; in.Subject != want || in.addr.Author != s.Bundle.CommanderID {
			t.Fatalf("bundle of %+v by %s on %q", s, in.addr.Author, in.Subject)
		}
		if !layout.ValidID(s.Bundle.BundleID) || !layout.ValidID(s.Bundle.Domain) || len(s.Bundle.Content) > e.cfg.ContentBytes {
			t.Fatalf("%+v", s)
		}
	default:
		t.Fatalf("both or none: %+v", in)
	}
}
