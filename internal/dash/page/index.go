package page

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// maxRuns is how many runs are kept, and maxEvents how many bundles and
// rejections of each.
const (
	maxRuns   = 500
	maxEvents = 1000
)

// index knows the newest runs in a few words each. Events may come in any
// order among the streams.
type index struct {
	mu   sync.Mutex
	runs map[string]*entry
	// complete: all that was stored before has been taken in.
	complete atomic.Bool
}

// entry is a run. What it holds is never changed but by the index.
type entry struct {
	*history.Outline
	work     []submission
	rejected []rejection
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
	if o.Run == "" {
		return "" // the rejection of an event that cannot be read
	}
	// Who writes bundles chooses what run they name, and so do their rejections.
	work := o.Name == shadow.BundleComplete || o.Name == shadow.FixSubmitted
	ofWork := o.Rejection != nil && o.Author != layout.AuthorNexus
	e := x.entry(o.Run, o.Time, !work && !ofWork)
	if e == nil {
		return ""
	}
	switch {
	case ofWork:
	case !work:
		_ = e.Take(o) // it breaks no schema, or it would not have come
	case len(e.work) < maxEvents:
		e.work = append(e.work, submission{o.Commander, o.Seq, o.Time})
	}
	if r := o.Rejection; r != nil {
		e.rejected = append(e.rejected, rejection{o.Time, o.Author, string(r.Reason), r.Message, r.In.Sequence})
		e.rejected = e.rejected[max(0, len(e.rejected)-maxEvents):]
	}
	return o.Run
}

// entry is that of a run. A new one is made only if that is asked for.
func (x *index) entry(run string, at time.Time, create bool) *entry {
	e := x.runs[run]
	if e == nil && create {
		e = &entry{Outline: history.NewOutline(run, at)}
		x.runs[run] = e
		if len(x.runs) > maxRuns {
			oldest := e
			for _, other := range x.runs {
				if other.Started.Before(oldest.Started) {
					oldest = other
				}
			}
			delete(x.runs, oldest.ID)
		}
	}
	return e
}

// open are the bundles and fixes that have no outcome yet, by commander: when
// the last one of each came.
func (e *entry) open() map[string]time.Time {
	done := map[uint64]bool{}
	for _, l := range e.Domains {
		maps.Copy(done, l.Judged)
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

// view calls see with the runs, the newest first. see must not keep its
// argument. A run is left out if its first events were not seen, since it is
// older than those that are kept.
func (x *index) view(see func([]*entry)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := slices.DeleteFunc(slices.Collect(maps.Values(x.runs)), func(e *entry) bool { return !e.Begun() })
	slices.SortFunc(all, func(a, b *entry) int { return cmp.Or(b.Started.Compare(a.Started), strings.Compare(a.ID, b.ID)) })
	see(all)
}

// of calls see with a run, if it is kept.
func (x *index) of(run string, see func(*entry)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e := x.runs[run]; e != nil {
		see(e)
	}
}
