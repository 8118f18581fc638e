package bus

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// use returns the view of a run once it has reached the sequences of IN and
// OUT, with what stood before the log was followed for it. Whoever uses it
// calls release in the end.
func (e *Engine) use(ctx context.Context, run string, in, out uint64) (*runView, error) {
	e.views.need(in)
	if err := e.views.reach(ctx, in, out); err != nil {
		return nil, err
	}
	var v *runView
	e.views.locked(func() {
		v = e.views.of(run, e.views.in)
		v.users++
	})
	if err := e.loaded(ctx, v); err != nil {
		e.views.release(v)
		return nil, fmt.Errorf("reading what is stored of run %s: %w", run, err)
	}
	return v, nil
}

// loaded sees to it that a view is loaded, by one of those who ask for it.
func (e *Engine) loaded(ctx context.Context, v *runView) error {
	_, err, _ := e.loading.Do(v.RunID, func() (any, error) {
		var known bool
		if e.views.locked(func() { known = v.loaded }); known {
			return nil, nil
		}
		err := e.load(ctx, v)
		e.views.locked(func() { v.loaded = err == nil })
		return nil, err
	})
	return err
}

// load reads what the log held of a run before it was followed. For most runs
// that is nothing, which two requests to the server show. If views were
// dropped, the run may have reports that are older than the followed part of
// IN.
func (e *Engine) load(ctx context.Context, v *runView) error {
	var made, submitted []*earlierEvent
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		made, err = e.before(gctx, e.layout.Subject("*", v.RunID), v.in)
		return err
	})
	g.Go(func() (err error) {
		submitted, err = e.before(gctx, e.layout.Subject("*", v.RunID, ">"), v.in)
		return err
	})
	if err := g.Wait(); err != nil {
		return err
	}
	events := append(made, submitted...)
	var dropped bool
	e.views.locked(func() { dropped = e.views.dropped })
	if len(events) == 0 && !dropped {
		return nil
	}
	slices.SortFunc(events, func(a, b *earlierEvent) int { return int(int64(a.Seq) - int64(b.Seq)) })
	if err := e.loadOut(ctx, v); err != nil {
		return err
	}
	return e.loadIn(ctx, v, events) // last: done twice it would put each event in twice
}

// earlierEvent is an event of IN that was stored before the followed part, without
// its data: a run may have gigabytes.
type earlierEvent struct {
	*message
	addr     shadow.Address
	content  shadow.Arrival
	rejected bool
}

// before reads the messages of IN on a subject up to a sequence.
func (e *Engine) before(ctx context.Context, subject string, upTo uint64) (found []*earlierEvent, err error) {
	for seq := uint64(1); seq <= upTo; {
		m, err := streams.Next(ctx, e.store.JS, layout.StreamIn, subject, seq)
		if err != nil || m == nil || m.Seq > upTo {
			return found, err
		}
		in, _ := e.take(&message{Message: *m}) // what is malformed has no content
		p := &earlierEvent{message: in.message}
		in.describe(&p.content)
		p.Header, p.Data = nil, nil
		found = append(found, p)
		seq = m.Seq + 1
	}
	return found, nil
}

// loadIn puts events before those of a view that were followed.
func (e *Engine) loadIn(ctx context.Context, v *runView, events []*earlierEvent) error {
	var read []*earlierEvent
	for _, m := range events {
		var err error
		if m.addr, err = e.layout.Parse(m.Subject); err != nil {
			continue
		}
		if m.addr.Name == shadow.EnvelopeSealed {
			e.views.locked(func() { e.views.sealedBefore(v, shadow.Place{Sequence: m.Seq, Time: m.Time}) })
			continue
		}
		if m.rejected, err = e.rejected(ctx, m.addr.Author, m.Seq); err != nil {
			return err
		}
		read = append(read, m)
	}
	vs := e.views
	vs.mu.Lock()
	defer vs.mu.Unlock()
	followed := v.Arrivals
	v.Arrivals = map[shadow.Source][]*shadow.Arrival{}
	for _, m := range read {
		if m.rejected {
			vs.refused(v, m.addr.Name)
			continue
		}
		x := vs.arrived(v, m.addr, m.message).Arrival
		m.content.Place, m.content.Commander = x.Place, x.Commander
		*x = m.content
	}
	for source, list := range followed {
		v.Arrivals[source] = append(v.Arrivals[source], list...)
	}
	return nil
}

// sealedBefore notes a commitment that stands before what was followed.
func (vs *views) sealedBefore(v *runView, at shadow.Place) {
	if v.Sealed.Sequence > at.Sequence {
		v.Sealed, v.Commitment = shadow.Place{}, nil
	}
	vs.sealed(v, at)
}

// loadOut reads the reports of a run, and whether it is scored.
func (e *Engine) loadOut(ctx context.Context, v *runView) error {
	for seq := uint64(1); ; {
		m, err := streams.Next(ctx, e.store.JS, layout.StreamOut, e.layout.Subject(shadow.GapReport, v.RunID, ">"), seq)
		if err != nil {
			return err
		}
		if m == nil {
			break
		}
		seq = m.Seq + 1
		a, err := e.layout.Parse(m.Subject)
		if err != nil {
			continue
		}
		if err := e.takeReport(v, shadow.Slot{Domain: a.Domain, Cycle: a.Cycle}, m); err != nil {
			return err
		}
	}
	scored, _, err := firstOwn(ctx, e.store.JS, e.layout.RunScored(v.RunID), e.cfg.Key)
	if scored != nil {
		e.views.locked(func() { e.views.finished(v) })
	}
	return err
}
