package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// auditCmd re-derives what is stored of runs.
type auditCmd struct {
	ID     string `arg:"" name:"run" optional:"" help:"The run."`
	All    bool   `help:"Audit all runs, and what belongs to none."`
	Format string `enum:"text,json" default:"text" help:"text lists the findings; json is one document with them."`
	configFlag
}

func (cmd auditCmd) Run(ctx context.Context, a *app) error {
	if (cmd.ID == "") != cmd.All {
		return hint.Usage(errors.New("audit what? name a run, or say --all"), runsHint)
	}
	b, err := cmd.ProvideBus(ctx, a)
	if err != nil {
		return err
	}
	var runs []string
	if !cmd.All {
		if err := b.CheckRun(cmd.ID); err != nil {
			return b.explain(ctx, err, cmd.ID)
		}
		runs = []string{cmd.ID}
	}
	key, err := b.ring("audit")
	if err != nil {
		return err
	}
	signers, err := b.cfg.KeyPlace(keys.Signing).Public()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("signing key: %w", err)
	}
	if signers == nil {
		a.Warn("the signing key is not here, so signatures are not checked: set SHADOWD_SIGNING_KEY to its file, or to what shadowd keys public prints")
	}
	auditing, end := a.Progress(ctx)
	found, err := bus.Audit(auditing, b.Subjects, b.js, key, signers, runs...)
	end()
	if err != nil {
		return fmt.Errorf("auditing %s: %w", b.nc.ConnectedUrlRedacted(), err)
	}
	if !cmd.All && found.Runs == 0 && found.Events == 0 {
		return b.explain(ctx, history.ErrNoRun, cmd.ID)
	}
	err = printAs(a, cmd.Format, found, render.Audit)
	if err == nil && found.Errors > 0 {
		err = hint.Failed(errors.New(shadow.Count(found.Errors, "error")+" in what is stored"), "docs/audit.md explains each finding")
	}
	return err
}
