package dash

import (
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Settled counts an event of the swarm that has its outcome; why is empty for
// one that was not rejected.
func (m *Metrics) Settled(event string, why shadow.Reason) {
	if why == "" {
		m.accepted.add(1, event)
		return
	}
	m.rejected.add(1, event, string(why))
}

// Failed counts an event, or a run, whose handling is tried again.
func (m *Metrics) Failed(what string) { m.failed.add(1, what) }

// Stored counts an output, by the name of its event.
func (m *Metrics) Stored(event string) { m.outputs.add(1, event) }

// Sealed counts the criteria of a new envelope, which it took so long to write
// and store.
func (m *Metrics) Sealed(took time.Duration, shares []shadow.Share) {
	m.sealing.Observe(took.Seconds())
	for _, s := range shares {
		m.written.add(s.Written, s.Author)
	}
}

// Judged counts a stored report, which it took so long to come to.
func (m *Metrics) Judged(r *shadow.Report, took time.Duration, _ string) {
	s := &r.Swarm
	cycle := "bundle"
	switch {
	case s.Hardening.TimedOut:
		cycle = "timeout"
	case s.Cycle > 0:
		cycle = "fix"
	}
	m.reports.add(1, cycle, string(s.Verdict))
	m.gates.add(1, string(s.Gate.Action))
	for _, why := range s.Gate.Because {
		m.because.add(1, why)
	}
	if len(s.AdvisoryReasons) > 0 {
		m.advisory.Inc()
	}
	if s.Hardening.TimedOut {
		return // nothing was judged, and the rest is the earlier report's
	}
	m.judging.Observe(took.Seconds())
	for i := range s.Items {
		m.items.add(1, string(s.Items[i].State))
	}
	for i := range s.Judges {
		if s.Judges[i].Excluded != "" {
			m.excluded.add(1, s.Judges[i].Name)
		}
	}
}

// Reviewed counts a review by a person.
func (m *Metrics) Reviewed(v shadow.ReviewVerdict) { m.reviews.add(1, string(v)) }

// SealBroken counts a broken seal, by how it showed.
func (m *Metrics) SealBroken(how string) { m.broken.add(1, how) }

// Withheld counts an output that held sealed text.
func (m *Metrics) Withheld() { m.withheld.Inc() }

// Notified counts a message to a webhook, by what became of it.
func (m *Metrics) Notified(outcome string) { m.notified.add(1, outcome) }

// Votes counts the votes of ballots, and what they cost.
func (m *Metrics) Votes(ballots []shadow.Ballot) {
	for i := range ballots {
		for j := range ballots[i].Votes {
			m.vote(&ballots[i].Votes[j])
		}
	}
}

func (m *Metrics) vote(v *shadow.Vote) {
	outcome := string(v.Outcome)
	if v.Outcome == shadow.Undecided {
		outcome = "none"
	}
	m.votes.add(1, v.Judge, outcome)
	if v.Cached {
		m.hits.add(1, v.Judge)
	}
	m.calls.add(v.Calls, v.Judge)
	m.tokens.add(int(v.Tokens), v.Judge)
	if v.Calls > 0 { // else it was known, or the budget kept it from being asked
		m.voting.WithLabelValues(m.judges.known(v.Judge)).Observe((time.Duration(v.Millis) * time.Millisecond).Seconds())
	}
}
