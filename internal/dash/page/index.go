package page

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// mostRuns is how many runs are kept, and mostKept how many bundles and
// rejections of each.
const (
	mostRuns = 500
	mostKept = 1000
)

// index knows the newest runs in a few words each. Events may come in any
// order among the streams.
type index struct {
	mu   sync.Mutex
	runs map[string]*entry
	// complete: all that was stored before has been taken in.
	complete bool
}

// entry is a run. What it holds is never changed but by take.
type entry struct {
	id            string
	begun, sealed time.Time
	ended         time.Time
	tasks         map[string]string // by the digest of the decomposition
	task          string
	commitment    *shadow.Commitment
	domains       int
	lines         map[string]*line
	scored        *shadow.RunData
	refused       string // why the decomposition was rejected
	work          []submission
	rejected      []rejection
}

// line is a domain of a run, after its last report so far.
type line struct {
	domain         string
	cycle          int
	final          bool
	score, initial shadow.Score
	level          shadow.Level
	gate           shadow.Action
	read           shadow.Read
	advisory       bool
	failed         map[shadow.Category]int
	ballots, split int
	seen           map[uint64]bool // sequences in IN that were judged
}

// submission is a bundle or a fix, whatever becomes of it.
type submission struct {
	commander string
	seq       uint64
	at        time.Time
}

// rejection is an event that was refused.
type rejection struct {
	At              time.Time
	Author          string
	Reason, Message string
	seq             uint64
}

func newIndex() *index { return &index{runs: map[string]*entry{}} }

// take takes in an event and returns the run that it changed; empty for none.
func (x *index) take(o history.Output) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if o.Name == shadow.RunForgotten {
		delete(x.runs, o.Run)
		return o.Run
	}
	if o.Name == shadow.EventRejected {
		return x.rejected(o)
	}
	// Who writes bundles chooses what run they name.
	work := o.Name == shadow.BundleComplete || o.Name == shadow.FixSubmitted
	e := x.entry(o.Run, o.Time, !work)
	if e == nil {
		return ""
	}
	e.take(o)
	return o.Run
}

// entry is that of a run. A new one is made only if that is asked for.
func (x *index) entry(run string, at time.Time, create bool) *entry {
	e := x.runs[run]
	if e == nil && create {
		e = &entry{id: run, begun: at, tasks: map[string]string{}, lines: map[string]*line{}}
		x.runs[run] = e
		if len(x.runs) > mostRuns {
			oldest := e
			for _, other := range x.runs {
				if other.begun.Before(oldest.begun) {
					oldest = other
				}
			}
			delete(x.runs, oldest.id)
		}
	}
	if e != nil && at.Before(e.begun) {
		e.begun = at
	}
	return e
}

func (x *index) rejected(o history.Output) string {
	var r shadow.Rejection
	if json.Unmarshal(o.Event.Data(), &r) != nil || r.RunID == "" {
		return ""
	}
	first := o.Author == layout.AuthorNexus
	e := x.entry(r.RunID, o.Time, first)
	if e == nil {
		return ""
	}
	if first && e.refused == "" {
		e.refused = string(r.Reason) + ": " + r.Message
	}
	e.rejected = append(e.rejected, rejection{o.Time, o.Author, string(r.Reason), r.Message, r.In.Sequence})
	if len(e.rejected) > mostKept {
		e.rejected = e.rejected[1:]
	}
	return e.id
}

