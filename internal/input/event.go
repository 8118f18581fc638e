package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cloudevents/sdk-go/v2/event"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// eventIn finds the event in a JSON value: itself, or in a line of a replay file; nil where it is neither.
func eventIn(value json.RawMessage) (*event.Event, error) {
	var shape struct {
		Event       json.RawMessage `json:"event"`
		SpecVersion json.RawMessage `json:"specversion"`
	}
	if err := decode(value, &shape); err != nil {
		return nil, err
	}
	switch {
	case shape.Event != nil:
		value = shape.Event
	case shape.SpecVersion == nil:
		return nil, nil
	}
	ev, err := cloudevent.Decode(nil, value)
	return &ev, err
}

// Decomposed is a decomposition, and what its publisher should know of its data.
type Decomposed struct {
	*shadow.Decomposition
	Notices []string
}

// Decompositions reads those of a file: lines of a replay file, events, or the data of decomposition-done. Other events are
// passed over. The first of each run counts, as on the bus.
func Decompositions(file string, stdin io.Reader) ([]*Decomposed, error) {
	runs := map[string]bool{}
	return all(file, stdin, "decomposition", func(data []byte, ev *event.Event) (*Decomposed, error) {
		if ev != nil && ev.Type() != shadow.Type(shadow.DecompositionDone) {
			return nil, nil
		}
		in, ignored, err := shadow.Decode(shadow.DecompositionDone, data)
		if err != nil {
			return nil, err
		}
		d := in.(*shadow.Decomposition)
		if runs[d.RunID] {
			return nil, nil
		}
		runs[d.RunID] = true
		return &Decomposed{d, ignored}, nil
	})
}

// Attestations reads what is signed in a file of JSON values: DSSE envelopes, the events of final reports, whose
// statements are made anew, or those of reviews that shadowd has taken. Other events are passed over.
func Attestations(file string, stdin io.Reader) ([]*attest.Envelope, error) {
	return all(file, stdin, "attestation", func(data []byte, ev *event.Event) (*attest.Envelope, error) {
		if ev != nil {
			return signed(ev)
		}
		e := &attest.Envelope{}
		if err := json.Unmarshal(data, e); err != nil {
			return nil, fmt.Errorf("not a DSSE envelope: %w", err)
		}
		if e.PayloadType == "" {
			return nil, errors.New("neither a DSSE envelope nor an event")
		}
		return e, nil
	})
}

// signed is what is signed of an event, or nil.
func signed(ev *event.Event) (*attest.Envelope, error) {
	rep := &shadow.Report{}
	switch ev.Type() {
	case shadow.Type(shadow.RunReviewed):
		return attest.FromReviewed(ev.Data(), cloudevent.SignatureOf(*ev))
	case shadow.Type(shadow.GapReport):
	default:
		return nil, nil
	}
	if err := json.Unmarshal(ev.Data(), rep); err != nil || !rep.Swarm.Final {
		return nil, err
	}
	return attest.FromReport(rep, ev.Data(), cloudevent.SignatureOf(*ev))
}

// all is what take makes of the JSON values of a file: of each value, or of the
// data of the event that it is. take returns nil for what is passed over.
func all[T any](file string, stdin io.Reader, what string, take func([]byte, *event.Event) (*T, error)) ([]*T, error) {
	raw, err := Read(file, stdin, MaxEvents)
	if err != nil {
		return nil, err
	}
	var out []*T
	err = values(file, raw, func(value json.RawMessage) error {
		ev, err := eventIn(value)
		if err != nil {
			return err
		}
		data := []byte(value)
		if ev != nil {
			data = ev.Data()
		}
		one, err := take(data, ev)
		if one != nil {
			out = append(out, one)
		}
		return err
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s holds no %s", Name(file), what)
	}
	return out, err
}

// Bundle finds the bundle in a JSON value: itself, the data of its event, the event, or a line of a replay file.
func Bundle(data []byte) (*shadow.Bundle, error) {
	var shape struct {
		Content *string         `json:"content"`
		Bundle  json.RawMessage `json:"bundle"`
	}
	if err := decode(data, &shape); err != nil {
		return nil, err
	}
	switch {
	case shape.Content != nil: // it is a bundle, whatever else it has
		var b shadow.Bundle
		return &b, decode(data, &b)
	case shape.Bundle != nil:
		return Bundle(shape.Bundle)
	}
	ev, err := eventIn(data)
	switch {
	case err != nil:
		return nil, err
	case ev == nil:
		return nil, errors.New("no bundle: it has no content, and is neither an event nor a line of a replay file")
	case ev.Type() != shadow.Type(shadow.BundleComplete) && ev.Type() != shadow.Type(shadow.FixSubmitted):
		return nil, fmt.Errorf("an event of type %.80q carries no bundle: want %s or %s", ev.Type(), shadow.BundleComplete, shadow.FixSubmitted)
	}
	return Bundle(ev.Data())
}
