package bus

import (
	"math"
	"slices"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// review stores what follows from a person's review: from it, its report and the policy
// of the run alone, so it is the same whenever it is made.
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
	subject := s.layout.Reviewed(r.id, slot.Domain, in.Seq)
	if refused == nil && s.cfg.ReviewKeys != nil {
		if refused = shadow.NotReviewer(d, s.cfg.ReviewKeys(d.Review.By)); refused != nil {
			// It may have been taken before, when the reviewer had another key.
			switch taken, _, err := firstOwn(s.work, s.store.JS, layout.StreamOut, subject, s.cfg.Key); {
			case err != nil:
				return err
			case taken != nil:
				refused = nil
			}
		}
	}
	if refused != nil {
		return refused
	}
	data, err := shadow.Encode(d)
	if err != nil {
		return err
	}
	cause := cloudevent.CauseOf(in.event)
	if s.cfg.Signer != nil { // it takes the place of what a signed report says
		cause.Signature = s.cfg.Signer.SignReviewed(data)
	}
	msg, _, err := s.out.event(subject, cause, in.Time, data)
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

// unreviewed: a review may come, or is under way, that belongs into the sum of a run
// which an event completes. The lock is held.
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
