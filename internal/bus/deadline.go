package bus

import (
	"container/heap"
	"context"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// deadline is when something becomes due in a run.
type deadline struct {
	at        time.Time
	behind    uint64 // a tick behind this sequence ends it
	run       *run
	kind      itemKind // anEvent: events that wait for a decomposition
	slot      shadow.Slot
	commander string
	over      chan time.Time // of noPatience
	index     int
}

// deadlines is a heap of them, the first one in front.
type deadlines []*deadline

func (d deadlines) Len() int { return len(d) }

func (d deadlines) Less(i, j int) bool { return d[i].at.Before(d[j].at) }

func (d deadlines) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].index, d[j].index = i, j
}

// Push is for package heap.
func (d *deadlines) Push(x any) {
	one := x.(*deadline)
	one.index = len(*d)
	*d = append(*d, one)
}

// Pop is for package heap.
func (d *deadlines) Pop() any {
	last := len(*d) - 1
	one := (*d)[last]
	(*d)[last] = nil
	*d, one.index = (*d)[:last], -1
	return one
}

func (d *deadlines) remove(one *deadline) {
	if one.index >= 0 {
		heap.Remove(d, one.index)
	}
}

// due has something happen in a run behind a deadline. The lock is held.
func (s *session) due(d *deadline) {
	if _, over := s.ticks.After(d.at, d.behind); over {
		d.index = -1
		s.happens(d)
		return
	}
	heap.Push(&s.deadlines, d)
	d.run.deadlines = append(d.run.deadlines, d)
	if s.deadlines[0] == d {
		select {
		case s.sooner <- struct{}{}:
		default:
		}
	}
}

// happens gives a due deadline its turn, behind all that its commander handed in before.
func (s *session) happens(d *deadline) {
	if d.kind == anEvent {
		s.wake(d.run, func(it *item) bool { return it.unknown && !it.await.Deadline.After(d.at) })
		return
	}
	if d.kind == noPatience {
		close(d.over)
		return
	}
	s.add(&item{kind: d.kind, run: d.run, slot: d.slot, author: s.by(d.commander)})
}

// addTick takes in a tick, if it is shadowd's own. The lock is held.
func (s *session) addTick(m *streams.Message) {
	if own, _ := isOwn(m, s.cfg.Key); !own {
		return
	}
	s.ticks.Add(shadow.Place{Sequence: m.Seq, Time: m.Time})
	for len(s.deadlines) > 0 && s.deadlines[0].at.Before(m.Time) {
		d := heap.Pop(&s.deadlines).(*deadline)
		d.run.deadlines = slices.DeleteFunc(d.run.deadlines, func(o *deadline) bool { return o == d })
		s.happens(d)
	}
	select {
	case s.ticked <- struct{}{}:
	default:
	}
}

// tick stores a tick whenever a deadline seems due, until ctx ends.
func (s *session) tick(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var msg *nats.Msg // that is to be stored
	for {
		s.mu.Lock()
		wait := time.Hour
		if len(s.deadlines) > 0 {
			wait = s.deadlines[0].at.Sub(s.cfg.now())
		}
		s.mu.Unlock()
		if wait < 0 {
			wait = tickPause
			var err error
			if msg == nil {
				now := s.cfg.now()
				msg, _, err = s.out.output(s.layout.TickAt(now), cloudevent.Cause{}, now, shadow.TickData{Due: now.UTC()})
			}
			if err == nil {
				_, err = s.out.own(ctx, layout.StreamIn, msg)
			}
			if err != nil && ctx.Err() == nil {
				s.log.Warn("a tick could not be stored, will be tried again", "error", err)
			} else if err == nil {
				msg = nil
				timer.Reset(tickRead)
				select {
				case <-ctx.Done():
					return
				case <-s.ticked:
				case <-timer.C:
				}
			}
			if pause(ctx, wait) != nil {
				return
			}
			continue
		}
		timer.Reset(max(wait, time.Millisecond))
		select {
		case <-ctx.Done():
			return
		case <-s.sooner:
		case <-timer.C:
		}
	}
}

// awaitFix sets the deadline of the fix that a report asks for.
func (s *session) awaitFix(r *run, slot shadow.Slot, rep *shadow.StoredReport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due(&deadline{at: r.view.Commitment.Policy.FixDeadline(rep.Time), behind: r.view.Sealed.Sequence, run: r, kind: endOfCycle,
		slot: shadow.Slot{Domain: slot.Domain, Cycle: slot.Cycle + 1}, commander: rep.Summary.CommanderID})
}

// endRun handles the deadline of a run, which is over once all is taken in that the
// commanders of missing bundles handed in before.
func (s *session) endRun(it *item) error {
	r := it.run
	if _, err := s.open(it.run); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var awaited []string
	for i := range r.view.Domains {
		if d := &r.view.Domains[i]; r.view.Reports[shadow.Slot{Domain: d.Domain}] == nil {
			awaited = append(awaited, d.CommanderID)
		}
	}
	r.awaited, r.over = len(awaited), len(awaited) == 0
	for _, commander := range awaited {
		s.add(&item{kind: endReached, run: r, author: s.by(commander)})
	}
	return nil
}

// endCycle handles the deadline of a fix.
func (s *session) endCycle(it *item) error {
	if _, err := s.open(it.run); err != nil {
		return err
	}
	s.mu.Lock()
	t, rep := it.run.view.EndOfCycle(it.slot), it.run.view.Reports[it.slot]
	it.fold()
	s.mu.Unlock()
	switch {
	case t.Step == shadow.DoTimeOut:
		return s.timeOut(it, &t)
	case rep != nil && rep.TimedOut: // what follows from it may have failed
		return s.followStored(it, it.slot)
	}
	return nil
}
