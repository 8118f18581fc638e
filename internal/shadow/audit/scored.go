package audit

import (
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// runScored derives the end of a run.
func (r *Run) runScored() {
	if r.domains == nil {
		return
	}
	finals, complete := make([]*shadow.StoredReport, len(r.domains)), true
	for i := range r.domains {
		finals[i] = r.reviewedFinal(r.domains[i].Domain)
		complete = complete && finals[i] != nil
	}
	var at time.Time
	var tick *shadow.Place
	due := complete
	if !complete {
		at = r.com.Policy.RunDeadline(r.commitment.Time)
		turn := r.view.EndOfRun()
		if tick, due = turn.Tick, turn.Step == shadow.DoScore; !due && r.scored != nil {
			r.find(r.scored, Undue, "stored at "+stamp(r.scored.Time), said(turn)+"; the run's deadline is "+stamp(at))
		}
	}
	ended := shadow.ScoredAt(finals, at)
	if due || r.scored != nil {
		r.settledDomains(ended)
	}
	switch {
	case r.scored != nil:
		r.caused(r.scored, r.commitment.WantID, ended)
		r.sum(&r.com, r.domains, finals, tick)
	case r.ended():
		r.missing(shadow.RunScored, "", 0, "one, since shadowd has gone on")
	default:
		r.find(nil, UnderWay, "a run that is not scored yet", "")
	}
}

// settledDomains checks what commanders learn of the end of the run, which is stored
// before run-scored.
func (r *Run) settledDomains(ended time.Time) {
	for _, d := range shadow.SettledDomains(r.ID, r.domains, ended) {
		m := r.one(shadow.DomainSettled, d.CommanderID, "", 0)
		if m == nil {
			if r.scored != nil {
				r.missing(shadow.DomainSettled, "", 0, "one for "+d.CommanderID+", since the run has ended")
			}
			continue
		}
		r.due[m.Subject] = true
		r.caused(m, r.commitment.WantID, ended)
		if m.Unreadable == "" {
			r.differ(m, Differs, m.Data, encode(d))
		}
	}
}

// final is the report that closes a domain, or nil.
func (r *Run) final(domain string) *report {
	for cycle := 0; ; cycle++ {
		rep := r.report(domain, cycle)
		if rep == nil || rep.Swarm.Final {
			return rep
		}
	}
}

// sum holds run-scored against the reports.
func (r *Run) sum(com *shadow.Commitment, domains []shadow.Domain, finals []*shadow.StoredReport, tick *shadow.Place) {
	if r.scored.Unreadable == "" {
		r.differ(r.scored, Differs, r.scored.Data, encode(shadow.Sum(com, domains, finals, tick)))
	}
}

// expired says whether a message of IN may have expired: it stood before all
// that are left, and is older than what the stream keeps. What is gone and is
// younger was removed by somebody.
func (r *Run) expired(at shadow.Place) bool {
	return at.Sequence < r.log.FirstIn && at.Time.Before(r.log.KeptSince)
}

// remains holds what is left of a run without commitment against each other:
// the numbers of its reports, what was signed about them, and run-scored.
func (r *Run) remains() {
	for _, rep := range r.inOrder() {
		want := rep.Report
		count(&want)
		r.compare(rep, &want)
		r.signed(rep)
	}
	var have shadow.RunData
	if r.scored == nil || r.scored.Unreadable != "" || Decode(r.scored, &have) != nil {
		return
	}
	com := shadow.Commitment{RunID: r.ID, TaskHash: have.TaskHash, SealedHash: have.SealedHash, Unassigned: have.Unassigned, Policy: shadow.Policy{Scale: have.Scale}}
	var names []string
	for _, line := range have.Domains {
		names = append(names, line.Domain)
	}
	var domains []shadow.Domain
	var finals []*shadow.StoredReport
	for i, name := range append(names, have.Missing...) {
		rep := r.reviewedFinal(name)
		if rep == nil && i < len(names) {
			return // it expired before run-scored
		}
		domains, finals = append(domains, shadow.Domain{Domain: name}), append(finals, rep)
	}
	r.sum(&com, domains, finals, have.Tick)
}
