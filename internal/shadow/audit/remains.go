package audit

import (
	"bytes"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

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
		r.numbers(rep)
		if rep.Swarm.Final {
			r.attestation(rep)
		}
	}
	var have shadow.RunData
	if r.scored == nil || r.scored.Unreadable != "" || Decode(r.scored, &have) != nil {
		return
	}
	com := shadow.Commitment{RunID: r.ID, TaskHash: have.TaskHash, SealedHash: have.SealedHash, Policy: shadow.Policy{Scale: have.Scale}}
	var domains []shadow.Domain
	var finals []*shadow.Report
	for _, line := range have.Domains {
		rep := r.final(line.Domain)
		if rep == nil {
			return // it expired before run-scored
		}
		domains, finals = append(domains, shadow.Domain{Domain: line.Domain}), append(finals, &rep.Report)
	}
	for _, name := range have.Missing {
		domains, finals = append(domains, shadow.Domain{Domain: name}), append(finals, nil)
	}
	if want := encode(shadow.Sum(&com, domains, finals)); !bytes.Equal(r.scored.Data, want) {
		r.find(r.scored, ScoredDiffers, string(r.scored.Data), string(want))
	}
}
