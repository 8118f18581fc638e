package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/swarmspeed/shadowd/internal/calibrate"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/panel"
	"github.com/swarmspeed/shadowd/internal/render"
)

// judgeCmd tells how well judges judge.
type judgeCmd struct {
	Calibrate string `placeholder:"FILE" help:"Labelled examples, a JSON object a line; - reads standard input."`
	Format    string `enum:"text,json" default:"text" help:"text or json."`
	judgeFlag
	configFlag
}

func (cmd judgeCmd) Run(ctx context.Context, a *app, cfg *config.Config) error {
	if cmd.Calibrate == "" {
		return hint.Usage(errors.New("nothing to do"), "name labelled examples: shadowd judge --calibrate FILE.jsonl; docs/judging.md says how to write them")
	}
	var err error
	rules := len(cmd.Judge) == 0 || slices.Contains(cmd.Judge, config.BuiltIn)
	others := slices.DeleteFunc(slices.Clone(cmd.Judge), func(w string) bool { return w == config.BuiltIn })
	if len(others) > 0 {
		err = judgeFlag{others}.apply(a, cfg)
	} else if len(cmd.Judge) > 0 {
		cfg.Judging.Panel = nil // rules alone
	}
	if err != nil {
		return err
	}
	text, err := input.Text(cmd.Calibrate, a.Stdin)
	if err != nil {
		return hint.Usage(err, "")
	}
	examples, err := calibrate.Read(cmd.Calibrate, text)
	if err != nil {
		return hint.Usage(err, "docs/judging.md says how to write examples")
	}
	p, err := daemon.NewParticipants(cfg, a.Getenv, nil, cfg.Judging.Panel)
	if err != nil {
		return err
	}
	asking, end := a.Progress(ctx)
	c, err := calibrate.Run(asking, examples, p.Judges(), rules, panel.Config{
		Timeout: cfg.Judging.Timeout, Concurrency: cfg.Concurrency(), PerRequest: cfg.Judging.ItemsPerRequest, Logger: slog.New(slog.DiscardHandler),
	})
	end()
	if err != nil {
		return err
	}
	return errors.Join(printAs(a, cmd.Format, c, render.Calibration), c.Err())
}
