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
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// judgeCmd tells how well judges judge.
type judgeCmd struct {
	Calibrate string `placeholder:"FILE" help:"Labelled examples, a JSON object a line; - reads standard input."`
	Format    string `enum:"text,json" default:"text" help:"text or json."`
	judgeFlag
	configFlag
}

func (judgeCmd) Help() string {
	return `Puts labelled examples to judges: to those of --judge, or else to all of judging.panel and to rules, which are the checks of those criteria that have one (--judge rules names them too). It says how often each is right, passes what is bad and fails what is good, with 95 % intervals, by category; how far the judges agree; and what it took. Nothing is stored. Models are asked, which costs tokens: one request an example and judge. Services are reached over the bus of the configuration.

An example is a line, about a criterion or about an item of an assignment:

    {"criterion": {"assertion": "…", "expected": "…", "category": "edge_case", "check": "…"}, "bundle": {"content": "…"}, "label": "pass"}
    {"item": {"kind": "deliverable", "text": "A runbook"}, "bundle": "…", "label": "fail", "task": "…"}

Of a criterion only the assertion is required: "criterion" may be that text alone, "item" the text of a sub-task, and "bundle" the text of a bundle. "task" says what the work was to do, and may be left out. The label is pass or fail.

Exit codes: 0 every model and service had a vote, 1 one of them had none at all, or it failed, 2 wrong usage.

Examples:

    shadowd judge --calibrate docs/examples/calibrate.jsonl
    shadowd judge --calibrate examples.jsonl --judge openai:gpt-5-mini --judge ollama:qwen3:32b
    shadowd judge --calibrate examples.jsonl --judge panel --judge rules --format json | jq '.judges[].overall'`
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
	judges, err := cmd.connected(ctx, a, p)
	if err != nil {
		return err
	}
	asking, end := a.Progress(ctx)
	c, err := calibrate.Run(asking, examples, judges, rules, panel.Config{
		Timeout: cfg.Judging.Timeout, Concurrency: cfg.Concurrency(), PerRequest: cfg.Judging.ItemsPerRequest, Logger: slog.New(slog.DiscardHandler),
	})
	end()
	if err != nil {
		return err
	}
	if cmd.Format == "json" {
		err = a.JSON(c)
	} else {
		err = render.Calibration(a.Terminal(), c)
	}
	return errors.Join(err, c.Err())
}

// connected makes the judges, over the bus where one of them is a service.
func (cmd judgeCmd) connected(ctx context.Context, a *app, p *daemon.Participants) ([]shadow.Judge, error) {
	var l *daemon.Link
	if slices.ContainsFunc(p.Config().Judging.Panel, func(j config.Participant) bool { return j.Service != "" }) {
		b, err := cmd.ProvideBus(ctx, a)
		if err != nil {
			return nil, err
		}
		if l, err = b.link(a); err != nil {
			return nil, err
		}
	}
	return p.Judges(l)
}
