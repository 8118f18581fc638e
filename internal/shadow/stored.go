package shadow

import (
	"slices"
	"sort"
	"sync"
	"time"
)

// Arrival is a decomposition or a submission as it stands in the log.
type Arrival struct {
	Place
	Malformed                   bool // it is going to be rejected: nothing else is known of it
	Digest                      string
	Commander, Domain, BundleID string
	Cycle                       int
}

// Slot is the one that a submission is for.
func (a *Arrival) Slot() Slot { return Slot{a.Domain, a.Cycle} }

// Source is the bundles or the fixes of a commander; zero: the decompositions.
type Source struct {
	Commander string
	Fixes     bool
}

// Slot is the place that one submission can take: a cycle of a domain.
type Slot struct {
	Domain string
	Cycle  int
}

// StoredReport is what later decisions need of a gap report in the log.
type StoredReport struct {
	Place                      // in OUT
	At               time.Time // the report's own time
	Requested, Final bool
	TimedOut         bool
	BundleID         string
	BundleDigest     string
	In               uint64 // the sequence in IN of what was judged
	Ended            uint64 // and of what the report waited for: that, or the tick behind a deadline
	Summary          DomainSummary
	Reviews          []ReviewLine // in no order, where it is one of [Turn.Finals]
}

// lastReview is the last one before a sequence of IN, or nil.
func (r *StoredReport) lastReview(before uint64) (last *ReviewLine) {
	for i := range r.Reviews {
		if v := &r.Reviews[i]; v.Sequence < before && (last == nil || v.Sequence > last.Sequence) {
			last = v
		}
	}
	return last
}

// Stored is a report that stands in OUT at a place.
func Stored(r *Report, at Place) *StoredReport {
	s := &r.Swarm
	stored := &StoredReport{Place: at, At: r.Report.Timestamp, Requested: s.Hardening.Requested, Final: s.Final, TimedOut: s.Hardening.TimedOut,
		BundleID: s.BundleID, BundleDigest: s.BundleDigest, In: s.In.Sequence, Ended: s.In.Sequence, Summary: r.Summary()}
	if tick := s.Hardening.Tick; tick != nil {
		stored.Ended = max(stored.Ended, tick.Sequence)
	}
	return stored
}

// Ticks are the ticks of IN, in the order of the log. A deadline has passed at
// the first tick that was stored behind it. Each stands with the latest time up to
// it, to be found by: stored times may go back.
type Ticks struct {
	mu  sync.RWMutex
	all []tick
}

type tick struct {
	Place
	latest time.Time
}

// Add notes the next tick of the log.
func (t *Ticks) Add(p Place) {
	t.mu.Lock()
	defer t.mu.Unlock()
	latest := p.Time
	if n := len(t.all); n > 0 && t.all[n-1].latest.After(latest) {
		latest = t.all[n-1].latest
	}
	t.all = append(t.all, tick{p, latest})
}

// After is the first tick behind a sequence, from which a deadline counts, that was
// stored after it. Ticks before it say nothing: the clock may have been set back since.
func (t *Ticks) After(deadline time.Time, behind uint64) (_ Place, ok bool) {
	if t == nil {
		return Place{}, false
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	i := sort.Search(len(t.all), func(i int) bool { return t.all[i].Sequence > behind })
	if i == 0 || !t.all[i-1].latest.After(deadline) {
		i = sort.Search(len(t.all), func(i int) bool { return t.all[i].latest.After(deadline) })
	}
	for i < len(t.all) && !t.all[i].Time.After(deadline) { // where the clock was set back
		i++
	}
	if i == len(t.all) {
		return Place{}, false
	}
	return t.all[i].Place, true
}

// Forget drops the ticks before a sequence.
func (t *Ticks) Forget(before uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := sort.Search(len(t.all), func(i int) bool { return t.all[i].Sequence >= before })
	t.all = slices.Clone(t.all[i:])
}
