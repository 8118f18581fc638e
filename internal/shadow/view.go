package shadow

import (
	"slices"
	"time"
)

// View is what the log says of one run. All that the engine decides about an event of
// the run follows from it, and so the audit can decide it again.
type View struct {
	RunID string
	// Arrivals are the events of the run that were not rejected, in the order of
	// the log. Those of a slot that has its report need not be there.
	Arrivals map[Source][]*Arrival
	Refused  bool // a decomposition was rejected
	// Pending is how many decompositions have no outcome yet, whether they are among
	// the arrivals or still wait for their turn.
	Pending    int
	Sealed     Place // of the commitment, if its sequence is set
	Commitment *Commitment
	// Domains are nil until the envelope was opened or turned out not to be what
	// was committed to.
	Domains Domains
	Reports map[Slot]*StoredReport
	Reviews map[Slot][]ReviewLine // in no order
	Scored  bool                  // the end of the run is stored
	Ticks   *Ticks
}

// Step is what is to be done about an event.
type Step int

// The steps.
const (
	DoWait    Step = iota // until something else is stored: see Turn.Await
	DoOpen                // the envelope, and ask again
	DoReject              // the event, for Turn.Refusal
	DoSeal                // the run with this decomposition
	DoJudge               // Turn.Holder, which takes Turn.Slot
	DoTimeOut             // close Turn.Slot, whose fix has not come
	DoFollow              // the report of Turn.Slot is stored; what follows from it is due
	DoScore               // the run
	DoDone                // nothing is due
)

// Await is what an event waits for.
type Await int

// What an event can wait for.
const (
	AwaitRun    Await = iota // a decomposition
	AwaitSeal                // the run's commitment
	AwaitReport              // the report of Turn.Slot
	AwaitTick                // a tick behind its deadline
)

// String says in words what is awaited.
func (a Await) String() string {
	return [...]string{"a decomposition", "the seal of its run", "a report", "its time"}[a]
}

// Turn is what is to be done about an event.
type Turn struct {
	Step     Step
	Await    Await
	Slot     Slot
	Holder   *Arrival        // the submission that takes the slot
	Before   *StoredReport   // of the cycle before, if there is one
	Deadline time.Time       // up to which a submission is in time
	Tick     *Place          // the first one behind the deadline, if there is one
	Refusal  *Refusal        // of DoReject
	Finals   []*StoredReport // of DoScore, in the order of the domains; nil for one that has none
}

// NewView is a view of a run of which nothing was read.
func NewView(run string, ticks *Ticks) View {
	return View{RunID: run, Arrivals: map[Source][]*Arrival{}, Reports: map[Slot]*StoredReport{}, Reviews: map[Slot][]ReviewLine{}, Ticks: ticks}
}

// Review notes a review of the report of a slot.
func (v *View) Review(slot Slot, line ReviewLine) {
	if !slices.Contains(v.Reviews[slot], line) {
		v.Reviews[slot] = append(v.Reviews[slot], line)
	}
}

// Judged says whether something that stands before a sequence may be judged for a
// slot, which has no report.
func (v *View) Judged(slot Slot, before uint64) bool {
	for _, all := range v.Arrivals {
		if slices.ContainsFunc(all, func(a *Arrival) bool { return !a.Malformed && a.Sequence < before && a.Slot() == slot }) {
			return true
		}
	}
	return false
}

// reviewed is a report of a slot with its reviews.
func (v *View) reviewed(slot Slot) *StoredReport {
	with := *v.Reports[slot]
	with.Reviews = slices.Clone(v.Reviews[slot])
	return &with
}

// Final is the report that closes a domain, with its reviews, or nil.
func (v *View) Final(domain string) *StoredReport {
	for slot := (Slot{Domain: domain}); v.Reports[slot] != nil; slot.Cycle++ {
		if v.Reports[slot].Final {
			return v.reviewed(slot)
		}
	}
	return nil
}

// Decompositions are those that were not rejected, in the order of the log.
func (v *View) Decompositions() []*Arrival { return v.Arrivals[Source{}] }

// Add appends what has arrived to its list.
func (v *View) Add(source Source, a *Arrival) { v.Arrivals[source] = append(v.Arrivals[source], a) }

