package shadow

import (
	"cmp"
	"slices"
	"time"
)

// View is what the log says of one run, as far as it was read. All that is
// decided about an event of the run follows from it; see [View.Turn].
type View struct {
	RunID string
	// Decompositions are those of the run that were not rejected, in the
	// order of the log; Refused says that one was rejected.
	Decompositions []*Arrival
	Refused        bool
	// Forgotten: the operator had the run erased.
	Forgotten bool
	// Sealed is the place of the run's commitment, if its sequence is set.
	Sealed Place
	// Commitment is nil until it was read, and Domains until the envelope was
	// opened or turned out not to be what was committed to.
	Commitment *Commitment
	Domains    []Domain
	// NoEnvelope: there is none, whatever was committed to. That is no broken
	// seal: whoever asks for it waits.
	NoEnvelope bool
	// Submissions are those that were not rejected, in the order of the log.
	Submissions map[Source][]*Arrival
	Reports     map[Slot]*StoredReport
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

// Source names what one commander submits: its bundles or its fixes.
type Source struct {
	Commander string
	Fixes     bool
}

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
	return View{RunID: run, Submissions: map[Source][]*Arrival{}, Reports: map[Slot]*StoredReport{}}
}

// Add appends what has arrived to its list, which is that of the
// decompositions where source is nil.
func (v *View) Add(source *Source, a *Arrival) {
	if source == nil {
		v.Decompositions = append(v.Decompositions, a)
	} else {
		v.Submissions[*source] = append(v.Submissions[*source], a)
	}
}

// Remove takes what was rejected out of its list. It says whether it might have
// been the one that takes its slot: none before it fits where it does.
func (v *View) Remove(source *Source, a *Arrival) (first bool) {
	list := v.Decompositions
	if source != nil {
		list = v.Submissions[*source]
	}
	i, found := slices.BinarySearchFunc(list, a.Sequence, func(x *Arrival, seq uint64) int { return cmp.Compare(x.Sequence, seq) })
	if !found {
		return false
	}
	first = !a.Read || !slices.ContainsFunc(list[:i], func(x *Arrival) bool { return x.Fits(Slot{a.Domain, a.Cycle}, nil) })
	// Outcomes come almost in the order of the log, so those before it are few.
	copy(list[1:i+1], list[:i])
	list[0] = nil
	if source != nil {
		v.Submissions[*source] = list[1:]
	} else {
		v.Decompositions = list[1:]
	}
	return first && !a.Malformed
}
