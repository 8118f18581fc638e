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
