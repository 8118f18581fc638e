package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/calibrate"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/input"
	"github.com/swarmspeed/shadowd/internal/panel"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// judgeCmd tells how well judges judge.
type judgeCmd struct {
	Calibrate string   `required:"" placeholder:"FILE" help:"Labelled examples, a JSON object a line; - reads standard input. The word log takes the reviews of people in the log: with --judge, judges are asked about them, and else the votes of the runs are compared with them."`
	Judge     []string `sep:"none" placeholder:"MODEL" help:"Who is tried, in the place of judging.panel: words as for replay. May be repeated."`
	Format    string   `enum:"text,json" default:"text" help:"text or json."`
	configFlag
}

func (cmd judgeCmd) Run(ctx context.Context, a *app, cfg *config.Config) error {
	if cmd.Calibrate == "log" {
		return cmd.reviews(ctx, a)
	}
	text, err := input.Text(cmd.Calibrate, a.Stdin)
	if err != nil {
		return hint.Usage(err, "")
	}
	examples, err := calibrate.Read(cmd.Calibrate, text)
	if err != nil {
		return hint.Usage(err, "docs/judging.md says how to write examples")
	}
	return cmd.ask(ctx, a, cfg, examples)
}

// reviews takes the examples from the log.
func (cmd judgeCmd) reviews(ctx context.Context, a *app) error {
	b, err := cmd.ProvideBus(ctx, a)
	if err != nil {
		return err
	}
	reviewed, err := history.Reviewed(ctx, b.Subjects, b.js, b.signers...)
	if err != nil {
		return err
	}
	var all []calibrate.Example
	for _, s := range reviewed {
		all = append(all, calibrate.FromReview(s)...)
	}
	switch {
	case len(all) == 0:
		return hint.Failed(errors.New("nobody has reviewed an item yet"), "shadowd review RUN DOMAIN takes a verdict on each item that is open")
	case len(cmd.Judge) == 0:
		return printAs(a, cmd.Format, calibrate.Stored(all), render.Calibration)
	}
	examples := calibrate.Asked(all)
	if len(examples) == 0 {
		return errors.New("no judge can be asked: the reviews are of criteria, which are sealed, or of bundles that are no longer stored")
	}
	return cmd.ask(ctx, a, b.cfg, examples)
}

// ask puts examples to the judges.
func (cmd judgeCmd) ask(ctx context.Context, a *app, cfg *config.Config, examples []calibrate.Example) error {
	if err := (askFlags{Judge: cmd.Judge}).apply(a, cfg); err != nil {
		return err
	}
	if len(cfg.Judging.Panel) == 0 {
		return hint.Usage(errors.New("no judge is named"), judgeHint)
	}
	p, err := daemon.NewParticipants(cfg, a.Getenv, nil, cfg.Judging.Panel)
	if err != nil {
		return err
	}
	c, err := calibrate.Run(ctx, examples, p.Judges, panel.Config{
		Timeout: cfg.Judging.Timeout, Concurrency: cfg.Concurrency(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	return errors.Join(printAs(a, cmd.Format, c, render.Calibration), c.Err())
}

type sealCmd struct {
	File   string   `arg:"" help:"Events as replay takes them, or a decomposition as JSON; - reads standard input."`
	DryRun bool     `help:"Print criteria and seal nothing. Without it the command refuses."`
	Author []string `sep:"none" placeholder:"MODEL" help:"Who writes hidden criteria beside those on items, in the place of seal.authors: a model as for replay, or recorded:FILE. May be repeated."`
	configFlag
}

func (cmd sealCmd) Run(ctx context.Context, a *app, cfg *config.Config) error {
	if !cmd.DryRun {
		return hint.Usage(errors.New("only the daemon seals: criteria that somebody has seen are no secret"),
			"to see what it might write: shadowd seal --dry-run FILE")
	}
	if err := (askFlags{Author: cmd.Author}).apply(a, cfg); err != nil {
		return err
	}
	p, err := daemon.NewParticipants(cfg, a.Getenv, cfg.Seal.Authors, nil)
	if err != nil {
		return err
	}
	decompositions, err := input.Decompositions(cmd.File, a.Stdin)
	if err != nil {
		return hint.Usage(err, `a file of events as "shadowd replay" takes it, one decomposition-done event, or its data alone: {"run_id", "task", "domains": […]}`)
	}
	t, settings := a.Terminal(), cfg.Settings("legacy")
	for i, d := range decompositions {
		e, err := shadow.Seal(ctx, d.Decomposition, shadow.SealInput{
			Settings: &settings, Files: p.Files, Authors: p.Authors, Notices: d.Notices, Now: time.Unix(0, 0), Rand: rand.Reader,
		})
		if err != nil {
			return fmt.Errorf("run %s: %w", d.RunID, err)
		}
		draft := &render.Draft{Run: d.Decomposition, Envelope: e, Judges: len(cfg.Judging.Panel)}
		if i > 0 {
			t.Printf("\n")
		}
		if err := draft.Text(t); err != nil {
			return err
		}
	}
	return nil
}
