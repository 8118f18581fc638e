package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// runList gathers what the streams say about all runs.
type runList struct {
	lines map[string]*runLine
	// digests are of the decompositions that were committed to; tasks are
	// by digest, since a run may be decomposed twice.
	digests map[string]string
	tasks   map[string]map[string]string
	// minRead is the share of items, in percent, that a run's policy wants read.
	minRead map[string]int
	// last is the last report of each domain of a run that is not scored.
	last map[string]map[string]*shadow.Report
}

// listRuns reads all runs. It takes a few consumers, however many runs there
// are: one over the decompositions and commitments, one over the sums and the
// rejections, and for the runs that have no sum yet one over their reports.
func (b *openedBus) listRuns(ctx context.Context) ([]*runLine, error) {
	l := &runList{lines: map[string]*runLine{}, digests: map[string]string{}, tasks: map[string]map[string]string{}, minRead: map[string]int{}, last: map[string]map[string]*shadow.Report{}}
	if err := b.read(ctx, bus.StreamIn, []string{b.layout.Decomposition("*"), b.layout.Commitment("*")}, l.in); err != nil {
		return nil, err
	}
	// Of the rejections only those of decompositions end a run.
	rejections := strings.Replace(b.layout.Rejections(), "*", bus.AuthorNexus, 1)
	if err := b.read(ctx, bus.StreamOut, []string{b.layout.RunScored("*"), rejections}, l.out); err != nil {
		return nil, err
	}
	// A consumer's filters are compared with one another when it is made, so
	// there are not too many of them.
	for some := range slices.Chunk(l.unscored(), 100) {
		var filters []string
		for _, run := range some {
			filters = append(filters, b.layout.RunOutputs(run)...)
		}
		if err := b.read(ctx, bus.StreamOut, filters, l.report); err != nil {
			return nil, err
		}
	}
	l.conclude()
	runs := slices.Collect(maps.Values(l.lines))
	newestFirst(runs)
	return runs, nil
}

func (l *runList) line(run string) *runLine {
	if l.lines[run] == nil {
		l.lines[run] = &runLine{RunID: run, State: runWaiting}
	}
	return l.lines[run]
}

func decodeOutput(o output, into any) error {
	if err := json.Unmarshal(o.Event.Data(), into); err != nil {
		return fmt.Errorf("message %d on %s: %w", o.Seq, o.Subject, err)
	}
	return nil
}

func (l *runList) in(o output) error {
	r := l.line(o.Addr.Run)
	if o.Addr.Name == shadow.EnvelopeSealed {
		var c shadow.Commitment
		if err := decodeOutput(o, &c); err != nil || r.Sealed != nil {
			return err
		}
		stored := o.Time
		r.Sealed, r.Domains, r.Observed = &stored, c.Domains, !c.Policy.EnforceGates
		l.digests[r.RunID], l.minRead[r.RunID] = c.DecompositionDigest, c.Policy.MinRead
		return nil
	}
	in, err := shadow.Decode(shadow.DecompositionDone, o.Event.Data())
	if err != nil {
		return nil // not well formed: it is or will be rejected
	}
	d := in.(*shadow.Decomposition)
	if l.tasks[r.RunID] == nil {
		l.tasks[r.RunID] = map[string]string{}
		r.Task, r.Domains = d.Task, len(d.Domains)
	}
	l.tasks[r.RunID][shadow.Digest(o.Event.Data())] = d.Task
	return nil
}

func (l *runList) out(o output) error {
	if o.Addr.Name == shadow.RunScored {
		var s shadow.RunData
		if err := decodeOutput(o, &s); err != nil {
			return err
		}
		r := l.line(o.Addr.Run)
		if r.State = runScored; s.Incomplete {
			r.State = runIncomplete
		}
		r.Final, r.Domains = len(s.Domains), len(s.Domains)+len(s.Missing)
		r.Median, r.Level, r.Advisory, r.Read = s.Median, s.Level, s.Advisory, s.Read
		for _, d := range s.Domains {
			if d.Read.Below(l.minRead[r.RunID]) {
				r.Unread++
			}
		}
		return nil
	}
	var rej shadow.Rejection
	if err := decodeOutput(o, &rej); err != nil {
		return err
	}
	// A second decomposition of a sealed run is rejected too, which does not
	// touch the run.
	if r := l.lines[rej.RunID]; r != nil && r.Sealed == nil {
		r.State, r.Reason = runRejected, fmt.Sprintf("%s: %s", rej.Reason, rej.Message)
	}
	return nil
}

// unscored are the runs whose reports have to be looked at.
func (l *runList) unscored() []string {
	var out []string
	for run, r := range l.lines {
		if r.State == runWaiting && r.Sealed != nil {
			out = append(out, run)
		}
	}
	slices.Sort(out)
	return out
}

func (l *runList) report(o output) error {
	if o.Addr.Name != shadow.GapReport {
		return nil
	}
	var rep shadow.Report
	if err := decodeOutput(o, &rep); err != nil {
		return err
	}
	of := l.last[o.Addr.Run]
	if of == nil {
		of = map[string]*shadow.Report{}
		l.last[o.Addr.Run] = of
	}
	if before := of[o.Addr.Domain]; before == nil || before.Swarm.Cycle <= rep.Swarm.Cycle {
		of[o.Addr.Domain] = &rep
	}
	return nil
}

// conclude settles what several messages say together.
func (l *runList) conclude() {
	for run, r := range l.lines {
		if task, ok := l.tasks[run][l.digests[run]]; ok {
			r.Task = task
		}
		for _, rep := range l.last[run] {
			if rep.Swarm.Final {
				r.Final++
			} else {
				r.State = runHardening
			}
			r.Advisory = r.Advisory || len(rep.Swarm.AdvisoryReasons) > 0
			r.Read.Add(rep.Swarm.Read)
			if render.Unread(&rep.Swarm) {
				r.Unread++
			}
		}
	}
}
