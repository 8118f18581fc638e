package audit

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// readReviews reads what shadowd stored of reviews, the first of each subject.
func (r *Run) readReviews() {
	r.reviewed, r.lines = map[uint64]*Message{}, map[shadow.Slot][]shadow.ReviewLine{}
	for _, m := range r.out {
		seq := m.Address.Sequence
		if m.Name != shadow.RunReviewed || m.Foreign != "" || m.Unmarked != "" || r.reviewed[seq] != nil {
			continue
		}
		r.reviewed[seq] = m
		var d shadow.ReviewedData
		if m.Unreadable == "" && Decode(m, &d) == nil {
			slot := shadow.Slot{Domain: d.Domain, Cycle: d.Review.Cycle}
			r.lines[slot] = append(r.lines[slot], d.Line())
		}
	}
}

// reviewedFinal is the stored final report of a domain with its reviews, or nil.
func (r *Run) reviewedFinal(domain string) *shadow.StoredReport {
	stored := r.final(domain).stored()
	if stored != nil {
		stored.Reviews = r.lines[r.final(domain).slot()]
	}
	return stored
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
		r.caused(m, in.ID, in.Time)
		if m.Unreadable == "" {
			r.differ(m, Differs, m.Data, encode(d))
		}
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
	case none && says(rej, shadow.NoReport(r.ID, in.Review)):
		return ""
	case refused == nil:
		return "none: the review is one of a final report"
	case says(rej, refused):
		return ""
	}
	return refused.Error()
}
