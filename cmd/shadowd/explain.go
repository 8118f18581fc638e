package main

import (
	"context"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/render"
)

// explainCmd explains to the operator how a bundle was judged.
type explainCmd struct {
	ID     string `arg:"" name:"run" help:"The run."`
	Domain string `arg:"" help:"The domain whose bundle is explained."`
	Cycle  *int   `placeholder:"N" help:"Explain the submission of this cycle instead of the one that stands: 0 is the bundle, 1 the first fix."`
	Force  bool   `help:"Open the envelope though the run is not finished."`
	configFlag
}

func (cmd explainCmd) Run(ctx context.Context, a *app, b *openedBus) error {
	r, err := b.run(ctx, a, cmd.ID)
	if err != nil {
		return err
	}
	s, err := history.Choose(r, cmd.Domain, cmd.Cycle)
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
