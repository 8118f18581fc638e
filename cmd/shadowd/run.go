package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
)

type runCmd struct {
	judgeFlag
	configFlag
}

func (runCmd) Help() string {
	return `Runs the daemon until SIGINT or SIGTERM. On SIGHUP it reads its configuration again and takes over log.level and bus.users; it says which other changes need a restart, and keeps what it has if the file is wrong. Without bus.url it starts a NATS server of its own on bus.listen, with its files in bus.data_dir. --judge takes the place of judging.panel.

Examples:

    shadowd run
    shadowd run --judge openai:gpt-5-mini --judge anthropic:claude-sonnet-4-5 --judge ollama:qwen3:32b
    shadowd run --config config.yml
    SHADOWD_BUS_URL=nats://bus:4222 shadowd run`
}

// configuration is that of the file, with the judges of the flag.
func (cmd runCmd) configuration(a *app) (*config.Config, error) {
	cfg, err := cmd.ProvideConfig(a)
	if err != nil {
		return nil, err
	}
	return cfg, cmd.apply(a, cfg)
}

func (cmd runCmd) Run(ctx context.Context, a *app) error {
	cfg, err := cmd.configuration(a)
	if err != nil {
		return err
	}
	p, err := daemon.Check(cfg, a.Getenv)
	if err != nil {
		return err
	}
	level := new(slog.LevelVar)
	level.Set(daemon.LogLevel(cfg.Log.Level))
	log := a.logger(cfg.Log.Format, level)
	// Before the start: until there is somebody to hear it, the signal would end
	// the process.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	d, err := daemon.Start(ctx, p, log, version())
	if err != nil {
		if ctx.Err() != nil {
			return nil // stopped while starting
		}
		return err
	}
	for d.Wait(ctx, hangup) {
		d.Reload(ctx, func() (*config.Config, error) { return cmd.configuration(a) }, level)
	}
	log.Info("stopping")
	return d.Stop()
}
