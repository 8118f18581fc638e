package play

import (
	"slices"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// tracker knows what has become of the events that were published, and when
// there is nothing left to wait for. It has no connection of its own.
type tracker struct {
	runs map[string]*history.Run
	// open are the published events without an outcome, by their sequence
	// in IN.
	open map[uint64]history.Event
	// mine are all sequences that were published.
	mine map[uint64]bool
}

func newTracker() *tracker {
	return &tracker{runs: map[string]*history.Run{}, open: map[uint64]history.Event{}, mine: map[uint64]bool{}}
}

func (t *tracker) run(id string) *history.Run {
	if t.runs[id] == nil {
		t.runs[id] = history.NewRun(id)
	}
	return t.runs[id]
}

// sent notes that an event was stored at a sequence of IN.
func (t *tracker) sent(seq uint64, e history.Event) {
	t.mine[seq], t.open[seq] = true, e
	t.run(e.Run).Take(e)
	t.closeJudged()
}

// take takes in an output.
func (t *tracker) take(o history.Event) {
	delete(t.open, o.Sequence) // of a rejected event
	t.run(o.Run).Take(o)
	t.closeJudged()
}

// closeJudged closes what has an outcome.
func (t *tracker) closeJudged() {
	for seq, e := range t.open {
		r := t.run(e.Run)
		switch data := e.Payload.(type) {
		case *shadow.Decomposition:
			if r.Commitment != nil && r.Commitment.DecompositionDigest == e.Digest {
				delete(t.open, seq)
			}
		case *shadow.Submission:
			for _, rep := range r.Reports[data.Bundle.Domain] {
				if rep.Swarm.Cycle == data.Cycle && rep.Swarm.BundleDigest == e.Digest && !rep.Swarm.Hardening.TimedOut {
					delete(t.open, seq)
				}
			}
		}
	}
}

// sealed says whether a run is sealed, or never will be: its decompositions were
// rejected, and none is on its way.
func (t *tracker) sealed(run string) bool {
	for _, e := range t.open {
		if e.Name == shadow.DecompositionDone && e.Run == run {
			return t.run(run).Commitment != nil
		}
	}
	return t.run(run).Commitment != nil || t.run(run).Refused()
}

// done says whether nothing more will come of what was published: all is
// judged, and what follows from each report is there.
func (t *tracker) done() bool { return t.judged() && len(t.awaited(layout.Subjects{})) == 0 }

// judged says whether every event has its outcome, no fix is awaited, and
// complete runs are scored.
func (t *tracker) judged() bool {
	if len(t.open) > 0 {
		return false
	}
	for _, r := range t.runs {
		fix := awaitsFix(r)
		complete := r.Commitment != nil && len(r.Reports) == len(r.Commitment.CriteriaByDomain) && !fix
		if r.Scored == nil && (fix || complete) {
			return false
		}
	}
	return true
}

// awaited are the subjects of the requests and quarantine notices
// that are still to come: a run can be scored before what follows from its
// reports is stored, even a request whose fix was there before.
func (t *tracker) awaited(l layout.Subjects) (subjects []string) {
	for _, r := range t.runs {
		for domain, reports := range r.Reports {
			for _, rep := range reports {
				s, cycle := &rep.Swarm, rep.Swarm.Cycle+1
				if s.Hardening.Requested && !slices.ContainsFunc(r.Requests[domain], func(h *shadow.HardeningData) bool { return h.Cycle == cycle }) {
					subjects = append(subjects, l.HardeningRequest(s.CommanderID, r.ID, domain, cycle))
				}
			}
			last := r.Last(domain)
			if shadow.Notice(last) != nil && r.Quarantined[domain] == nil {
				subjects = append(subjects, l.Quarantined(r.ID, domain))
			}
		}
	}
	slices.Sort(subjects)
	return subjects
}

func awaitsFix(r *history.Run) bool {
	for domain := range r.Reports {
		if !r.Last(domain).Swarm.Final {
			return true
		}
	}
	return false
}
