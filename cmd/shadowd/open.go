package main

import (
	"context"
	"fmt"

	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// openCmd shows a sealed envelope.
type openCmd struct {
	ID     string `arg:"" name:"run" help:"The run."`
	Force  bool   `help:"Open the envelope though the run is not finished."`
	Reason string `placeholder:"TEXT" help:"Why, for the note."`
	Format string `enum:"text,json" default:"text" help:"text is for reading; json is the envelope as it was hashed."`
	configFlag
}

func (cmd openCmd) Run(ctx context.Context, a *app, b *openedBus) error {
	stored, key, err := b.envelope(ctx, "open", cmd.ID, cmd.Reason, cmd.Force)
	if err != nil {
		return err
	}
	e, err := shadow.Decrypt(stored, key)
	if err != nil {
		return hint.Failed(fmt.Errorf("opening the envelope of run %s: %w", cmd.ID, err), "shadowd audit "+cmd.ID+" says more")
	}
	if e.RunID != cmd.ID {
		a.Warn(fmt.Sprintf("this is the envelope of run %s: shadowd audit %s says more", shadow.Printable(e.RunID), cmd.ID))
	}
	if hash, err := e.Hash(); err != nil || hash != e.SealedHash {
		a.Warn("the envelope does not hash to its sealed_hash")
	}
	if cmd.Format == "json" {
		return a.JSON(map[string]any{"sealed_envelope": e})
	}
	return render.Envelope(a.Terminal(), e)
}
