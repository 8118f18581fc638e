package history

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// Event is an event of the protocol as it is stored, decoded.
type Event struct {
	// Address is what the subject says. The run of a rejection is that of its data,
	// since the subject names none; empty if the event could not be read.
	shadow.Address
	Seq   uint64    // in its stream
	Time  time.Time // when it was stored
	Cloud event.Event
	Raw   []byte // the whole event, as it is stored
	// Digest is that of the data, and Payload what [shadow.Decode] makes of them. It is nil where they break the
	// protocol, which Wrong says, and where only the headers were read.
	Digest  string
	Payload any
	Wrong   error
}

// NewEvent decodes the data of an event.
func NewEvent(at shadow.Address, ev event.Event) Event {
	e := Event{Address: at, Cloud: ev, Digest: shadow.Digest(ev.Data())}
	if e.Payload, _, e.Wrong = shadow.Decode(at.Name, ev.Data()); e.Wrong != nil {
		e.Payload, e.Wrong = nil, fmt.Errorf("%s: %w", at.Name, e.Wrong)
	}
	if rejection, ok := e.Payload.(*shadow.Rejection); ok {
		e.Run = rejection.RunID
	}
	return e
}

// ReadEvent decodes a stored event. ok is false for what is none: without an account wall anybody can write there.
func ReadEvent(l layout.Subjects, m *streams.Message) (e Event, ok bool) {
	a, err := l.Parse(m.Subject)
	if err != nil {
		return Event{}, false
	}
	ev, err := cloudevent.Decode(m.Header, m.Data)
	if err != nil {
		return Event{}, false
	}
	e = NewEvent(a, ev)
	e.Seq, e.Time, e.Raw = m.Seq, m.Time, m.Data
	if e.Wrong != nil {
		e.Wrong = fmt.Errorf("message %d on %s: %w", m.Seq, m.Subject, e.Wrong)
	}
	return e, true
}

// counts says whether an event counts: what follows from a review takes the place of a
// signed report, and is signed too. Without signers nobody here can tell.
func (e *Event) counts(signers []ed25519.PublicKey) bool {
	if e.Name != shadow.RunReviewed || len(signers) == 0 {
		return true
	}
	signed, err := attest.FromReviewed(e.Cloud.Data(), cloudevent.SignatureOf(e.Cloud))
	if err == nil {
		_, _, err = attest.OpenReviewed(signed, signers...)
	}
	return err == nil
}

// readEvents hands every event that counts and is stored by now on some subjects of a stream to take, in order.
func readEvents(ctx context.Context, l layout.Subjects, js jetstream.JetStream, stream string, subjects []string, take func(Event), signers ...ed25519.PublicKey) error {
	return streams.Read(ctx, js, stream, subjects, func(m *streams.Message) error {
		if e, ok := ReadEvent(l, m); ok && e.counts(signers) {
			take(e)
		}
		return nil
	})
}

const fileHint = "the file is what shadowd replay, demo or watch prints with --format json; events of a swarm are judged first: shadowd replay"

// FromFile reads a run from the numbered lines of a file of outputs. Without a name it is the file's only run.
func FromFile(file string, lines iter.Seq2[int, []byte], name string) (*Run, error) {
	runs := map[string]*Run{}
	for no, line := range lines {
		e, err := parseEvent(line)
		if err != nil {
			return nil, hint.Usage(fmt.Errorf("%s:%d: %w", file, no, err), fileHint)
		}
		if runs[e.Run] == nil {
			runs[e.Run] = NewRun(e.Run)
		}
		runs[e.Run].Take(e)
	}
	// A rejection may name a run that never was.
	maps.DeleteFunc(runs, func(_ string, r *Run) bool {
		return r.Commitment == nil && r.Scored == nil && len(r.Reports)+len(r.Reviews) == 0
	})
	names := slices.Sorted(maps.Keys(runs))
	if len(names) == 1 && name == "" {
		name = names[0]
	}
	switch {
	case len(names) == 0:
		return nil, hint.Usage(fmt.Errorf("%s holds no report", file), fileHint)
	case runs[name] == nil:
		return nil, hint.Failed(fmt.Errorf("name a run of %s: there is no run %.80q in it", file, name), "the runs are "+strings.Join(names, ", "))
	}
	return runs[name], nil
}

// parseEvent decodes an output as replay and demo print it. The run is empty where it is part of no report.
func parseEvent(raw []byte) (Event, error) {
	ev, err := cloudevent.Decode(nil, raw)
	if err != nil {
		return Event{}, err
	}
	e := NewEvent(shadow.Address{Name: strings.TrimSuffix(strings.TrimPrefix(ev.Type(), "dev.swarmspeed."), ".v1")}, ev)
	switch data := e.Payload.(type) {
	case nil:
		switch e.Name {
		case shadow.DecompositionDone, shadow.BundleComplete, shadow.FixSubmitted, shadow.ReportReviewed:
			return e, nil // watch prints what others wrote, too
		}
	case *shadow.Commitment:
		e.Run = data.RunID
	case *shadow.Report:
		e.Run, e.Domain = data.Swarm.RunID, data.Swarm.Domain
	case *shadow.RunData:
		e.Run = data.RunID
	case *shadow.ReviewedData:
		e.Run, e.Domain = data.RunID, data.Domain
	}
	if errors.Is(e.Wrong, shadow.ErrUnknownType) {
		return e, fmt.Errorf("an event of type %.80q is no output of shadowd", ev.Type())
	}
	return e, e.Wrong
}