// Remove takes what was rejected, or has its report, out of its list.
func (v *View) Remove(source Source, a *Arrival) {
	list := v.Arrivals[source]
	i := slices.Index(list, a)
	if i < 0 {
		return
	}
	if list = slices.Delete(list, i, i+1); len(list) == 0 {
		delete(v.Arrivals, source)
		return
	}
	v.Arrivals[source] = list
}

func rejected(reason Reason, format string, args ...any) Turn {
	return Turn{Step: DoReject, Refusal: Refuse(reason, format, args...)}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Decomposition says what is to be done about a decomposition: the first one
// that is not rejected seals the run.
func (v *View) Decomposition(a *Arrival) Turn {
	if v.Sealed.Sequence > 0 {
		if v.Commitment.DecompositionDigest != a.Digest {
			return rejected(OtherContent, "run %q is sealed with another decomposition", v.RunID)
		}
		return Turn{Step: DoDone}
	}
	for _, first := range v.Decompositions() {
		switch {
		case first.Malformed:
			continue
		case first.Digest != a.Digest:
			return rejected(OtherContent, "run %q has another decomposition before this one, at sequence %d", v.RunID, first.Sequence)
		case first.Sequence != a.Sequence:
			return Turn{Await: AwaitSeal}
		}
		return Turn{Step: DoSeal}
	}
	return rejected(CannotSeal, "it was rejected before")
}

// Submission says what is to be done about a bundle or a fix. Which one takes a
// slot follows from the order of the log. One for a run that nobody has decomposed
// waits for so long.
func (v *View) Submission(a *Arrival, wait time.Duration) Turn {
	switch {
	case v.Sealed.Sequence == 0:
		return v.unsealed(a, wait)
	case v.Domains == nil:
		return Turn{Step: DoOpen}
	}
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
	if step := v.before(&t, a.Sequence); step != nil {
		return *step
	}
	if t.Before != nil && a.BundleID != t.Before.BundleID {
		return rejected(FixOtherBundle, "the fix is of bundle %q, but bundle %q was judged", a.BundleID, t.Before.BundleID)
	}
	if rep := v.Reports[t.Slot]; rep != nil {
		return t.reported(a, rep)
	}
	return v.decide(t, a)
}

// unsealed: a submission waits for the seal of its run, and only a while for a run
// that nobody has decomposed.
func (v *View) unsealed(a *Arrival, wait time.Duration) Turn {
	if v.Pending > 0 || slices.ContainsFunc(v.Decompositions(), func(d *Arrival) bool { return !d.Malformed }) {
		return Turn{Await: AwaitSeal}
	}
	if v.Refused && len(v.Decompositions()) == 0 {
		return rejected(RunRejected, "the decomposition of run %q was rejected", v.RunID)
	}
	deadline := a.Time.Add(wait)
	if _, over := v.Ticks.After(deadline, a.Sequence); over {
		return rejected(RunUnknown, "no decomposition of run %q came within %s", v.RunID, wait)
	}
	return Turn{Await: AwaitRun, Deadline: deadline}
}

// before fills in what a slot needs of the cycle before: its report and the
// deadline. It returns a turn where that cannot be had: a fix waits for the
// report of a bundle that stands before it in the log, and else answers nothing.
func (v *View) before(t *Turn, seq uint64) *Turn {
	p := &v.Commitment.Policy
	if t.Slot.Cycle == 0 {
		v.deadline(t, p.RunDeadline(v.Sealed.Time))
		return nil
	}
	prev := Turn{Slot: Slot{t.Slot.Domain, t.Slot.Cycle - 1}}
	rep := v.Reports[prev.Slot]
	switch {
	case rep != nil && !rep.Requested:
		no := rejected(FixNotAsked, "the report of cycle %d asks for no fix", prev.Slot.Cycle)
		return &no
	case rep != nil:
		t.Before = rep
		v.deadline(t, p.FixDeadline(rep.Time))
		return nil
	}
	if step := v.before(&prev, seq); step != nil {
		return step
	}
	if holder := v.holder(&prev); holder == nil || holder.Sequence > seq {
		no := rejected(FixNotAsked, "nothing was submitted in cycle %d that it could fix", prev.Slot.Cycle)
		return &no
	}
	return &Turn{Await: AwaitReport, Slot: prev.Slot}
}

// deadline sets the deadline of a turn, and the tick that ends it.
func (v *View) deadline(t *Turn, at time.Time) {
	t.Deadline = at
	if tick, ok := v.Ticks.After(at, v.Sealed.Sequence); ok {
		t.Tick = &tick
	}
}

// inTime says whether an event counts: it was stored by the deadline, and before
// the tick that ended it.
func (t *Turn) inTime(a *Arrival) bool {
	return !a.Time.After(t.Deadline) && (t.Tick == nil || a.Sequence < t.Tick.Sequence)
}

// holder is the submission that takes a slot: the first in the log that fits,
// came in time and was not rejected.
func (v *View) holder(t *Turn) *Arrival {
	d := v.Domains.Find(t.Slot.Domain)
	for _, a := range v.Arrivals[Source{d.CommanderID, t.Slot.Cycle > 0}] {
		fits := !a.Malformed && a.Domain == t.Slot.Domain && a.Cycle == t.Slot.Cycle && (t.Before == nil || a.BundleID == t.Before.BundleID)
		if fits && t.inTime(a) {
			return a
		}
	}
	return nil
}

// reported: the slot has its report.
func (t Turn) reported(a *Arrival, rep *StoredReport) Turn {
	switch {
	case rep.TimedOut:
		return rejected(Late, "the deadline was %s", stamp(t.Deadline))
	case rep.BundleDigest != a.Digest:
		return t.taken(rep.BundleID, rep.In)
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

// decide: the slot has no report yet. A late copy of an event that was also
// stored in time is the same event.
func (v *View) decide(t Turn, a *Arrival) Turn {
	holder := v.holder(&t)
	switch {
	case holder != nil && holder.Digest == a.Digest:
		t.Step, t.Holder = DoJudge, holder
		return t
	case !t.inTime(a):
		return rejected(Late, "it was stored at %s, the deadline was %s", stamp(a.Time), stamp(t.Deadline))
	case holder == nil:
		return rejected(Late, "it was rejected before")
	}
	return t.taken(holder.BundleID, holder.Sequence)
}

// EndOfCycle says what is to be done at the deadline of a slot. A domain whose
// fix has not come in time is closed in the very slot that the fix would have
// taken: one of the two is stored.
func (v *View) EndOfCycle(s Slot) Turn {
	t := Turn{Slot: s}
	switch {
	case v.Domains == nil:
		return Turn{Step: DoOpen}
	case v.Domains.Find(s.Domain) == nil || s.Cycle < 1 || v.before(&t, 0) != nil || v.Reports[s] != nil:
		t.Step = DoDone
	case t.Tick == nil:
		t.Await = AwaitTick
	default:
		if t.Holder = v.holder(&t); t.Holder != nil {
			t.Await = AwaitReport
		} else {
			t.Step = DoTimeOut
		}
	}
	return t
}

// EndOfRun says whether the run is to be scored: all its domains are final, or its
// deadline has passed. Domains whose bundle is in the log in time, or whose fix
// is awaited, are waited for; the others are missing.
func (v *View) EndOfRun() Turn {
	switch {
	case v.Scored || v.Sealed.Sequence == 0:
		return Turn{Step: DoDone}
	case v.Domains == nil:
		return Turn{Step: DoOpen}
	}
	end := Turn{Step: DoScore, Finals: make([]*StoredReport, len(v.Domains))}
	for i := range v.Domains {
		t := Turn{Slot: Slot{v.Domains[i].Domain, 0}}
		for ; v.Reports[t.Slot] != nil; t.Slot.Cycle++ {
			end.Finals[i] = v.reviewed(t.Slot)
		}
		switch last := end.Finals[i]; {
		case last != nil && last.Final:
		case last != nil: // its fix has a deadline of its own
			return Turn{Await: AwaitReport, Slot: t.Slot}
		default:
			v.deadline(&t, v.Commitment.Policy.RunDeadline(v.Sealed.Time))
			if t.Tick == nil {
				return Turn{Await: AwaitTick, Deadline: t.Deadline}
			}
			if v.holder(&t) != nil {
				return Turn{Await: AwaitReport, Slot: t.Slot}
			}
			end.Deadline, end.Tick = t.Deadline, t.Tick
		}
	}
	return end
}
