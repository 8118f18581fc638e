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

// Watch hands the events of a run to show: the stored ones in the order of time, then each as it comes, until the run is
// scored or rejected. Where log names no run, it is the newest one and all that follow, until ctx ends. absent is
// called if nothing is stored yet, and ends it with its error; look every now and then.
func Watch(ctx context.Context, log history.Log, show func(history.Event) error, absent func() error, look func()) error {
	ctx, cancel := context.WithCancel(ctx)
	events, caughtUp, ended := make(chan history.Event), make(chan struct{}), make(chan struct{})
	defer func() { cancel(); <-ended }()
	go func() {
		defer close(ended)
		log.Follow(ctx, 1, func(o history.Event) {
			select {
			case events <- o:
			case <-ctx.Done():
			}
		}, func() { close(caughtUp) })
	}()
	w := watched{run: log.Only}
	stored, err := w.stored(ctx, events, caughtUp)
	if err != nil {
		return err
	}
	over := false
	for _, o := range stored {
		if err := show(o); err != nil {
			return err
		}
		over = over || w.over(o)
	}
	if over {
		return nil
	}
	if len(stored) == 0 {
		if err := absent(); err != nil {
			return err
		}
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var last history.Event // once the run is over
	var quiet <-chan time.Time
	for {
		select {
		case <-tick.C:
			look()
		case o := <-events:
			if !w.concerns(o) {
				continue
			}
			if w.take(o); w.over(o) {
				last, quiet = o, time.After(otherStream)
			} else if err := show(o); err != nil {
				return err
			}
		case <-quiet:
			return show(last)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// otherStream is how long the last event of a run waits for the other stream's, which are shown before it.
const otherStream = 200 * time.Millisecond

// watched is the run that is watched, or all of them.
type watched struct {
	run    string
	sealed bool
	open   int // decompositions without an answer
}

// stored gives what was stored until now and is to be shown, in the order of time.
func (w *watched) stored(ctx context.Context, events <-chan history.Event, caughtUp <-chan struct{}) (all []history.Event, err error) {
	for {
		select {
		case o := <-events:
			if w.concerns(o) {
				w.take(o)
				all = append(all, o)
			}
		case <-caughtUp:
			// An answer has a later time than what it answers, whatever stream it is in.
			slices.SortStableFunc(all, func(a, b history.Event) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Seq, b.Seq)) })
			return all, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take notes what an event says of the decompositions of the run.
func (w *watched) take(o history.Event) {
	switch o.Name {
	case shadow.DecompositionDone:
		w.open++
	case shadow.EnvelopeSealed:
		w.sealed = true
	case shadow.EventRejected:
		if o.Author == layout.AuthorNexus {
			w.open--
		}
		// The other content is that of a decomposition which may be on its way.
		if rej, ok := o.Payload.(*shadow.Rejection); ok && rej.Reason == shadow.OtherContent {
			w.sealed = true
		}
	}
}

// concerns says whether an event is to be shown.
func (w *watched) concerns(o history.Event) bool { return w.run == "" || o.Run == w.run }

// over says whether an event ends the run. A rejected decomposition ends nothing where another one may be sealed.
func (w *watched) over(o history.Event) bool {
	if o.Name == shadow.EventRejected {
		return w.run != "" && o.Author == layout.AuthorNexus && !w.sealed && w.open <= 0
	}
	return w.run != "" && o.Name == shadow.RunScored
}
