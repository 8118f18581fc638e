package main

import (
	"context"

	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/review"
)

// explainCmd explains to the operator how a bundle was judged.
type explainCmd struct {
	ID     string `arg:"" name:"run" help:"The run."`
	Domain string `arg:"" help:"The domain whose bundle is explained."`
	Cycle  *int   `placeholder:"N" help:"Explain the submission of this cycle instead of the one that stands: 0 is the bundle, 1 the first fix."`
	Force  bool   `help:"Open the envelope though the run is not finished."`
	configFlag
}

func (explainCmd) Help() string {
	return `Opens the envelope of a finished run, with the envelope key of the configuration, judges the stored bundle once more and shows criterion by criterion what was asked, what was found and where, what the commander was told, and what consensus should do. What it prints is sealed text: for the operator's eyes. That it was opened is recorded first, as envelope-opened on the bus. While a run is under way it refuses, since whoever reads the envelope before the end defeats the seal.

Examples:

    shadowd explain my-run testing
    shadowd explain my-run testing --cycle 0 | less -R`
}

func (cmd explainCmd) Run(ctx context.Context, a *app, b *openedBus) error {
	r, err := b.run(ctx, a, cmd.ID)
	if err != nil {
		return err
	}
	s, err := review.Choose(r, cmd.Domain, cmd.Cycle)
	if err != nil {
		return err
	}
	if s.Opened, err = b.opened(ctx, "explain", r, "explain "+cmd.Domain, cmd.Force); err != nil {
		return err
	}
	if err := s.Judge(ctx, b.js); err != nil {
		return err
	}
	return render.Explain(a.Terminal(), s)
}
