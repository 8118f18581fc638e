package shadow

import (
	"slices"
	"time"
)

// View is what the log says of one run, as far as it was read. All that is
// decided about an event of the run follows from it; see [View.Turn].
type View struct {
	RunID string
	// Arrivals are the events of the run that were not rejected, in the order of
	// the log.
	Arrivals map[Source][]*Arrival
	// Refused: a decomposition was rejected.
	Refused bool
	// Sealed is the place of the run's commitment, if its sequence is set.
	Sealed Place
	// Commitment is nil until it was read, and Domains until the envelope was
	// opened or turned out not to be what was committed to.
	Commitment *Commitment
	Domains    Domains
	// NoEnvelope: the bucket has no envelope of the run, though there may be a
	// commitment. This is no broken seal: the events wait for it.
	NoEnvelope bool
	Reports    map[Slot]*StoredReport
	// Scored: the end of the run is stored.
	Scored bool
}

// Arrival is a decomposition or a submission as it stands in the log.
type Arrival struct {
	Place
	// Read: what follows is known. Malformed: it is going to be rejected for
	// what it is, so nothing else is known of it.
	Read, Malformed             bool
	Digest                      string
	Commander, Domain, BundleID string
	Cycle                       int
}

// Source names what one commander submits: its bundles or its fixes. The zero
// Source is that of the decompositions.
type Source struct {
	Commander string
	Fixes     bool
}

// Decompositions are those that were not rejected, in the order of the log.
func (v *View) Decompositions() []*Arrival { return v.Arrivals[Source{}] }

// Slot is the place that one submission can take: a cycle of a domain.
type Slot struct {
	Domain string
	Cycle  int
}

// StoredReport is a gap report in the log. Report is nil until it was read.
type StoredReport struct {
	Sequence uint64
	Time     time.Time
	Report   *Report
}

// NewView is a view of a run of which nothing was read.
func NewView(run string) View {
	return View{RunID: run, Arrivals: map[Source][]*Arrival{}, Reports: map[Slot]*StoredReport{}}
}

// Add appends what has arrived to its list.
func (v *View) Add(source Source, a *Arrival) { v.Arrivals[source] = append(v.Arrivals[source], a) }

// Remove takes what was rejected out of its list. It says whether it might have
// been the one that takes its slot: none before it fits where it does.
func (v *View) Remove(source Source, a *Arrival) (first bool) {
	list := v.Arrivals[source]
	i := slices.Index(list, a)
	if i < 0 {
		return false
	}
	fits := func(x *Arrival) bool { return x.Fits(Slot{a.Domain, a.Cycle}, nil) }
	first = !a.Malformed && (!a.Read || !slices.ContainsFunc(list[:i], fits))
	copy(list[1:i+1], list[:i]) // in a flood the list is long and i is small
	list[0] = nil
	v.Arrivals[source] = list[1:]
	return first
}
