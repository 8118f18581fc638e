package shadow

import "time"

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
