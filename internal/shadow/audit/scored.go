package audit

import (
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// runScored derives the end of a run.
func (r *Run) runScored() {
	if r.domains == nil {
		return
	}
	finals, complete := make([]*shadow.StoredReport, len(r.domains)), true
	for i := range r.domains {
		finals[i] = r.view.Final(r.domains[i].Domain)
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
		r.same(r.scored, r.commitment.WantID, ended, encode(shadow.Sum(&r.com, r.domains, finals, tick)))
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
		r.same(m, r.commitment.WantID, ended, encode(d))
	}
}

// reviews derives what follows from the reviews that were taken.
func (r *Run) reviews() {
	for seq, m := range r.reviewed {
		in := r.inputs[seq]
		switch {
		case in == nil && r.expired(shadow.Place{Sequence: seq, Time: m.EventTime}):
			r.find(m, Expired, fmt.Sprintf("its review %d, before the first of IN, %d", seq, r.log.FirstIn), "")
			continue
		case in == nil || in.Review == nil || in.Run != m.Run || in.Domain != m.Domain:
			r.find(m, Undue, fmt.Sprintf("what follows from a review at %d of IN", seq), "none: no review of the domain stands there")
			continue
		}
		d, refused := r.review(in)
		if refused != nil {
			r.find(m, Undue, "a review that was taken", "none: "+refused.Error())
			continue
		}
		r.same(m, in.ID, in.Time, encode(d))
		if m.Unreadable != "" {
			continue
		}
		e, err := attest.FromReviewed(m.Data, m.Signature)
		if err == nil && len(r.log.Signers) > 0 {
			_, _, err = attest.OpenReviewed(e, r.log.Signers...)
		}
		r.unsigned(m, err)
	}
}

// review is what follows from a review, by the report as it is stored.
func (r *Run) review(in *Message) (*shadow.ReviewedData, *shadow.Refusal) {
	if in.Refusal != nil {
		return nil, in.Refusal
	}
	v := in.Review
	rep := r.report(v.Domain, v.Cycle)
	if r.commitment == nil || rep == nil || rep.Unmarked != "" {
		return nil, shadow.NoReport(r.ID, v)
	}
	return rep.Report.Review(&r.com.Policy, shadow.Digest(rep.Data), v, shadow.Place{Sequence: in.Sequence, Time: in.Time.UTC()}, in.SignedBy)
}

// unfoundedReview says why a review should not be rejected as it was in a state of the
// log, or is empty. Its report may have come since.
func (r *Run) unfoundedReview(v *shadow.View, in *Message, rej *shadow.Rejection) string {
	_, refused := r.review(in)
	none := v.Reports[shadow.Slot{Domain: in.Review.Domain, Cycle: in.Review.Cycle}] == nil
	switch {
	case none && says(rej, shadow.NoReport(r.ID, in.Review)), says(rej, refused):
		return ""
	case refused == nil && rej.Reason == shadow.NotSigned && in.SignedBy != "":
		return "" // whose key it is, the configuration of the day said
	case refused == nil:
		return "none: the review is one of a final report"
	}
	return refused.Error()
}

// expired says whether a message of IN may have expired: it stood before all
// that are left, and is older than what the stream keeps. What is gone and is
// younger was removed by somebody.
func (r *Run) expired(at shadow.Place) bool {
	return at.Sequence < r.log.FirstIn && at.Time.Before(r.log.KeptSince)
}
