package play

import (
	"cmp"
	"context"
	"encoding/json"
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
	w := watched{run: log.Only}
	var stored []history.Output
	for caughtUp != nil {
		select {
		case o := <-events:
			stored = append(stored, o)
		case <-caughtUp:
			caughtUp = nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	// An answer has a later time than what it answers, whatever stream it is in.
	slices.SortStableFunc(stored, func(a, b history.Output) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Seq, b.Seq)) })
	stored = slices.DeleteFunc(stored, func(o history.Output) bool { return !w.concerns(&o) })
	w.sealed = slices.ContainsFunc(stored, func(o history.Output) bool { return o.Name == shadow.EnvelopeSealed })
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
			if !w.concerns(&o) {
				continue
			}
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
}

// concerns says whether an event is to be shown. A rejection gets the run that
// its data names.
func (w *watched) concerns(o *history.Output) bool {
	if o.Name == shadow.EventRejected {
		var rej shadow.Rejection
		if json.Unmarshal(o.Event.Data(), &rej) != nil {
			return false
		}
		o.Run = rej.RunID
	}
	return w.run == "" || o.Run == w.run
}

// over says whether the run that is watched ends with an event. A decomposition
// that is rejected ends nothing where another one is sealed.
func (w *watched) over(o history.Output) bool {
	if w.run == "" {
		return false
	}
	switch o.Name {
	case shadow.EnvelopeSealed:
		w.sealed = true
	case shadow.RunScored, shadow.RunForgotten:
		return true
	case shadow.EventRejected:
		return o.Author == layout.AuthorNexus && !w.sealed
	}
	return false
}
