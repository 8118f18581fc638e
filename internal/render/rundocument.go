package render

import (
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// OfRun makes a document of a run and of some of its reports.
func OfRun(r *history.Run, reports []*shadow.Report) *Document {
	d := &Document{Run: &Run{ID: r.ID, Scored: r.Scored, Missing: r.Missing(), Commitment: r.Commitment}}
	if r.Commitment != nil {
		d.Run.Sealed = r.Stored[r.Commitment]
	}
	if r.Scored != nil {
		d.Run.Ended = r.Stored[r.Scored]
	}
	if r.Decomposition != nil {
		d.Run.Task = r.Decomposition.Task
	}
	for _, rep := range reports {
		s := Of(rep)
		s.Attempts, s.Attested = attempts(r, rep), r.Attested[rep.Swarm.Domain]
		d.Subjects = append(d.Subjects, s)
	}
	return d
}

// attempts are the submissions of a domain up to a report.
func attempts(r *history.Run, upTo *shadow.Report) (all []Attempt) {
	domain := upTo.Swarm.Domain
	for _, rep := range r.Reports[domain] {
		if rep.Swarm.Cycle > upTo.Swarm.Cycle {
			break
		}
		a := Attempt{Report: rep, Stored: r.Stored[rep]}
		for _, h := range r.Requests[domain] {
			if h.Cycle == rep.Swarm.Cycle+1 {
				a.Told, a.ToldAt = h, r.Stored[h]
			}
		}
		all = append(all, a)
	}
	return all
}
