package main

import (
	"context"

	"github.com/swarmspeed/shadowd/internal/daemon"
)

type runCmd struct {
	judgeFlag
	configFlag
}

func (runCmd) Help() string {
	return `Runs the daemon until SIGINT or SIGTERM. Without bus.url it starts a NATS server of its own on bus.listen, with its files in bus.data_dir. --judge takes the place of judging.panel.

Examples:

    shadowd run
    shadowd run --judge openai:gpt-5-mini --judge anthropic:claude-sonnet-4-5 --judge ollama:qwen3:32b
    shadowd run --config config.yml
    SHADOWD_BUS_URL=nats://bus:4222 shadowd run`
}

func (cmd runCmd) Run(ctx context.Context, a *app) error {
	cfg, err := cmd.load(a)
	if err != nil {
		return err
	}
	if err := cmd.apply(a, cfg); err != nil {
		return err
	}
	p, err := daemon.NewParticipants(cfg, a.Getenv)
	if err != nil {
		return err
	}
	log := newLogger(a.Stderr, cfg.Log)
	d, err := daemon.Start(ctx, p, log, version())
	if err != nil {
		if ctx.Err() != nil {
			return nil // stopped while starting
		}
		return err
	}
	d.Wait(ctx)
	log.Info("stopping")
	return d.Stop()
}
