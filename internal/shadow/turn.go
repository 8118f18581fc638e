package shadow

import "time"

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
