package audit

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// runScored checks the end of a run.
func (r *Run) runScored() {
	if r.domains == nil {
		return
	}
	finals := make([]*shadow.Report, len(r.domains))
	open, settled := "", true
	for i := range r.domains {
		name := r.domains[i].Domain
		if rep := r.final(name); rep != nil {
			finals[i] = &rep.Report
			settled = settled && r.after(rep)
		} else if open == "" {
			open = name
		}
	}
	if r.scored == nil {
		if open == "" && settled {
			r.missing("", 0, ScoredMissing, "no run-scored", "one, since every domain is final")
		} else {
			r.find(nil, UnderWay, "a run that is not scored yet", "")
		}
		return
	}
	if open != "" {
		r.incomplete()
	}
	r.sum(finals)
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

// incomplete checks a run that was scored although domains are not final.
func (r *Run) incomplete() {
	deadline := r.com.Policy.RunDeadline(r.commitment.Time)
	for i := range r.domains {
		d := &r.domains[i]
		if r.final(d.Domain) != nil {
			continue
		}
		if r.scored.Time.Before(deadline) || r.report(d.Domain, 0) != nil {
			r.find(r.scored, ScoredEarly, fmt.Sprintf("stored at %s, with domain %q not final", stamp(r.scored.Time), d.Domain),
				"every domain final, or its bundle missing and the deadline passed, "+stamp(deadline))
		} else if in := r.first(d, 0, nil, deadline); in != nil {
			r.find(r.scored, TimelyIgnored, fmt.Sprintf("domain %q is missing", d.Domain), fmt.Sprintf("a report on its bundle at %d of IN, stored at %s", in.Sequence, stamp(in.Time)))
		}
	}
}

// sum holds run-scored against the reports.
func (r *Run) sum(finals []*shadow.Report) {
	var at time.Time
	if slices.Contains(finals, nil) {
		at = r.com.Policy.RunDeadline(r.commitment.Time)
	}
	r.caused(r.scored, r.commitment.WantID, shadow.ScoredAt(finals, at))
	want := shadow.Sum(&r.com, r.domains, finals)
	var have shadow.RunData
	if r.scored.Unreadable != "" || bytes.Equal(r.scored.Data, encode(want)) || Decode(r.scored, &have) != nil {
		return
	}
	if have.Median != want.Median || have.Level != want.Level {
		r.find(r.scored, ScoredMedian, fmt.Sprintf("%s %s", have.Median, have.Level), fmt.Sprintf("%s %s", want.Median, want.Level))
		if have.Median, have.Level = want.Median, want.Level; bytes.Equal(encode(have), encode(want)) {
			return
		}
	}
	r.find(r.scored, ScoredDiffers, string(r.scored.Data), string(encode(want)))
}
