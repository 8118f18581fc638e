package main

import (
	"context"
	"errors"
	"slices"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/render"
)

// runsCmd lists the runs on the bus.
type runsCmd struct {
	State  []history.RunState `enum:"waiting,hardening,scored,incomplete,rejected" placeholder:"STATE" help:"List the runs in these states only, separated by commas."`
	Limit  int                `placeholder:"N" help:"List the newest N runs only."`
	Format string             `enum:"text,json" default:"text" help:"text is a table; json is an object for each run, one a line."`
	configFlag
}

func (cmd runsCmd) Run(ctx context.Context, a *app, b *openedBus) error {
	if cmd.Limit < 0 {
		return hint.Usage(errors.New("--limit: a number of runs is not negative"), "leave it out to list all")
	}
	reading, end := a.Progress(ctx)
	runs, err := history.List(reading, b.Subjects, b.js)
	end()
	if err != nil {
		return b.explain(ctx, err, "")
	}
	if len(cmd.State) > 0 {
		runs = slices.DeleteFunc(runs, func(r *history.Summary) bool { return !slices.Contains(cmd.State, r.State) })
	}
	if cmd.Limit > 0 {
		runs = runs[:min(len(runs), cmd.Limit)]
	}
	if cmd.Format == "text" {
		return render.Runs(a.Terminal(), runs)
	}
	e := render.NewEncoder(a.Stdout)
	for _, r := range runs {
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return nil
}
