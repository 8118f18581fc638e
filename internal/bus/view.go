package bus

import (
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// runView is what this process knows of one run: the view that decisions
// follow from, and what is under way. It is guarded by the lock of [views].
type runView struct {
	shadow.View
	// in is the sequence of IN behind which the log was followed for this run.
	// What stood before is read once, when the run is first asked for.
	in     uint64
	loaded bool

	// stored are the reports of the view, with what else is known of them.
	stored map[shadow.Slot]*storedReport
	// unsure are messages, by subject, by which somebody with another key has rejected
	// an event of the run. While a key is rotated that may be another
	// daemon, which then goes on with the run.
	unsure map[string]*unknownAuthorError
	// revision is the newest one of the run's envelope that was seen.
	revision uint64
	// judging are the slots that are being judged here, followed those whose
	// report has had its consequences.
	judging, followed map[shadow.Slot]bool
	// waiting are the events that wait here, waitingOf counts those of each
	// commander.
	waiting   map[waitKey]*message
	waitingOf map[string]int
	// users counts the events that are handled in the run or wait in it.
	users int
}

// arrival is an event of IN that was not rejected, in its view.
type arrival struct {
	*shadow.Arrival
	view   *runView
	source shadow.Source
}

func newRunView(run string, in uint64) *runView {
	return &runView{
		View: shadow.NewView(run), in: in,
		stored:  map[shadow.Slot]*storedReport{},
		unsure:  map[string]*unknownAuthorError{},
		judging: map[shadow.Slot]bool{}, followed: map[shadow.Slot]bool{},
		waiting: map[waitKey]*message{}, waitingOf: map[string]int{},
	}
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
