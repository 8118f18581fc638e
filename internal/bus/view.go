package bus

import (
	"slices"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// runView is what this process knows of one run: the view that decisions
// follow from, and what is under way. It is guarded by the lock of [views].
type runView struct {
	shadow.View
	// in and out are the sequences behind which the log was followed for this
	// run. What stood before is read once, when the run is first asked for.
	in, out uint64
	loaded  bool
	loading chan struct{} // closed when somebody has tried to; nil if nobody does

	// stored are the reports of the view, with what else is known of them.
	stored map[shadow.Slot]*storedReport
	// revision is the newest one of the run's envelope that was seen.
	revision uint64
	// judging are the slots that are being judged here, followed those whose
	// report has had its consequences.
	judging, followed map[shadow.Slot]bool
	// waiting are the events that wait here, crowd how many of each commander.
	waiting map[waitKey]*message
	crowd   map[string]int
	// users is how many are at work on the run or wait in it.
	users int
}

// arrival is an event of IN that was not rejected, in its view.
type arrival struct {
	*shadow.Arrival
	view   *runView
	source *shadow.Source // nil for a decomposition
}

func newRunView(run string, in, out uint64) *runView {
	return &runView{
		View: shadow.View{RunID: run, Submissions: map[shadow.Source][]*shadow.Arrival{}, Reports: map[shadow.Slot]*shadow.StoredReport{}},
		in:   in, out: out,
		stored:  map[shadow.Slot]*storedReport{},
		judging: map[shadow.Slot]bool{}, followed: map[shadow.Slot]bool{},
		waiting: map[waitKey]*message{}, crowd: map[string]int{},
	}
}

// list is where an arrival stands in the view.
func (v *runView) list(source *shadow.Source) []*shadow.Arrival {
	if source == nil {
		return v.Decompositions
	}
	return v.Submissions[*source]
}

func (v *runView) setList(source *shadow.Source, list []*shadow.Arrival) {
	if source == nil {
		v.Decompositions = list
	} else {
		v.Submissions[*source] = list
	}
}

// remove takes an arrival out of its list. It says whether it might have been
// the one that takes its slot: none before it fits where it does.
func (v *runView) remove(a *arrival) (first bool) {
	list := v.list(a.source)
	i, found := slices.BinarySearchFunc(list, a.Sequence, func(x *shadow.Arrival, seq uint64) int {
		return int(int64(x.Sequence) - int64(seq))
	})
	if !found {
		return false
	}
	first = !a.Read || !slices.ContainsFunc(list[:i], func(x *shadow.Arrival) bool { return x.Fits(shadow.Slot{Domain: a.Domain, Cycle: a.Cycle}, nil) })
	// Outcomes come almost in the order of the log, so those before it are few.
	copy(list[1:i+1], list[:i])
	list[0] = nil
	v.setList(a.source, list[1:])
	return first && !a.Malformed
}

// report notes that a report stands in the log.
func (v *runView) report(slot shadow.Slot, seq uint64, at time.Time) *storedReport {
	r := v.stored[slot]
	if r == nil {
		r = &storedReport{StoredReport: shadow.StoredReport{Sequence: seq, Time: at}}
		v.stored[slot], v.Reports[slot] = r, &r.StoredReport
	}
	return r
}

// erase forgets what the log said of a run that the operator had erased.
func (v *runView) erase() {
	v.Forgotten, v.Refused, v.Scored = true, false, false
	v.Decompositions, v.Sealed, v.Commitment, v.Domains = nil, shadow.Place{}, nil, nil
	clear(v.Submissions)
	clear(v.Reports)
	clear(v.stored)
	clear(v.followed)
}
