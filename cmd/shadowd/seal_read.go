package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/schemas"
)

const decompositionHint = `a file of events as "shadowd replay" takes it, one decomposition-done event, or its data alone: {"run_id", "task", "domains": […]}`

// readDecompositions reads the decompositions of a file of JSON values: lines
// of a replay, events, or the data of decomposition-done. Events of other
// types are passed over. Its error names the line on which a value begins.
func readDecompositions(file string, stdin io.Reader) ([]*shadow.Decomposition, error) {
	raw, err := readAll(file, stdin)
	if err != nil {
		return nil, hint.Usage(err, "")
	}
	wrong := func(at int64, err error) error {
		at += int64(len(raw[at:]) - len(bytes.TrimLeft(raw[at:], " \t\r\n")))
		return hint.Usage(fmt.Errorf("%s:%d: %w", file, 1+bytes.Count(raw[:at], []byte("\n")), err), decompositionHint)
	}
	var out []*shadow.Decomposition
	runs := map[string]bool{}
	for dec := json.NewDecoder(bytes.NewReader(raw)); ; {
		at := dec.InputOffset()
		var value json.RawMessage
		err := dec.Decode(&value)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, wrong(at, err)
		}
		d, err := decompositionOf(value)
		if err != nil {
			return nil, wrong(at, err)
		}
		// The first one of a run counts, as on the bus.
		if d != nil && !runs[d.RunID] {
			runs[d.RunID] = true
			out = append(out, d)
		}
	}
	if len(out) == 0 {
		return nil, hint.Usage(fmt.Errorf("%s holds no decomposition", file), decompositionHint)
	}
	return out, nil
}

func readAll(file string, stdin io.Reader) ([]byte, error) {
	r := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	raw, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(raw) > maxFile {
		err = fmt.Errorf("%s is larger than %d MiB", file, maxFile>>20)
	}
	return raw, err
}

// maxFile bounds a file of decompositions in bytes.
const maxFile = 64 << 20

// decompositionOf reads one value as the daemon would. It returns nil for an
// event of another type.
func decompositionOf(value json.RawMessage) (*shadow.Decomposition, error) {
	var shape struct {
		Event       json.RawMessage `json:"event"`
		SpecVersion json.RawMessage `json:"specversion"`
	}
	if err := json.Unmarshal(value, &shape); err != nil {
		return nil, fmt.Errorf("reading a value of the file: %w", err)
	}
	data := []byte(value)
	if shape.Event != nil {
		value = shape.Event
	}
	if shape.Event != nil || shape.SpecVersion != nil {
		ev, err := bus.Decode(nil, value)
		if err != nil {
			return nil, err
		}
		if ev.Type() != shadow.Type(shadow.DecompositionDone) {
			return nil, nil
		}
		data = ev.Data()
	}
	if err := schemas.Validate(shadow.DecompositionDone, data); err != nil {
		return nil, err
	}
	d, err := shadow.Decode(shadow.DecompositionDone, data)
	if err != nil {
		return nil, err
	}
	return d.(*shadow.Decomposition), nil
}
