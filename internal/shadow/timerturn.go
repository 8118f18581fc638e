package shadow

// endOfCycle closes a domain whose fix has not come in time, in the very slot
// that the fix would have taken: one of the two is stored.
func (v *View) endOfCycle(ev *Event) Turn {
	timer := ev.Timer
	if v.Domains.Find(timer.Domain) == nil || timer.Cycle < 1 {
		return rejected(IDMismatch, "run %q has no domain %q in cycle %d", v.RunID, timer.Domain, timer.Cycle)
	}
	t := Turn{Slot: timer.Slot}
	if step := v.before(&t); step != nil {
		if step.Step == DoReadReport {
			return *step
		}
		return rejected(FixNotAsked, "no report asks for the fix that this timer is for")
	}
	switch rep := v.Reports[t.Slot]; {
	case rep != nil && rep.Report == nil:
		return Turn{Step: DoReadReport, Slot: t.Slot}
	case rep != nil:
		t.Step = DoFollow
		return t
	case timer.Fired.Before(t.Deadline):
		return Turn{Await: AwaitClock} // the clocks of two servers differ
	}
	if waits := v.pending(&t, ev.JudgeFloor); waits != nil {
		return *waits
	}
	t.Step = DoTimeOut
	return t
}

// endOfRun scores a run at its deadline. Domains whose bundle is in the log in
// time, or whose fix is awaited, are waited for; the others are missing.
func (v *View) endOfRun(ev *Event) Turn {
	t := Turn{Step: DoScore, Deadline: v.Commitment.Policy.RunDeadline(v.Sealed.Time)}
	switch {
	case v.Scored:
		return Turn{Step: DoDone}
	case ev.Timer.Fired.Before(t.Deadline):
		return Turn{Await: AwaitClock}
	}
	for i := range v.Domains {
		last, final := v.last(v.Domains[i].Domain)
		switch {
		case final:
		case last == nil:
			none := Turn{Slot: Slot{v.Domains[i].Domain, 0}, Deadline: t.Deadline}
			if waits := v.pending(&none, ev.JudgeFloor); waits != nil {
				return *waits
			}
		case v.Reports[*last].Report == nil:
			return Turn{Step: DoReadReport, Slot: *last}
		default: // its fix has a deadline of its own
			return Turn{Await: AwaitReport, Slot: Slot{last.Domain, last.Cycle + 1}}
		}
	}
	return t
}

// last is the slot of a domain's last report, or nil, and whether that one is
// known to be final.
func (v *View) last(domain string) (last *Slot, final bool) {
	for s := (Slot{domain, 0}); v.Reports[s] != nil; s.Cycle++ {
		last = &Slot{s.Domain, s.Cycle}
	}
	if last != nil {
		r := v.Reports[*last].Report
		final = r != nil && r.Swarm.Final
	}
	return last, final
}

// Finals are the final reports in the order of the domains, nil for a domain
// that has none. Unread is the slot of a report whose content is needed to
// tell; complete is false if a domain is known to have no final report.
func (v *View) Finals() (finals []*Report, unread *Slot, complete bool) {
	finals, complete = make([]*Report, len(v.Domains)), len(v.Domains) > 0
	for i := range v.Domains {
		last, final := v.last(v.Domains[i].Domain)
		switch {
		case final:
			finals[i] = v.Reports[*last].Report
		case last != nil && v.Reports[*last].Report == nil:
			unread = last
		default:
			complete = false
		}
	}
	return finals, unread, complete
}
