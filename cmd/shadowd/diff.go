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

func (diffCmd) Help() string {
	return `Shows what changed from one run to another: of each domain the score, the level, how much was read and what the gate says, and by category how many criteria were not passed. The last report of each domain counts. Criteria are drawn anew for each run, so they are counted and not compared one by one. It shows no sealed text.

Examples:

    shadowd diff run-1 run-2
    shadowd diff run-1 run-2 --format json | jq '.domains[] | select(.after.score.failed > .before.score.failed)'`
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
	d := review.Compare(before, after)
	if cmd.Format == "json" {
		return a.JSON(d)
	}
	return render.Diff(a.Terminal(), d)
}
