package bus

import (
	"math"
	"slices"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// review stores what follows from a person's review. That depends on the review,
// the report that it is of and the policy of the run alone, so it is the same
// whenever it is made.
func (s *session) review(it *item, in *input) error {
	r, slot := it.run, shadow.Slot{Domain: in.review.Domain, Cycle: in.review.Cycle}
	s.mu.Lock()
	c, stored := r.view.Commitment, r.view.Reports[slot] != nil
	waits := !stored && r.view.Judged(slot, it.seq) // OUT has lost it, and it is made anew
	if waits {
		it.await = shadow.Turn{Await: shadow.AwaitReport, Slot: slot}
		s.park(it)
	}
	it.fold()
	s.mu.Unlock()
	switch {
	case waits:
		return errParked
	case c == nil || !stored:
		return shadow.NoReport(r.id, in.review)
	}
	rep, err := s.reportAt(r, slot)
	if err != nil {
		return err
	}
	if !rep.own {
		return shadow.NoReport(r.id, in.review)
	}
	d, refused := rep.report.Review(&c.Policy, shadow.Digest(rep.event.Data()), in.review, in.place(), in.signedBy)
	if refused == nil {
		refused, err = s.otherReviewer(in, d)
	}
	if err != nil {
		return err
	}
	if refused != nil {
		return refused
	}
	msg, err := s.reviewedMsg(in, d)
	if err != nil {
		return err
	}
	stored, err = s.out.own(s.work, layout.StreamOut, msg)
	if err != nil {
		return err
	}
	s.mu.Lock()
	r.view.Review(slot, d.Line())
	s.mu.Unlock()
	if stored {
		s.cfg.Observer.Reviewed(d.Review.Verdict)
		s.log.Info("reviewed", "run", r.id, "domain", slot.Domain, "by", d.Review.By, "verdict", string(d.Review.Verdict), "gate", string(d.After.Gate), "before", string(d.Before.Gate))
	}
	return nil
}

// otherReviewer refuses a review that is signed by another key than its reviewer's,
// unless it was taken before, when the reviewer had another one.
func (s *session) otherReviewer(in *input, d *shadow.ReviewedData) (*shadow.Refusal, error) {
	if s.cfg.ReviewKeys == nil {
		return nil, nil
	}
	refused := shadow.NotReviewer(d, s.cfg.ReviewKeys(d.Review.By))
	if refused == nil {
		return nil, nil
	}
	taken, _, err := firstOwn(s.work, s.store.JS, layout.StreamOut, s.layout.Reviewed(d.RunID, d.Domain, in.Seq), s.cfg.Key)
	if taken != nil || err != nil {
		return nil, err
	}
	return refused, nil
}

// reviewedMsg is the message of what follows from a review. It is signed, since it
// takes the place of what a signed report says.
func (s *session) reviewedMsg(in *input, d *shadow.ReviewedData) (*nats.Msg, error) {
	data, err := shadow.Encode(d)
	if err != nil {
		return nil, err
	}
	c := cloudevent.CauseOf(in.event)
	if s.cfg.Signer != nil {
		c.Signature = s.cfg.Signer.SignReviewed(data)
	}
	msg, _, err := s.out.event(s.layout.Reviewed(d.RunID, d.Domain, in.Seq), c, in.Time, data)
	return msg, err
}

// loadReviews reads the reviews of a run that were taken before.
func (s *session) loadReviews(r *run) error {
	return s.outputs(s.layout.RunWildcard(shadow.RunReviewed, r.id), func(_ shadow.Address, m *streams.Message) error {
		if own, err := isOwn(m, s.cfg.Key); !own {
			return err
		}
		var d shadow.ReviewedData
		if _, err := readOutput(m, &d); err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		r.view.Review(shadow.Slot{Domain: d.Domain, Cycle: d.Review.Cycle}, d.Line())
		return nil
	})
}

// unreviewed says whether a review may come, or is under way, that belongs into the
// sum of a run which an event completes. The lock is held.
func (s *session) unreviewed(r *run, complete uint64) bool {
	return s.read < complete || r.reviews.first(math.MaxUint64) < complete
}

// postpone has such a run scored later, and says whether it is one. The lock is held.
func (s *session) postpone(r *run, complete uint64) bool {
	if !s.unreviewed(r, complete) {
		return false
	}
	if r.complete == 0 {
		s.postponed = append(s.postponed, r)
	}
	r.complete = complete
	return true
}

// scorePostponed starts what was postponed and need not wait any more. The lock is
// held.
func (s *session) scorePostponed() {
	s.postponed = slices.DeleteFunc(s.postponed, func(r *run) bool {
		if s.unreviewed(r, r.complete) {
			return false
		}
		r.complete = 0
		s.look(r)
		return true
	})
}
