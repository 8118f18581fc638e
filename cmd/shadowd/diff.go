package main

import (
	"context"

	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/review"
)

// diffCmd compares two runs.
type diffCmd struct {
	Before string `arg:"" help:"The earlier run."`
	After  string `arg:"" help:"The later run."`
	Format string `enum:"text,json" default:"text" help:"text or json."`
	configFlag
}

func (cmd diffCmd) Run(ctx context.Context, a *app, b *openedBus) error {
	before, err := b.run(ctx, a, cmd.Before)
	if err != nil {
		return err
	}
	after, err := b.run(ctx, a, cmd.After)
	if err != nil {
		return err
	}
	return printAs(a, cmd.Format, review.Compare(before, after), render.Diff)
}
