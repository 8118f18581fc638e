package main

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/play"
)

// connect connects to the bus to play on.
func (cmd replayCmd) connect(ctx context.Context, a *app, cfg *config.Config, authors []string) (*play.Bus, error) {
	log := a.logger(cfg.Log.Format, slog.LevelError)
	if cmd.Server != "" {
		connecting, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		nc, err := daemon.Connect(connecting, cfg, cmd.Server, "shadowd replay", log)
		if err != nil {
			return nil, err
		}
		js, err := jetstream.New(nc)
		return &play.Bus{JS: js, Where: nc.ConnectedUrlRedacted(), Close: func(bool) error { return daemon.Disconnect(context.Background(), nc) }}, err
	}
	judges, err := cmd.judges(cfg)
	if err == nil {
		err = offBus(judges)
	}
	if err != nil {
		return nil, err
	}
	p, err := daemon.NewOffline(cfg, judges, a.Getenv)
	if err != nil {
		return nil, err
	}
	p.Config().ShadowScoring.Hardening.Timeout = cmd.HardeningTimeout
	if names := daemon.LeftOut(cfg, judges); len(names) > 0 {
		a.Warn("not asked here, and so left out: " + strings.Join(names, ", ") + "; --judge panel asks the judges of judging.panel")
	}
	return daemon.Scratch(ctx, p, "shadowd-replay", authors, log)
}
