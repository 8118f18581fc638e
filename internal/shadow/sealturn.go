package shadow

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
