package shadow

// submission: which one takes a slot follows from the order of the log.
func (v *View) submission(ev *Event) Turn {
	a := ev.Submission
	t := Turn{Slot: Slot{a.Domain, a.Cycle}}
	if d := v.Domains.Find(a.Domain); d == nil || d.CommanderID != a.Commander {
		return rejected(NotYourDomain, "run %q does not give domain %q to commander %q", v.RunID, a.Domain, a.Commander)
	}
	if maxCycles := v.Commitment.Policy.MaxCycles; a.Cycle > maxCycles {
		if maxCycles == 0 {
			return rejected(FixNotAsked, "this run has no hardening")
		}
		return rejected(FixNotAsked, "cycle %d: this run has at most %d", a.Cycle, maxCycles)
	}
	if step := v.before(&t); step != nil {
		if step.Step != DoWait || ev.Overdue == 0 {
			return *step
		}
		return v.overtook(ev, a.Cycle-1)
	}
	if t.Before != nil && a.BundleID != t.Before.Report.Swarm.BundleID {
		return rejected(FixOtherBundle, "the fix is of bundle %q, but bundle %q was judged", a.BundleID, t.Before.Report.Swarm.BundleID)
	}
	if rep := v.Reports[t.Slot]; rep != nil {
		return t.settled(a, rep)
	}
	return v.decide(t, a)
}

// before fills in what a slot needs of the cycle before: its report and the
// deadline. It returns a turn where that cannot be had.
func (v *View) before(t *Turn) *Turn {
	p := &v.Commitment.Policy
	if t.Slot.Cycle == 0 {
		t.Deadline = p.RunDeadline(v.Sealed.Time)
		return nil
	}
	slot := Slot{t.Slot.Domain, t.Slot.Cycle - 1}
	prev := v.Reports[slot]
	switch {
	case prev == nil:
		return &Turn{Step: DoWait, Await: AwaitReport, Slot: slot}
	case prev.Report == nil:
		return &Turn{Step: DoReadReport, Slot: slot}
	case !prev.Report.Swarm.Hardening.Requested:
		no := rejected(FixNotAsked, "the report of cycle %d asks for no fix", slot.Cycle)
		return &no
	}
	before := *prev // the view may go on
	t.Before, t.Deadline = &before, p.FixDeadline(prev.Time)
	return nil
}

// overtook: a fix whose domain has no report of the cycle before has overtaken
// it if a submission for that cycle is in the log. Else it answers nothing.
func (v *View) overtook(ev *Event, cycle int) Turn {
	t := Turn{Slot: Slot{ev.Submission.Domain, cycle}}
	if step := v.before(&t); step != nil {
		if step.Step == DoWait {
			return rejected(FixNotAsked, "there was no cycle %d that it could fix", cycle)
		}
		return *step
	}
	if waits := v.pending(&t, ev.JudgeFloor); waits != nil {
		return *waits
	}
	return rejected(FixNotAsked, "nothing was submitted in cycle %d that it could fix", cycle)
}

// settled: the slot has its report.
func (t Turn) settled(a *Arrival, rep *StoredReport) Turn {
	switch {
	case rep.Report == nil:
		return Turn{Step: DoReadReport, Slot: t.Slot}
	case rep.Report.Swarm.Hardening.TimedOut:
		return rejected(Late, "the deadline was %s", stamp(t.Deadline))
	case rep.Report.Swarm.BundleDigest != a.Digest:
		return t.taken(rep.Report.Swarm.BundleID, rep.Report.Swarm.In.Sequence)
	}
	t.Step = DoFollow
	return t
}

func (t Turn) taken(bundle string, seq uint64) Turn {
	if t.Slot.Cycle > 0 {
		return rejected(FixTaken, "the fix at sequence %d was accepted for cycle %d", seq, t.Slot.Cycle)
	}
	return rejected(SlotTaken, "domain %q has its bundle: %q at sequence %d, whose data are other bytes", t.Slot.Domain, bundle, seq)
}

// decide: the slot has no report yet.
func (v *View) decide(t Turn, a *Arrival) Turn {
	holder, unread := v.Holder(t.Slot, t.Before, t.Deadline)
	if unread != nil {
		return Turn{Step: DoReadArrival, Holder: unread}
	}
	// A late copy of an event that was also stored in time is the same event.
	same := holder != nil && holder.Digest == a.Digest
	switch {
	case !same && a.Time.After(t.Deadline):
		return rejected(Late, "it was stored at %s, the deadline was %s", stamp(a.Time), stamp(t.Deadline))
	case holder == nil:
		return rejected(Late, "it was rejected before")
	case !same:
		no := t.taken(holder.BundleID, holder.Sequence)
		no.Holder = holder
		return no
	}
	t.Step, t.Holder = DoJudge, holder
	return t
}
