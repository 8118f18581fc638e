package main

import (
	"context"
	"time"

	"github.com/swarmspeed/shadowd/internal/config"
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

// startTimeout bounds a start, and with it the wait for a bus that is not
// there yet. flushTimeout bounds the last flush of a connection.
const (
	startTimeout = 2 * time.Minute
	flushTimeout = 5 * time.Second
)

func (cmd runCmd) Run(ctx context.Context, a *app) error {
	cfg, err := cmd.load(a)
	if err != nil {
		return err
	}
	if err := cmd.apply(a, cfg); err != nil {
		return err
	}
	v, err := newVoices(cfg, a.Getenv)
	if err != nil {
		return err
	}
	log := newLogger(a.Stderr, cfg.Log)
	starting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	d, err := startDaemon(starting, v, log)
	if err != nil {
		if ctx.Err() != nil {
			return nil // stopped while starting
		}
		return err
	}
	defer d.close()
	d.announce()
	err = d.serve(ctx)
	log.Info("stopping")
	return err
}

// announce says where things are and what the reports of this daemon are
// worth.
func (d *daemon) announce() {
	at := d.nc.ConnectedUrlRedacted()
	if d.server != nil {
		at = d.server.ClientURL()
		if !d.server.Walled() {
			d.log.Warn("development mode: any client may publish every input and read every report without credentials, so reports claim conformance level 1; name users in bus.users to end it", "listen", at)
		}
	}
	var authors []string
	for _, a := range d.cfg.Seal.Authors {
		authors = append(authors, a.DisplayName())
	}
	judges := []string{config.BuiltIn}
	for _, j := range d.cfg.Judging.Panel {
		judges = append(judges, j.DisplayName())
	}
	d.log.Info("ready", "bus", at, "prefix", d.store.Prefix, "authors", authors, "judges", judges, "version", version())
	if !d.cfg.Gates.Enforce {
		d.log.Warn("observe mode: every gate says proceed")
	}
}
