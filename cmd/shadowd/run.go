package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
)

type runCmd struct {
	askFlags
	configFlag
	Standby bool `help:"Leave the work to another daemon of the bus and prefix: go on for it where it is gone for 6 seconds, and give back when it is there again."`
}

// configuration is that of the file, with the judges of the flag.
func (cmd runCmd) configuration(a *app) (*config.Config, error) {
	cfg, err := cmd.ProvideConfig(a)
	if err != nil {
		return nil, err
	}
	return cfg, cmd.apply(a, cfg)
}

func (cmd runCmd) Run(ctx context.Context, a *app) (err error) {
	cfg, err := cmd.configuration(a)
	if err != nil {
		return err
	}
	p, err := daemon.Check(cfg, a.Getenv)
	if err != nil {
		return err
	}
	recorded, err := cmd.record(p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, recorded()) }()
	level := new(slog.LevelVar)
	level.Set(daemon.LogLevel(cfg.Log.Level))
	log := a.logger(cfg.Log.Format, level)
	// Before the start: until there is somebody to hear it, the signal would end
	// the process.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	d, err := daemon.Start(ctx, p, log, version(), cmd.Standby)
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
