package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Recording is a file of events, in the order in which they are published.
type Recording struct {
	Subjects      layout.Subjects // what the subjects begin with
	Runs, Authors []string        // that the subjects name: runs, and commanders
	file          string
	lines         []recordedEvent
}

// recorded is a line of a recording.
type recordedEvent struct {
	Subject string          `json:"nats_subject"`
	Event   json.RawMessage `json:"event"`

	no   int            // of the line
	addr shadow.Address // empty if the subject is not one of the layout
}

// inputSubject is the subject of an input event, with its prefix. Streams store no other.
var inputSubject = regexp.MustCompile(`^([^ \t*>]+?)\.(?:` + shadow.DecompositionDone + `|(?:` + shadow.BundleComplete + `|` + shadow.FixSubmitted + `)\.[^. \t*>]+)\.[^. \t*>]+$`)

const eventHint = `each line is {"nats_subject": "swarm.decomposition-done.RUN", "event": {…a CloudEvent…}}`

// ReadRecording reads a file of events, one a line. Its errors name the line.
func ReadRecording(file string, text []byte) (*Recording, error) {
	r := &Recording{file: input.Name(file)}
	for no, line := range input.Lines(text) {
		l := recordedEvent{no: no}
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, hint.Usage(fmt.Errorf("%s:%d: %w", r.file, no, err), eventHint)
		}
		parts := inputSubject.FindStringSubmatch(l.Subject)
		if parts == nil || len(l.Event) == 0 {
			return nil, hint.Usage(fmt.Errorf("%s:%d: there is no event, or nats_subject %q is not PREFIX.%s.RUN, PREFIX.%s.RUN.COMMANDER or PREFIX.%s.RUN.COMMANDER",
				r.file, no, l.Subject, shadow.DecompositionDone, shadow.BundleComplete, shadow.FixSubmitted), eventHint)
		}
		prefix := parts[1]
		if len(r.lines) > 0 && prefix != r.Subjects.Prefix {
			return nil, hint.Usage(fmt.Errorf("%s: line %d: its nats_subject begins with %q, those before it with %q", r.file, no, prefix, r.Subjects.Prefix), "")
		}
		r.Subjects.Prefix = prefix
		if addr, err := r.Subjects.Parse(l.Subject); err == nil {
			l.addr = addr
			r.Runs, r.Authors = added(r.Runs, addr.Run), added(r.Authors, addr.Commander)
		}
		r.lines = append(r.lines, l)
	}
	if len(r.lines) == 0 {
		return nil, hint.Usage(fmt.Errorf("%s holds no events", r.file), eventHint)
	}
	return r, nil
}

func added(names []string, name string) []string {
	if name == "" || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// Decomposes says whether a run is decomposed in the recording.
func (r *Recording) Decomposes() bool {
	return slices.ContainsFunc(r.lines, func(l recordedEvent) bool { return l.addr.Name == shadow.DecompositionDone })
}

// SealTimeout is how long a seal takes at most where authors ask nobody.
const SealTimeout = 30 * time.Second

// Play publishes the events. With a limit each run's bundles wait for its seal.
func (r *Recording) Play(ctx context.Context, p *Player, limit time.Duration) error {
	willSeal := map[string]bool{}
	for _, l := range r.lines {
		decomposition := l.addr.Name == shadow.DecompositionDone
		if limit > 0 && !decomposition && willSeal[l.addr.Run] {
			if err := p.awaitSeal(ctx, l.addr.Run, limit); err != nil {
				return err
			}
		}
		if err := p.publish(ctx, l.Subject, l.Event); err != nil {
			return fmt.Errorf("line %d: %w", l.no, err)
		}
		if decomposition {
			willSeal[l.addr.Run] = true
		}
	}
	return nil
}

// awaitSeal waits for the seal of a run.
func (p *Player) awaitSeal(ctx context.Context, run string, limit time.Duration) error {
	err := p.until(ctx, limit, func() bool { return p.tracker.sealed(run) })
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return hint.Failed(fmt.Errorf("run %s was not sealed within %s", run, limit), "is a shadowd running on this bus? start one with: shadowd run; if its authors take longer, set seal.timeout in the configuration of this command too")
	}
	return err
}

// Rejected is an error if any event was: what was judged in its place is not what the recording holds.
func (r *Recording) Rejected(p *Player) error {
	n, reasons := 0, map[string]bool{}
	for _, run := range p.tracker.runs {
		for _, rej := range run.Rejected {
			n++
			reasons[shadow.Printable(string(rej.Reason))] = true
		}
	}
	why := strings.Join(slices.Sorted(maps.Keys(reasons)), ", ")
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%s of %s rejected: %s", shadow.Count(n, "event"), r.file, why)
}
