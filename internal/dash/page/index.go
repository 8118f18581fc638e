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

// maxRuns is how many runs are kept, and maxEvents how many bundles of each.
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
	*history.Run
	work  []submission
	votes map[string]votes // by domain, of its last report so far
}

// votes are how many questions of a report a judge had a vote on, and on how many of
// them judges did not agree; how many judges were asked, over all questions, and how
// many of these had no vote.
type votes struct{ cycle, voted, split, asked, silent int }

func votesOf(rep *shadow.Report) votes {
	n := votes{cycle: rep.Swarm.Cycle}
	for i := range rep.Swarm.Ballots {
		b := &rep.Swarm.Ballots[i]
		if b.Cast > 0 {
			n.voted++
		}
		if b.Agreed < b.Cast {
			n.split++
		}
		n.asked += len(b.Votes)
		n.silent += len(b.Votes) - b.Cast
	}
	return n
}

// submission is a bundle or a fix, whatever becomes of it.
type submission struct {
	commander string
	seq       uint64
	at        time.Time
}

func newIndex() *index { return &index{runs: map[string]*entry{}} }

// take takes in an event and returns the run that it changed; empty for none.
func (x *index) take(ev history.Event) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if ev.Run == "" {
		return "" // the rejection of an event that cannot be read
	}
	// Who writes bundles chooses what run they name, and so do their rejections.
	work := ev.Name == shadow.BundleComplete || ev.Name == shadow.FixSubmitted
	e := x.entry(ev.Run, !work && (ev.Name != shadow.EventRejected || ev.Author == layout.AuthorNexus), ev.Time)
	if e == nil {
		return ""
	}
	if work {
		if len(e.work) < maxEvents {
			e.work = append(e.work, submission{ev.Commander, ev.Seq, ev.Time})
		}
		return ev.Run
	}
	if rep, ok := ev.Payload.(*shadow.Report); ok && rep.Swarm.Cycle >= e.votes[ev.Domain].cycle {
		e.votes[ev.Domain] = votesOf(rep)
	}
	e.Take(ev)
	return ev.Run
}

// entry is that of a run. A new one is made only if that is asked for.
func (x *index) entry(run string, create bool, at time.Time) *entry {
	e := x.runs[run]
	if e == nil && create {
		e = &entry{Run: history.NewRun(run), votes: map[string]votes{}}
		e.Brief, e.Started = true, at
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
	for _, reports := range e.Reports {
		for _, rep := range reports {
			done[rep.Swarm.In.Sequence] = true
		}
	}
	for _, r := range e.Rejected {
		done[r.In.Sequence] = true
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
