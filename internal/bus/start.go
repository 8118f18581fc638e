package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// begin finds out where to begin, and which runs are open.
func (s *session) begin(ctx context.Context) error {
	f, err := Floor(ctx, s.store.JS)
	if err != nil {
		return err
	}
	info, err := s.store.In.Info(ctx)
	if err != nil {
		return fmt.Errorf("stream %s: %w", layout.StreamIn, err)
	}
	out, err := s.store.Out.Info(ctx)
	if err != nil {
		return fmt.Errorf("stream %s: %w", layout.StreamOut, err)
	}
	s.backlog = info.State.LastSeq
	if err := streams.CheckEnd(layout.StreamIn, s.backlog, f.Events); err != nil {
		return err
	}
	if last := out.State.LastSeq; last < f.Out {
		s.log.Error("OUT has lost outputs that were stored, as a power cut does where bus.sync is an interval: all events in IN are read again, and what is missing is made anew",
			"stored", f.Out, "ends", last)
		f = Progress{}
	}
	s.stored = f
	if err := s.checkTruncated(ctx, info.State.LastSeq, info.State.LastTime); err != nil {
		return err
	}
	s.from = max(f.Events, info.State.FirstSeq-min(info.State.FirstSeq, 1))
	s.read = s.from
	s.reader = &streams.Reader{JS: s.store.JS, Stream: layout.StreamIn, Next: s.from + 1, Follow: true, Deliver: s.deliver}
	return s.readOpen(ctx, f.Runs, out.State.LastSeq)
}

const (
	tellEvery = 2 * time.Second // a start that takes long says how far it is
	clockSkew = time.Minute     // by which the clocks of servers may differ
)

// readOpen finds the runs that are not scored among those that were committed to
// at a sequence or behind it. OUT ends at outEnd.
func (s *session) readOpen(ctx context.Context, from, outEnd uint64) error {
	from = max(from, 1)
	told := time.Now()
	tell := func(stream string, at, end uint64) {
		if now := time.Now(); now.Sub(told) >= tellEvery {
			told = now
			s.log.Info("reading which runs are open", "stream", stream, "read", at, "end", end)
		}
	}
	first, err := streams.Next(ctx, s.store.JS, layout.StreamIn, ">", from)
	if first == nil || err != nil {
		return err
	}
	since := first.Time.Add(-clockSkew) // nothing was scored before
	scored := map[string]bool{}
	ended := &streams.Reader{JS: s.store.JS, Stream: layout.StreamOut, Subjects: []string{s.layout.RunScored("*")}, Since: since}
	if err := ended.All(ctx, func(m *streams.Message) error {
		tell(layout.StreamOut, m.Seq, outEnd)
		a, err := s.layout.Parse(m.Subject)
		if own, _ := isOwn(m, s.cfg.Key); err == nil && own {
			scored[a.Run] = true
		}
		return nil
	}); err != nil {
		return err
	}
	begun := &streams.Reader{JS: s.store.JS, Stream: layout.StreamIn, Subjects: []string{s.layout.Commitment("*"), s.layout.Subject(shadow.Tick, "*")}, Next: from}
	return begun.All(ctx, func(m *streams.Message) error {
		tell(layout.StreamIn, m.Seq, s.from)
		a, err := s.layout.Parse(m.Subject)
		if err != nil || m.Seq > s.from {
			return nil // the reader comes to it
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if a.Name == shadow.Tick {
			s.addTick(m)
		} else if !scored[a.Run] {
			if r := s.of(a.Run); s.sealed(r, m, true) {
				s.look(r)
			}
		}
		return nil
	})
}

// checkTruncated holds the end of IN against the newest outputs that name an event of
// it, and all that were stored since its last event: outcomes are not stored in the
// order of their events, and those of lost ones were stored after all that IN still has.
func (s *session) checkTruncated(ctx context.Context, end uint64, since time.Time) error {
	check := func(m *streams.Message) error {
		if own, _ := isOwn(m, s.cfg.Key); !own { // it may be forged
			return nil
		}
		in := s.named(m)
		if in.Sequence == 0 || in.Sequence > end {
			return streams.CheckEnd(layout.StreamIn, end, in.Sequence)
		}
		at, err := streams.At(ctx, s.store.JS, layout.StreamIn, in.Sequence)
		if at != nil && !at.Time.Equal(in.Time) { // it has grown again meanwhile
			err = fmt.Errorf("%s has another message at sequence %d than before: %w", layout.StreamIn, in.Sequence, streams.ErrTruncated)
		}
		return err
	}
	outputs := s.layout.Wildcards(shadow.EventRejected, shadow.GapReport, shadow.RunReviewed)
	for _, subject := range outputs {
		m, err := streams.Last(ctx, s.store.JS, layout.StreamOut, subject)
		if err == nil && m != nil {
			err = check(m)
		}
		if err != nil {
			return err
		}
	}
	err := (&streams.Reader{JS: s.store.JS, Stream: layout.StreamOut, Subjects: outputs, Since: since}).All(ctx, check)
	if _, damaged := errors.AsType[*streams.UnreadableError](err); damaged {
		return nil // what can be read was looked at
	}
	return err
}

// named is the place of the event of IN that an output names; zero if it cannot be read.
func (s *session) named(m *streams.Message) shadow.Place {
	var out struct {
		In    shadow.Place
		Swarm struct{ In shadow.Place }
	}
	if _, err := readOutput(m, &out); err != nil {
		return shadow.Place{}
	}
	if out.In.Sequence > 0 {
		return out.In
	}
	return out.Swarm.In
}
