package shadow

// Evidence is a submission together with where it was stored.
type Evidence struct {
	Submission *Submission
	Raw        []byte // the event's data
	Digest     string // Digest(Raw)
	In         Place
	// BeforeSeal: it was stored before its run's commitment, so nothing
	// shows that the criteria were not written after it.
	BeforeSeal bool
	// Unwalled: where it is judged, the wall is not known to hold. Then the
	// isolation that the run was sealed under is not claimed.
	Unwalled bool
	// Notices are what the author of the event should know of its data.
	Notices []string
	// Panel is what judges said to the exam's Questions; none were asked
	// where it is empty.
	Panel Panel
}

func swarmOf(ev Evidence, p *Policy) Swarm {
	b := &ev.Submission.Bundle
	return Swarm{
		RunID:        ev.Submission.RunID,
		Domain:       b.Domain,
		BundleID:     b.BundleID,
		CommanderID:  b.CommanderID,
		Scale:        p.Scale,
		Cycle:        ev.Submission.Cycle,
		Judges:       []AuthorRef{},
		Items:        []ItemVerdict{},
		In:           ev.In,
		BundleDigest: ev.Digest,
		Notices:      ev.Notices,
		Unwalled:     ev.Unwalled && p.WorkspaceIsolation == IsolationStrict,
	}
}
