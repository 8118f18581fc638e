package shadow

// Clock is the name of timers where events have their event name.
const Clock = "clock"

// Address is what the subject of a message says.
type Address struct {
	// Name is the event's name, or [Clock].
	Name string
	// The tokens, as far as the subject has them.
	Run, Commander, Domain string
	Cycle                  int
	// Author is who may have written the event, from its subject: its commander,
	// the Nexus for a decomposition, else unknown. In the subject of an
	// event-rejected it is the token.
	Author string
	// Sequence is that of the rejected event, in IN, or the number of an
	// opening.
	Sequence uint64
	// Fired tells a timer that has fired from one that waits.
	Fired bool
}

// Source is whose events an event is one of.
func (a *Address) Source() Source {
	if a.Name == DecompositionDone {
		return Source{}
	}
	return Source{a.Commander, a.Name == FixSubmitted}
}
