package shadow

import (
	"time"
)

// Event is what it is the turn of: a decomposition, a submission, or a timer
// that has fired, whichever is set.
type Event struct {
	Decomposition, Submission *Arrival
	Timer                     *Timer
	// Overdue is for how long one waits for what may never come, if the event
	// has waited for so long; else 0.
	Overdue time.Duration
	// SealFloor and JudgeFloor are the sequences up to which decompositions
	// and submissions were acknowledged before the view was read. What has no
	// outcome there was acknowledged unread, while scoring was disabled, and
	// nobody waits for it.
	SealFloor, JudgeFloor uint64
	Floors                bool // they were read
}

// Timer is the end of a cycle of a domain, or of the run if it names none.
type Timer struct {
	Slot
	Fired time.Time
}

// Step is what is to be done about an event.
type Step int

// The steps. After DoReadCommitment, DoOpen, DoReadArrival and DoReadReport the event
// has its turn again.
const (
	// DoWait until something else is stored: see Turn.Await.
	DoWait Step = iota
	// DoReadCommitment: the commitment's content is needed.
	DoReadCommitment
	// DoOpen the envelope.
	DoOpen
	// DoReadArrival: the content of Turn.Holder is needed.
	DoReadArrival
	// DoReadReport: the content of the report of Turn.Slot is needed.
	DoReadReport
	// DoReject the event, for Turn.Refusal. If Turn.Holder is
	// set, it is because of that one, which must not be rejected itself.
	DoReject
	// DoSeal the run with this decomposition.
	DoSeal
	// DoSealed: the run is sealed with this decomposition.
	DoSealed
	// DoJudge Turn.Holder, which takes Turn.Slot.
	DoJudge
	// DoTimeOut: close Turn.Slot, whose fix has not come.
	DoTimeOut
	// DoFollow: the report of Turn.Slot is stored; what follows from it is due.
	DoFollow
	// DoScore the run at its deadline.
	DoScore
	// DoDone: nothing is due.
	DoDone
)

// Await is what an event waits for.
type Await int

// What an event can wait for.
const (
	AwaitRun    Await = iota // a decomposition
	AwaitSeal                // the run's commitment
	AwaitReport              // the report of Turn.Slot
	AwaitClock               // its time
)

// String says in words what is awaited.
func (a Await) String() string {
	return [...]string{"a decomposition", "the seal of its run", "a report", "its time"}[a]
}

// Turn is what is to be done about an event.
type Turn struct {
	Step  Step
	Await Await
	Slot  Slot
	// Holder is the submission that takes the slot, and Before the report of
	// the cycle before, if there is one.
	Holder *Arrival
	Before *StoredReport
	// Deadline is the moment up to which a submission is in time.
	Deadline time.Time
	Refusal  *Refusal // of DoReject
}

func rejected(reason Reason, format string, args ...any) Turn {
	return Turn{Step: DoReject, Refusal: Refuse(reason, format, args...)}
}

// Turn says what is to be done about an event. It follows from the view alone,
// so that all daemons, in whatever order they get the events, agree, and an
// audit can tell afterwards.
func (v *View) Turn(ev *Event) Turn {
	switch {
	case ev.Decomposition != nil:
		return v.decomposition(ev.Decomposition)
	case v.Sealed.Sequence == 0 && ev.Timer != nil: // it was set behind the commitment
		return rejected(RunUnknown, "the commitment of run %q is gone", v.RunID)
	case v.NoEnvelope && ev.Timer != nil:
		return Turn{Await: AwaitSeal}
	case v.Sealed.Sequence == 0 || v.NoEnvelope:
		return v.unsealed(ev)
	case v.Commitment == nil:
		return Turn{Step: DoReadCommitment}
	case v.Domains == nil:
		return Turn{Step: DoOpen}
	case ev.Timer != nil && ev.Timer.Domain == "":
		return v.endOfRun(ev)
	case ev.Timer != nil:
		return v.endOfCycle(ev)
	}
	return v.submission(ev)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// decomposition: the first one that is not rejected seals the run.
func (v *View) decomposition(a *Arrival) Turn {
	if v.Sealed.Sequence > 0 {
		switch {
		case v.Commitment == nil:
			return Turn{Step: DoReadCommitment}
		case v.Commitment.DecompositionDigest != a.Digest:
			return rejected(OtherContent, "run %q is sealed with another decomposition", v.RunID)
		}
		return Turn{Step: DoSealed}
	}
	for _, first := range v.Decompositions() {
		switch {
		case !first.Read:
			return Turn{Step: DoReadArrival, Holder: first}
		case first.Malformed:
			continue
		case first.Digest != a.Digest:
			t := rejected(OtherContent, "run %q has another decomposition before this one, at sequence %d", v.RunID, first.Sequence)
			t.Holder = first
			return t
		}
		return Turn{Step: DoSeal}
	}
	return rejected(CannotSeal, "it was rejected before")
}

// unsealed: a submission waits for the seal of its run for as long as that
// takes, and a while for a run that nobody has decomposed.
func (v *View) unsealed(ev *Event) Turn {
	for _, d := range v.Decompositions() {
		if !d.Malformed && d.Sequence > ev.SealFloor {
			return Turn{Await: AwaitSeal}
		}
	}
	switch {
	case v.Refused && len(v.Decompositions()) == 0:
		return rejected(RunRejected, "the decomposition of run %q was rejected", v.RunID)
	case ev.Overdue > 0:
		return rejected(RunUnknown, "no decomposition of run %q came within %s", v.RunID, ev.Overdue)
	}
	return Turn{Await: AwaitRun}
}

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
