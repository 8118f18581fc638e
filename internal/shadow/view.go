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

// Holder is the submission that takes a slot: the first in the log that fits,
// came in time and was not rejected. Instead it returns one whose content is
// needed to tell. Before is the report of the cycle before.
func (v *View) Holder(s Slot, before *StoredReport, deadline time.Time) (holder, unread *Arrival) {
	d := v.Domains.Find(s.Domain)
	for _, a := range v.Arrivals[Source{d.CommanderID, s.Cycle > 0}] {
		switch {
		case a.Time.After(deadline): // what follows need not be: a clock may be set back
		case !a.Read:
			return nil, a
		case a.Fits(s, before):
			return a, nil
		}
	}
	return nil, nil
}

// Fits says whether a submission is one for a slot of its commander.
func (a *Arrival) Fits(s Slot, before *StoredReport) bool {
	return a.Read && !a.Malformed && a.Domain == s.Domain && a.Cycle == s.Cycle &&
		(before == nil || a.BundleID == before.Report.Swarm.BundleID)
}

// pending returns the turn of what has to wait for the submission that takes a
// slot: that one is in time however long its judgement takes.
func (v *View) pending(t *Turn, floor uint64) *Turn {
	holder, unread := v.Holder(t.Slot, t.Before, t.Deadline)
	switch {
	case unread != nil:
		return &Turn{Step: DoReadArrival, Holder: unread}
	case holder == nil || holder.Sequence <= floor:
		return nil
	}
	return &Turn{Await: AwaitReport, Slot: t.Slot}
}
