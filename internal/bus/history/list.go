package history

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// RunState is what has become of a run.
type RunState string

// The states: waiting for bundles or for the seal, waiting for a fix, scored,
// ended without all bundles, and rejected with its decomposition.
const (
	RunWaiting    RunState = "waiting"
	RunHardening  RunState = "hardening"
	RunScored     RunState = "scored"
	RunIncomplete RunState = "incomplete"
	RunRejected   RunState = "rejected"
)

// Summary is a run in a few words.
type Summary struct {
	RunID   string       `json:"run_id"`
	Task    string       `json:"task"`
	State   RunState     `json:"state"`
	Started time.Time    `json:"started_at"` // when the first event of it was stored
	Sealed  *time.Time   `json:"sealed_at,omitempty"`
	Domains int          `json:"domains"`
	Final   int          `json:"final"`            // domains with a final report
	Median  json.Number  `json:"median,omitempty"` // once it is scored
	Level   shadow.Level `json:"level,omitempty"`
	// Read sums up how many items of the assignments were read.
	Read shadow.Read `json:"read"`
	// Unread is of how many domains too little was read to speak of a level.
	Unread int `json:"unread_domains"`
	// Advisory: the median is, or a report so far.
	Advisory bool `json:"advisory"`
	Observed bool `json:"observe_mode"`
	// Reason is why a run was rejected.
	Reason string `json:"reason,omitempty"`

	// digest is of the decomposition that was committed to; tasks are by
	// digest, since a run may be decomposed twice.
	digest string
	tasks  map[string]string
	// minRead is the share of items, in percent, that the policy wants read.
	minRead int
	// last is the last report of each domain, as long as it is not scored.
	last map[string]*shadow.Report
}

// runList gathers what the streams say about all runs.
type runList map[string]*Summary

// List reads all runs, the newest first. It takes a few consumers, however
// many runs there are: one over the decompositions and commitments, one over
// the sums and the rejections, and for the runs that have no sum yet one over
// their reports.
func List(ctx context.Context, l layout.Subjects, js jetstream.JetStream) ([]*Summary, error) {
	all := runList{}
	if err := readOutputs(ctx, l, js, layout.StreamIn, []string{l.Decomposition("*"), l.Commitment("*")}, all.in); err != nil {
		return nil, err
	}
	// Of the rejections only those of decompositions end a run.
	rejections := strings.Replace(l.Rejections(), "*", layout.AuthorNexus, 1)
	if err := readOutputs(ctx, l, js, layout.StreamOut, []string{l.RunScored("*"), rejections}, all.out); err != nil {
		return nil, err
	}
	// A consumer's filters are compared with one another when it is made, so
	// there are not too many of them.
	for some := range slices.Chunk(all.unscored(), 100) {
		var filters []string
		for _, run := range some {
			filters = append(filters, l.RunOutputs(run)...)
		}
		if err := readOutputs(ctx, l, js, layout.StreamOut, filters, all.report); err != nil {
			return nil, err
		}
	}
	for _, r := range all {
		r.conclude()
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *Summary) int {
		return cmp.Or(b.Started.Compare(a.Started), strings.Compare(a.RunID, b.RunID))
	}), nil
}

// of is the summary of the run that an output is about.
func (all runList) of(o Output) *Summary {
	r := all[o.Run]
	if r == nil {
		r = &Summary{RunID: o.Run, State: RunWaiting, Started: o.Time, tasks: map[string]string{}, last: map[string]*shadow.Report{}}
		all[o.Run] = r
	}
	if o.Time.Before(r.Started) {
		r.Started = o.Time
	}
	return r
}

// in takes in a decomposition or a commitment.
func (all runList) in(o Output) error {
	r := all.of(o)
	if o.Name == shadow.EnvelopeSealed {
		var c shadow.Commitment
		if err := o.decode(&c); err != nil || r.Sealed != nil {
			return err
		}
		r.Sealed, r.Domains, r.Observed = &o.Time, c.Domains, !c.Policy.EnforceGates
		r.digest, r.minRead = c.DecompositionDigest, c.Policy.MinRead
		return nil
	}
	in, err := shadow.Decode(shadow.DecompositionDone, o.Event.Data())
	if err != nil {
		return nil // not well formed: it is or will be rejected
	}
	d := in.(*shadow.Decomposition)
	if len(r.tasks) == 0 {
		r.Task, r.Domains = d.Task, len(d.Domains)
	}
	r.tasks[shadow.Digest(o.Event.Data())] = d.Task
	return nil
}

// out takes in the sum of a run, or the rejection of its decomposition.
func (all runList) out(o Output) error {
	if o.Name == shadow.RunScored {
		var s shadow.RunData
		if err := o.decode(&s); err != nil {
			return err
		}
		r := all.of(o)
		if r.State = RunScored; s.Incomplete {
			r.State = RunIncomplete
		}
		r.Final, r.Domains = len(s.Domains), len(s.Domains)+len(s.Missing)
		r.Median, r.Level, r.Advisory, r.Read = s.Median, s.Level, s.Advisory, s.Read
		for _, d := range s.Domains {
			if d.Read.Below(r.minRead) {
				r.Unread++
			}
		}
		return nil
	}
	var rej shadow.Rejection
	if err := o.decode(&rej); err != nil {
		return err
	}
	// A second decomposition of a sealed run is rejected too, which does not
	// touch the run.
	if r := all[rej.RunID]; r != nil && r.Sealed == nil {
		r.State, r.Reason = RunRejected, fmt.Sprintf("%s: %s", rej.Reason, rej.Message)
	}
	return nil
}

// unscored are the runs whose reports have to be looked at.
func (all runList) unscored() []string {
	var out []string
	for run, r := range all {
		if r.State == RunWaiting && r.Sealed != nil {
			out = append(out, run)
		}
	}
	slices.Sort(out)
	return out
}

// report takes in a report of a run that is not scored.
func (all runList) report(o Output) error {
	if o.Name != shadow.GapReport {
		return nil
	}
	var rep shadow.Report
	if err := o.decode(&rep); err != nil {
		return err
	}
	r := all.of(o)
	if before := r.last[o.Domain]; before == nil || before.Swarm.Cycle <= rep.Swarm.Cycle {
		r.last[o.Domain] = &rep
	}
	return nil
}

// conclude settles what several messages say together.
func (r *Summary) conclude() {
	if task, ok := r.tasks[r.digest]; ok {
		r.Task = task
	}
	for _, rep := range r.last {
		if rep.Swarm.Final {
			r.Final++
		} else {
			r.State = RunHardening
		}
		r.Advisory = r.Advisory || len(rep.Swarm.AdvisoryReasons) > 0
		r.Read.Add(rep.Swarm.Read)
		if rep.Swarm.Read.Below(r.minRead) {
			r.Unread++
		}
	}
}
