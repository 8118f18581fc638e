package audit

import (
	"slices"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// runScored derives the end of a run.
func (r *Run) runScored() {
	if r.domains == nil {
		return
	}
	finals, settled := make([]*shadow.Report, len(r.domains)), true
	for i := range r.domains {
		if rep := r.final(r.domains[i].Domain); rep != nil {
			finals[i] = &rep.Report
			settled = settled && r.after(rep)
		}
	}
	complete := !slices.Contains(finals, nil)
	switch {
	case r.scored == nil && complete && settled:
		r.missing(shadow.RunScored, "", 0, "one, since every domain is final")
		return
	case r.scored == nil:
		r.find(nil, UnderWay, "a run that is not scored yet", "")
		return
	}
	var at time.Time
	if !complete {
		at = r.com.Policy.RunDeadline(r.commitment.Time)
		if turn := r.view.Turn(&shadow.Event{Timer: &shadow.Timer{Fired: r.scored.Time}}); turn.Step != shadow.DoScore {
			r.find(r.scored, Undue, "stored at "+stamp(r.scored.Time), said(turn)+"; the run's deadline is "+stamp(at))
		}
	}
	r.caused(r.scored, r.commitment.WantID, shadow.ScoredAt(finals, at))
	r.sum(&r.com, r.domains, finals)
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
func (r *Run) sum(com *shadow.Commitment, domains []shadow.Domain, finals []*shadow.Report) {
	if r.scored.Unreadable == "" {
		r.differ(r.scored, Differs, r.scored.Data, encode(shadow.Sum(com, domains, finals)))
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
		if rep.Swarm.Final {
			r.attestation(rep)
		}
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
	var finals []*shadow.Report
	for i, name := range append(names, have.Missing...) {
		rep := r.final(name)
		if rep == nil && i < len(names) {
			return // it expired before run-scored
		}
		domains, finals = append(domains, shadow.Domain{Domain: name}), append(finals, rep.before())
	}
	r.sum(&com, domains, finals)
}
