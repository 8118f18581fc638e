package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/play"
	"github.com/swarmspeed/shadowd/internal/render"
)

// watchCmd shows a run while it is under way.
type watchCmd struct {
	ID     string `arg:"" name:"run" optional:"" help:"The run. Without it, the newest run and all that follow are shown until you interrupt."`
	Wait   bool   `help:"Wait for a run that is not on the bus yet."`
	Format string `enum:"text,json" default:"text" help:"text is a line for each event; json is the events themselves, one a line."`
	configFlag
}

func (cmd watchCmd) Run(ctx context.Context, a *app, b *openedBus) error {
	if cmd.ID != "" {
		if err := b.CheckRun(cmd.ID); err != nil {
			return b.explain(err, cmd.ID)
		}
	}
	// Nobody watches a bus without streams.
	_, err := b.js.Stream(ctx, layout.StreamIn)
	if err != nil {
		return b.explain(err, "")
	}
	log := history.Log{Subjects: b.Subjects, JS: b.js, Logger: a.logger(b.cfg.Log.Format, slog.LevelError), Only: cmd.ID, Whole: true}
	show, look := cmd.show(ctx, a, b.cfg)
	err = play.Watch(ctx, log, show, func() error {
		switch {
		case cmd.ID == "":
			a.Warn("no run is on the bus yet; waiting")
		case cmd.Wait:
			a.Warn("nothing of run " + cmd.ID + " is on the bus yet; waiting")
		default:
			return hint.Failed(fmt.Errorf("there is no run %s on %s", cmd.ID, b.nc.ConnectedUrlRedacted()), runsHint+"; --wait waits for one that is not there yet")
		}
		return nil
	}, look)
	if cmd.ID == "" && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // an interrupt is how it ends
	}
	return err
}

// show prints an event. look prints for which judges bundles wait, where a daemon
// of this configuration can be asked.
func (cmd watchCmd) show(ctx context.Context, a *app, cfg *config.Config) (show func(history.Event) error, look func()) {
	if cmd.Format == "json" {
		e := render.NewEncoder(a.Stdout)
		return func(o history.Event) error { return e.Encode(o.Cloud) }, func() {}
	}
	live := render.NewLive(a.Terminal(), false)
	live.Head = func(o history.Event) string {
		at := o.Time.Local().Format(time.TimeOnly)
		if cmd.ID == "" {
			at += fmt.Sprintf("  %-16s", o.Run)
		}
		return at
	}
	return live.Event, func() {
		if s, err := askStatus(ctx, cfg); err == nil {
			live.Waits(s.Judges)
		}
	}
}
