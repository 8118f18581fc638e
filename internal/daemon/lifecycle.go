package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// lifecycle is a stack of what has been started. stop undoes it in reverse.
type lifecycle struct{ steps []step }

type step struct {
	name string
	stop func(ctx context.Context) error
}

// started notes how to stop what runs now. stop should return when its context
// ends.
func (l *lifecycle) started(name string, stop func(ctx context.Context) error) {
	l.steps = append(l.steps, step{name, stop})
}

// background runs work, and waits for its end when its context is ended to stop it.
func (l *lifecycle) background(name string, work func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		work(ctx)
	}()
	l.started(name, func(context.Context) error {
		cancel()
		<-ended
		return nil
	})
}

// stop stops everything, last started first, within one budget of time. A step
// that takes longer is left behind, and those below it get no time of their
// own: they give up at once what they would wait for. A second call does
// nothing.
func (l *lifecycle) stop(budget time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), budget)
	defer cancel()
	var errs []error
	for i := len(l.steps) - 1; i >= 0; i-- {
		s := l.steps[i]
		done := make(chan error, 1)
		go func() { done <- s.stop(ctx) }()
		var err error
		select {
		case err = <-done:
		case <-ctx.Done():
			select {
			case err = <-done:
			case <-time.After(grace):
				err = fmt.Errorf("not within %s", budget)
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("stopping %s: %w", s.name, err))
		}
	}
	l.steps = nil
	return errors.Join(errs...)
}

// grace is what a step has to return after the budget is spent.
const grace = 100 * time.Millisecond
