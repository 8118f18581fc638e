package play

import (
	"maps"
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
	open map[uint64]published
	// mine are all sequences that were published.
	mine map[uint64]bool
}

// published is an event on its way. What it says about itself may be
// nonsense: then the outcome is its rejection.
type published struct {
	addr   shadow.Address
	domain string
	cycle  int
	digest string
}

func newTracker() *tracker {
	return &tracker{runs: map[string]*history.Run{}, open: map[uint64]published{}, mine: map[uint64]bool{}}
}

func (t *tracker) run(id string) *history.Run {
	if t.runs[id] == nil {
		t.runs[id] = history.NewRun(id)
	}
	return t.runs[id]
}

// sent notes that an event was stored at a sequence of IN.
func (t *tracker) sent(seq uint64, addr shadow.Address, data []byte) {
	p := published{addr: addr, digest: shadow.Digest(data)}
	switch in, _, err := shadow.Decode(addr.Name, data); {
	case err != nil: // will be rejected
	case addr.Name == shadow.DecompositionDone:
		if r := t.run(addr.Run); r.Decomposition == nil {
			r.Decomposition = in.(*shadow.Decomposition)
		}
	default:
		s := in.(*shadow.Submission)
		p.domain, p.cycle = s.Bundle.Domain, s.Cycle
	}
	t.mine[seq] = true
	t.open[seq] = p
	t.closeJudged()
}

// take takes in an output. Its error says that the output cannot be read.
func (t *tracker) take(o history.Output) error {
	if o.Name != shadow.EventRejected {
		err := t.run(o.Run).Take(o)
		t.closeJudged()
		return err
	}
	p := t.open[o.Sequence]
	delete(t.open, o.Sequence)
	r := t.run(o.Run)
	r.Rejected = append(r.Rejected, o.Rejection)
	if p.addr.Name == shadow.DecompositionDone && r.Commitment == nil {
		// Another decomposition of the run may be on its way.
		r.Unsealable = !slices.ContainsFunc(slices.Collect(maps.Values(t.open)), func(o published) bool { return o.addr == p.addr })
	}
	return nil
}

// closeJudged closes what has an outcome.
func (t *tracker) closeJudged() {
	for seq, p := range t.open {
		r := t.run(p.addr.Run)
		if p.addr.Name == shadow.DecompositionDone {
			if r.Commitment != nil && r.Commitment.DecompositionDigest == p.digest {
				delete(t.open, seq)
			}
			continue
		}
		for _, rep := range r.Reports[p.domain] {
			if rep.Swarm.Cycle == p.cycle && rep.Swarm.BundleDigest == p.digest && !rep.Swarm.Hardening.TimedOut {
				delete(t.open, seq)
			}
		}
	}
}

// sealed says whether a run is sealed, or never will be.
func (t *tracker) sealed(run string) bool {
	r := t.run(run)
	return r.Commitment != nil || r.Unsealable
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
