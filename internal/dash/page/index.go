package page

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// maxRuns is how many runs are kept.
const maxRuns = 500

// index knows the newest runs in a few words each. Events may come in any order among the streams.
type index struct {
	mu   sync.Mutex
	runs map[string]*entry
	// changes counts the events that were taken in.
	changes uint64
	// complete: all that was stored before has been taken in.
	complete atomic.Bool
}

// entry is a run. What it holds is never changed but by the index.
type entry struct {
	*history.Run
	changed uint64 // which change of the index was its last
}

func newIndex() *index { return &index{runs: map[string]*entry{}} }

// take takes in an event.
func (x *index) take(ev history.Event) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if ev.Run == "" || ev.Name == shadow.BundleComplete || ev.Name == shadow.FixSubmitted {
		return // the rejection of an event that cannot be read, or what a report tells of
	}
	e := x.runs[ev.Run]
	if e == nil && ev.Name == shadow.EventRejected && ev.Author != layout.AuthorNexus {
		return // who writes bundles chooses what run they name
	}
	if e == nil {
		e = &entry{Run: history.NewRun(ev.Run)}
		e.Brief, e.Started = true, ev.Time
		x.runs[ev.Run] = e
		if len(x.runs) > maxRuns {
			delete(x.runs, slices.MinFunc(slices.Collect(maps.Values(x.runs)), func(a, b *entry) int { return a.Started.Compare(b.Started) }).ID)
		}
	}
	e.Take(ev)
	x.changes++
	e.changed = x.changes
}

// since are the runs that have changed behind a change, and the last one.
func (x *index) since(seen uint64) (runs []string, last uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, e := range x.runs {
		if e.changed > seen {
			runs = append(runs, id)
		}
	}
	return runs, x.changes
}

// view calls see with the runs whose first events were seen, the newest first. see must not keep its argument.
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