func (e *entry) take(o history.Output) {
	var data []byte
	if o.Event.Context != nil {
		data = o.Event.Data()
	}
	switch o.Name {
	case shadow.DecompositionDone:
		if d, err := shadow.Decode(o.Name, data); err == nil && len(e.tasks) < 8 {
			d := d.(*shadow.Decomposition)
			e.tasks[shadow.Digest(data)] = d.Task
			if e.domains == 0 {
				e.domains, e.task = len(d.Domains), d.Task
			}
		}
	case shadow.EnvelopeSealed:
		var c shadow.Commitment
		if json.Unmarshal(data, &c) == nil && e.commitment == nil {
			e.commitment, e.sealed, e.domains = &c, o.Time, c.Domains
		}
	case shadow.BundleComplete, shadow.FixSubmitted:
		if len(e.work) < mostKept {
			e.work = append(e.work, submission{o.Commander, o.Seq, o.Time})
		}
	case shadow.GapReport:
		var r shadow.Report
		if json.Unmarshal(data, &r) == nil && len(e.lines) < mostKept {
			e.report(&r)
		}
	case shadow.RunScored:
		var s shadow.RunData
		if json.Unmarshal(data, &s) == nil {
			e.scored, e.ended = &s, o.Time
		}
	}
}

// report keeps the few words of a report that are no sealed text.
func (e *entry) report(r *shadow.Report) {
	s := &r.Swarm
	l := e.lines[s.Domain]
	if l == nil {
		l = &line{domain: s.Domain, cycle: -1, seen: map[uint64]bool{}}
		e.lines[s.Domain] = l
	}
	l.seen[s.In.Sequence] = true
	if s.Cycle < l.cycle || len(s.Cycles) == 0 {
		return
	}
	l.cycle, l.final, l.score, l.initial, l.level, l.gate = s.Cycle, s.Final, s.Score, s.Cycles[0].Score, r.Report.Level, s.Gate.Action
	l.read, l.advisory = s.Read, len(s.AdvisoryReasons) > 0
	l.failed, l.ballots, l.split = map[shadow.Category]int{}, len(s.Ballots), 0
	for _, f := range r.Failures {
		l.failed[f.Category]++
	}
	for i := range s.Ballots {
		if b := &s.Ballots[i]; b.Agreed < b.Cast || b.Outcome == shadow.Undecided {
			l.split++
		}
	}
}

// open are the bundles and fixes that have no outcome yet, by commander: when
// the last one of each came.
func (e *entry) open() map[string]time.Time {
	done := map[uint64]bool{}
	for _, l := range e.lines {
		for seq := range l.seen {
			done[seq] = true
		}
	}
	for _, r := range e.rejected {
		done[r.seq] = true
	}
	open := map[string]time.Time{}
	for _, w := range e.work {
		if !done[w.seq] {
			open[w.commander] = w.at
		}
	}
	return open
}

// state is what has become of the run.
func (e *entry) state() history.RunState {
	switch {
	case e.scored != nil && e.scored.Incomplete:
		return history.RunIncomplete
	case e.scored != nil:
		return history.RunScored
	case e.commitment == nil && e.refused != "":
		return history.RunRejected
	}
	for _, l := range e.lines {
		if !l.final {
			return history.RunHardening
		}
	}
	return history.RunWaiting
}

// known tells whether it was seen how the run began. Of others, which are older
// than those that are kept, only late events were seen.
func (e *entry) known() bool { return e.domains > 0 || e.refused != "" }

// text is the task, of the decomposition that was sealed.
func (e *entry) text() string {
	if e.commitment != nil && e.tasks[e.commitment.DecompositionDigest] != "" {
		return e.tasks[e.commitment.DecompositionDigest]
	}
	return e.task
}

// list calls see with each run, the newest first, and then done. What they are
// given must not be kept.
func (x *index) list(see func(*entry), done func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := make([]*entry, 0, len(x.runs))
	for _, e := range x.runs {
		if e.known() {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b *entry) int { return cmp.Or(b.begun.Compare(a.begun), strings.Compare(a.id, b.id)) })
	for _, e := range all {
		see(e)
	}
	done()
}

// of calls see with a run, if it is kept.
func (x *index) of(run string, see func(*entry)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e := x.runs[run]; e != nil {
		see(e)
	}
}

func (x *index) completed() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.complete = true
}

func (x *index) isComplete() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.complete
}
