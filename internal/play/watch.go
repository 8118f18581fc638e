package play

import (
	"cmp"
	"context"
	"slices"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Watch hands the events of a run to show: those that are stored in the order of
// their time, and then each as it comes. It returns when the run is over: scored,
// forgotten, or rejected with its decomposition. Where log names no run, it shows
// the newest one and all that follow, until ctx ends. waiting is called if
// nothing of the run is stored yet.
func Watch(ctx context.Context, log history.Log, show func(history.Output) error, waiting func()) error {
	ctx, stop := context.WithCancel(ctx)
	events, caughtUp, ended := make(chan history.Output), make(chan struct{}), make(chan struct{})
	defer func() { stop(); <-ended }()
	go func() {
		defer close(ended)
		log.Follow(ctx, 1, func(o history.Output) {
			select {
			case events <- o:
			case <-ctx.Done():
			}
		}, func() { close(caughtUp) })
	}()
	w := watched{run: log.Only, open: map[uint64]bool{}}
	var stored []history.Output
	for caughtUp != nil {
		select {
		case o := <-events:
			if w.concerns(o) {
				stored = append(stored, o)
			}
		case <-caughtUp:
			caughtUp = nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	// An answer has a later time than what it answers, whatever stream it is in.
	slices.SortStableFunc(stored, func(a, b history.Output) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Seq, b.Seq)) })
	for _, o := range stored {
		w.take(o)
	}
	for _, o := range stored {
		if err := show(o); err != nil || w.over(o) {
			return err
		}
	}
	if len(stored) == 0 {
		waiting()
	}
	for {
		select {
		case o := <-events:
			if !w.concerns(o) {
				continue
			}
			w.take(o)
			if err := show(o); err != nil || w.over(o) {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// watched is the run that is watched, or all of them.
type watched struct {
	run    string
	sealed bool
	open   map[uint64]bool // decompositions without an answer, by their sequence in IN
}

// take notes what an event says of the decompositions of the run.
func (w *watched) take(o history.Output) {
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
		if o.Rejection.Reason == shadow.OtherContent {
			w.sealed = true
		}
	}
}

// concerns says whether an event is to be shown.
func (w *watched) concerns(o history.Output) bool { return w.run == "" || o.Run == w.run }

// over says whether the run that is watched ends with an event. A decomposition
// that is rejected ends nothing where another one is sealed, or still may be.
func (w *watched) over(o history.Output) bool {
	switch {
	case w.run == "":
		return false
	case o.Name == shadow.EventRejected:
		return o.Author == layout.AuthorNexus && !w.sealed && len(w.open) == 0
	}
	return o.Name == shadow.RunScored || o.Name == shadow.RunForgotten
}
