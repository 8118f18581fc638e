package play

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Watch hands the events of a run to show: those that are stored in the order of
// their time, and then each as it comes. It returns when the run is over: scored,
// or rejected with its decomposition. Where log names no run, it shows
// the newest one and all that follow, until ctx ends. absent is called if nothing of
// the run is stored yet, and ends it with its error, and look every now and then
// until the end.
func Watch(ctx context.Context, log history.Log, show func(history.Event) error, absent func() error, look func()) error {
	f := followed(ctx, log)
	defer f.stop()
	w := watched{run: log.Only, open: map[uint64]bool{}, shown: map[place]bool{}}
	stored, err := f.stored(ctx, &w)
	if err != nil {
		return err
	}
	for _, o := range stored {
		w.take(o)
	}
	if over, err := w.showNew(stored, show); err != nil || over {
		return err
	}
	if len(stored) == 0 {
		if err := absent(); err != nil {
			return err
		}
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			look()
		case o := <-f.events:
			if !w.concerns(o) {
				continue
			}
			w.take(o)
			if w.over(o) {
				return w.end(ctx, log, o, show)
			}
			if _, err := w.showNew([]history.Event{o}, show); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// following is a log that is followed until stop is called.
type following struct {
	events   chan history.Event
	caughtUp chan struct{}
	stop     func()
}

func followed(ctx context.Context, log history.Log) *following {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	f := &following{events: make(chan history.Event), caughtUp: make(chan struct{}), stop: func() { cancel(); <-ended }}
	go func() {
		defer close(ended)
		log.Follow(ctx, 1, func(o history.Event) {
			select {
			case f.events <- o:
			case <-ctx.Done():
			}
		}, func() { close(f.caughtUp) })
	}()
	return f
}

// stored gives what was stored until now and is to be shown, in the order of time.
func (f *following) stored(ctx context.Context, w *watched) (all []history.Event, err error) {
	for {
		select {
		case o := <-f.events:
			if w.concerns(o) {
				all = append(all, o)
			}
		case <-f.caughtUp:
			// An answer has a later time than what it answers, whatever stream it is in.
			slices.SortStableFunc(all, func(a, b history.Event) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Seq, b.Seq)) })
			return all, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// watched is the run that is watched, or all of them.
type watched struct {
	run    string
	sealed bool
	open   map[uint64]bool // decompositions without an answer, by their sequence in IN
	shown  map[place]bool  // of a run that is watched
}

// place is where an event is stored.
type place struct {
	shadow.Address
	seq uint64
}

// showNew shows events that were not shown yet, and tells whether one of them is the
// end of the run. A request may be stored behind it, if its fix came unasked.
func (w *watched) showNew(all []history.Event, show func(history.Event) error) (over bool, err error) {
	for _, o := range all {
		at := place{o.Address, o.Seq}
		if w.shown[at] {
			continue
		}
		if w.run != "" {
			w.shown[at] = true
		}
		if err := show(o); err != nil {
			return true, err
		}
		over = over || w.over(o)
	}
	return over, nil
}

// end shows the last event of the run, and before it what the other stream has not
// delivered yet.
func (w *watched) end(ctx context.Context, log history.Log, last history.Event, show func(history.Event) error) error {
	f := followed(ctx, log)
	defer f.stop()
	stored, err := f.stored(ctx, w)
	if err != nil {
		return err
	}
	_, err = w.showNew(append(stored, last), show)
	return err
}

// take notes what an event says of the decompositions of the run.
func (w *watched) take(o history.Event) {
	if w.run == "" {
		return // it never ends
	}
	switch o.Name {
	case shadow.DecompositionDone:
		w.open[o.Seq] = true
	case shadow.EnvelopeSealed:
		w.sealed = true
	case shadow.EventRejected:
		delete(w.open, o.Sequence)
		// The other content is that of a decomposition which may be on its way.
		if o.Payload.(*shadow.Rejection).Reason == shadow.OtherContent {
			w.sealed = true
		}
	}
}

// concerns says whether an event is to be shown.
func (w *watched) concerns(o history.Event) bool { return w.run == "" || o.Run == w.run }

// over says whether the run that is watched ends with an event. A decomposition
// that is rejected ends nothing where another one is sealed, or still may be.
func (w *watched) over(o history.Event) bool {
	switch {
	case w.run == "":
		return false
	case o.Name == shadow.EventRejected:
		return o.Author == layout.AuthorNexus && !w.sealed && len(w.open) == 0
	}
	return o.Name == shadow.RunScored
}
