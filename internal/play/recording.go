package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	Subjects layout.Subjects // what the subjects begin with
	file     string
	lines    []recordedEvent
}

// recorded is a line of a recording.
type recordedEvent struct {
	Subject string          `json:"nats_subject"`
	Event   json.RawMessage `json:"event"`

	no   int            // of the line
	addr shadow.Address // empty if the subject is not one of the layout
}

const eventHint = `each line is {"nats_subject": "swarm.decomposition-done.RUN", "event": {…a CloudEvent…}}`

// ReadRecording reads a file of events, one a line. Its errors name the line.
func ReadRecording(file string, text []byte) (*Recording, error) {
	r := &Recording{file: input.Name(file)}
	for no, line := range input.Lines(text) {
		l := recordedEvent{no: no}
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, hint.Usage(fmt.Errorf("%s:%d: %w", r.file, no, err), eventHint)
		}
		if l.Subject == "" || strings.ContainsAny(l.Subject, " \t*>") || len(l.Event) == 0 {
			return nil, hint.Usage(fmt.Errorf("%s:%d: nats_subject or event is missing, or nats_subject has a wildcard or a space in it", r.file, no), eventHint)
		}
		prefix, err := prefixOf(l.Subject)
		if err != nil {
			return nil, hint.Usage(fmt.Errorf("%s: line %d: %w", r.file, no, err), "")
		}
		if len(r.lines) > 0 && prefix != r.Subjects.Prefix {
			return nil, hint.Usage(fmt.Errorf("%s: line %d: its nats_subject begins with %q, those before it with %q", r.file, no, prefix, r.Subjects.Prefix), "")
		}
		r.Subjects.Prefix = prefix
		if l.addr, err = r.Subjects.Parse(l.Subject); err != nil {
			l.addr = shadow.Address{}
		}
		r.lines = append(r.lines, l)
	}
	if len(r.lines) == 0 {
		return nil, hint.Usage(fmt.Errorf("%s holds no events", r.file), eventHint)
	}
	return r, nil
}

// prefixOf is what stands in a subject before the name of an input event.
func prefixOf(subject string) (string, error) {
	tokens := strings.Split(subject, ".")
	at := slices.IndexFunc(tokens, func(t string) bool {
		return t == shadow.DecompositionDone || t == shadow.BundleComplete || t == shadow.FixSubmitted
	})
	ids := 2 // that follow the name; streams store no other subjects
	if at > 0 && tokens[at] == shadow.DecompositionDone {
		ids = 1
	}
	if at <= 0 || len(tokens) != at+1+ids {
		return "", fmt.Errorf("nats_subject %q is no event's: use PREFIX.%s.RUN, PREFIX.%s.RUN.COMMANDER or PREFIX.%s.RUN.COMMANDER",
			subject, shadow.DecompositionDone, shadow.BundleComplete, shadow.FixSubmitted)
	}
	return strings.Join(tokens[:at], "."), nil
}

// Authors are the commanders that the subjects name, and Runs the runs.
func (r *Recording) Authors() []string {
	return r.names(func(a *shadow.Address) string { return a.Commander })
}

// Runs are the runs that the subjects name.
func (r *Recording) Runs() []string { return r.names(func(a *shadow.Address) string { return a.Run }) }

func (r *Recording) names(of func(*shadow.Address) string) []string {
	names := map[string]bool{}
	for i := range r.lines {
		if name := of(&r.lines[i].addr); name != "" {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
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

// Rejected is an error if any of the events was rejected: what was judged in
// its place, if anything, was not what the recording holds.
func (r *Recording) Rejected(p *Player) error {
	n, reasons := 0, map[string]bool{}
	for _, run := range p.tracker.runs {
		for _, rej := range run.Rejected {
			n++
			reasons[shadow.Printable(string(rej.Reason))] = true
		}
	}
	why := strings.Join(slices.Sorted(maps.Keys(reasons)), ", ")
	switch n {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("1 event of %s was rejected: %s", r.file, why)
	}
	return fmt.Errorf("%d events of %s were rejected: %s", n, r.file, why)
}
