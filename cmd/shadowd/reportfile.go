package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/schemas"
)

const outputsHint = "the file is what shadowd replay --format json or shadowd demo --format json prints"

// runInFile reads a run from a file of output events, one a line. An empty
// name stands for the file's only run.
func runInFile(file string, stdin io.Reader, name string) (*trackedRun, error) {
	in, where := stdin, "standard input"
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, hint.Usage(err, "")
		}
		defer f.Close()
		in, where = f, file
	}
	t := newTracker()
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, maxLine)
	for no := 1; sc.Scan(); no++ {
		line := bytes.TrimSpace(sc.Bytes())
		if len(line) == 0 {
			continue
		}
		err := t.line(line)
		if errors.Is(err, errInput) {
			return nil, hint.Usage(fmt.Errorf("%s:%d: %w", where, no, err), fmt.Sprintf("judge it first: shadowd replay --format json %s > out.jsonl, then shadowd report --file out.jsonl", file))
		}
		if err != nil {
			return nil, hint.Usage(fmt.Errorf("%s:%d: %w", where, no, err), outputsHint)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, hint.Usage(fmt.Errorf("%s: %w", where, err), "")
	}
	names := slices.Sorted(maps.Keys(t.runs))
	switch {
	case len(names) == 0:
		return nil, hint.Usage(fmt.Errorf("%s holds no output events", where), outputsHint)
	case name == "" && len(names) > 1:
		return nil, hint.Usage(fmt.Errorf("%s holds %d runs: name one", where, len(names)), "the runs are "+strings.Join(names, ", "))
	case name == "":
		name = names[0]
	case t.runs[name] == nil:
		return nil, hint.Failed(fmt.Errorf("there is no run %.80q in %s", name, where), "the runs are "+strings.Join(names, ", "))
	}
	return t.runs[name], nil
}

// errInput says that a file is what replay reads, and not what it prints.
var errInput = errors.New("this is what a swarm says, input of shadowd replay: there is no report in it yet")

// line takes in an output event as it is printed.
func (t *tracker) line(raw []byte) error {
	var input struct {
		Subject string `json:"nats_subject"`
	}
	if json.Unmarshal(raw, &input) == nil && input.Subject != "" {
		return errInput
	}
	ev, err := bus.Decode(nil, raw)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(strings.TrimPrefix(ev.Type(), "dev.swarmspeed."), ".v1")
	switch name {
	case shadow.EnvelopeSealed, shadow.GapReport, shadow.Attestation, shadow.RunScored:
	case shadow.DecompositionDone, shadow.BundleComplete, shadow.FixSubmitted:
		return errInput
	case shadow.HardeningRequest, shadow.BundleQuarantined, shadow.EventRejected:
		return nil // nothing of these is in a report
	default:
		return fmt.Errorf("an event of type %.80q is no output of shadowd", ev.Type())
	}
	if err := schemas.Validate(name, ev.Data()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	addr := bus.Address{Name: name}
	var data struct {
		RunID string       `json:"run_id"`
		Swarm shadow.Swarm `json:"swarm"`
	}
	if err := json.Unmarshal(ev.Data(), &data); err != nil {
		return err
	}
	switch addr.Run = data.RunID; name {
	case shadow.GapReport:
		addr.Run, addr.Domain = data.Swarm.RunID, data.Swarm.Domain
	case shadow.Attestation: // whose data says it in base64 only
		addr.Run, addr.Domain, _ = strings.Cut(ev.Subject(), ".")
	}
	return t.heard(output{Addr: addr, Event: ev, Raw: raw})
}
