package bus

import (
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// load reads what was stored of a run before the session came to it: its commitment,
// reports and end, for the item whose turn it is. While it cannot be read, that waits.
func (s *session) load(it *item) error {
	r := it.run
	s.mu.Lock()
	loaded, retrying := r.loaded, r.retrying
	if retrying {
		s.stick(it)
	}
	s.mu.Unlock()
	if retrying {
		return errParked
	}
	if loaded {
		return nil
	}
	if err := s.loadSeal(r); err != nil {
		return err
	}
	reports := map[shadow.Slot]*storedReport{}
	err := s.outputs(s.layout.RunWildcard(shadow.GapReport, r.id), func(a shadow.Address, m *streams.Message) (err error) {
		reports[shadow.Slot{Domain: a.Domain, Cycle: a.Cycle}], err = s.readStored(m)
		return err
	})
	if err == nil && len(reports) > 0 {
		err = s.loadReviews(r)
	}
	if err != nil {
		return err
	}
	scored, _, err := firstOwn(s.work, s.store.JS, layout.StreamOut, s.layout.RunScored(r.id), s.cfg.Key)
	if err != nil {
		return err
	}
	s.mu.Lock()
	for slot, rep := range reports {
		r.take(slot, rep)
		if rep.own && rep.In <= s.from && !rep.TimedOut {
			r.follows(slot) // its event has its outcome
		}
	}
	if scored != nil {
		s.scored(r)
	}
	if scored != nil || r.view.Commitment == nil { // without one, they are somebody else's
		reports = nil
	}
	s.mu.Unlock()
	for slot, rep := range reports {
		switch {
		case rep.TimedOut, !rep.own: // it may be that no event stands for it
			if err := s.follow(it, slot, rep); err != nil {
				return err
			}
		case rep.Requested && reports[shadow.Slot{Domain: slot.Domain, Cycle: slot.Cycle + 1}] == nil:
			s.awaitFix(r, slot, rep.StoredReport)
		}
	}
	s.mu.Lock()
	r.loaded = true
	s.mu.Unlock()
	return nil
}

// outputs hands each output on a subject to each, in order.
func (s *session) outputs(subject string, each func(shadow.Address, *streams.Message) error) error {
	for seq := uint64(1); ; {
		m, err := streams.Next(s.work, s.store.JS, layout.StreamOut, subject, seq)
		if m == nil || err != nil {
			return err
		}
		seq = m.Seq + 1
		if a, err := s.layout.Parse(m.Subject); err == nil {
			if err := each(a, m); err != nil {
				return err
			}
		}
	}
}

// loadSeal reads a commitment, or that there is none and its decomposition was refused.
func (s *session) loadSeal(r *run) error {
	s.mu.Lock()
	sealed := r.view.Sealed.Sequence > 0
	s.mu.Unlock()
	if sealed {
		return nil
	}
	m, _, err := firstOwn(s.work, s.store.JS, layout.StreamIn, s.layout.Commitment(r.id), s.cfg.Key)
	var d *streams.Message
	if err == nil && m == nil {
		d, err = streams.Next(s.work, s.store.JS, layout.StreamIn, s.layout.Decomposition(r.id), 1)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if m != nil {
		s.sealed(r, m, false)
		s.wakeSealed(r)
	} else if d != nil && d.Seq <= s.read && r.view.Pending == 0 {
		r.view.Refused = true
	}
	return nil
}

// scored notes that the end of a run is stored. The lock is held.
func (s *session) scored(r *run) {
	if r.view.Scored = true; r.tracked {
		r.tracked = false
		s.unscored.finish(r.view.Sealed.Sequence)
	}
}

// take puts a report into the view.
func (r *run) take(slot shadow.Slot, rep *storedReport) {
	r.view.Reports[slot] = rep.StoredReport
	if !rep.own {
		if r.foreign == nil {
			r.foreign = map[shadow.Slot]bool{}
		}
		r.foreign[slot] = true
	}
	source := shadow.Source{Commander: rep.Summary.CommanderID, Fixes: slot.Cycle > 0}
	var left []*shadow.Arrival
	for _, a := range r.view.Arrivals[source] {
		if a.Domain != slot.Domain || a.Cycle != slot.Cycle {
			left = append(left, a)
		}
	}
	if r.view.Arrivals[source] = left; left == nil {
		delete(r.view.Arrivals, source)
	}
}
