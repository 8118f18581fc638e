package audit

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// openings lists the looks into the envelope. Their numbers have no gap, or
// one was removed.
func (r *Run) openings() {
	var last uint64
	for _, m := range named(r.out, shadow.EnvelopeOpened) {
		var d shadow.OpeningData
		n := m.Address.Sequence
		if m.Unreadable != "" || n > 0 && n == last || Decode(m, &d) != nil {
			continue // it was said already
		}
		// The first ones may have expired.
		if n != last+1 && (last > 0 || r.log.FirstOut <= 1) {
			r.find(m, NoteWrong, fmt.Sprintf("opening %d", n), fmt.Sprintf("opening %d before it: one was removed", last+1))
		}
		last = n
		r.caused(m, "", d.OpenedAt)
		want := d
		want.RunID, want.Opening = r.ID, int(n)
		var c shadow.Commitment
		if sealed := r.commitments(); len(sealed) > 0 && Decode(sealed[0], &c) == nil {
			want.SealedHash = c.SealedHash
		}
		// Of one that has expired there is no run-scored left to tell.
		expired := r.scored == nil && r.log.FirstOut > 1 && len(r.commitments()) == 0
		if !expired {
			want.Finished = r.scored != nil && r.scored.Sequence <= m.Sequence
		}
		r.differ(m, NoteWrong, m.Data, encode(want))
		what := fmt.Sprintf("at %s by %s", stamp(d.OpenedAt), d.By)
		if d.Reason != "" {
			what += ": " + d.Reason
		}
		if !want.Finished {
			r.find(m, OpenedEarly, what, "no opening before the run is scored")
		} else {
			r.find(m, Opened, what, "")
		}
	}
}
