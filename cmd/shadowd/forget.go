package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
)

// forgetCmd erases a finished run.
type forgetCmd struct {
	ID     string `arg:"" name:"run" help:"The run."`
	Reason string `placeholder:"TEXT" help:"Why, for the note."`
	configFlag
}

func (forgetCmd) Help() string {
	return `Erases a finished run for good: its envelope, what the swarm published of it and what shadowd said about it. A signed note of counts and hashes, run-forgotten, stays on the bus with the record of openings; shadowd audit accepts it in the run's place. The name of the run cannot be used again. If it is interrupted, do it again: it goes on where it stopped. Copies that readers, backups or mirrors have are not touched.

Examples:

    shadowd forget my-run
    shadowd forget my-run --reason "the bundles held customer data"`
}

func (cmd forgetCmd) Run(ctx context.Context, a *app) error {
	b, err := openBus(ctx, a, cmd.configFlag)
	if err != nil {
		return err
	}
	defer b.close()
	if err := b.CheckRun(cmd.ID); err != nil {
		return b.explain(err, cmd.ID)
	}
	o := b.operator()
	signing, err := b.cfg.KeyPlace(keys.Signing).Read()
	if err == nil {
		o.Signer, err = signing.Signer()
	}
	if err != nil {
		return hint.Failed(err, "the note of a forgotten run is signed, so forget needs the signing key: "+keysHere+", or set SHADOWD_SIGNING_KEY")
	}
	note, err := o.Forget(ctx, cmd.ID, cmd.Reason)
	switch {
	case errors.Is(err, bus.ErrNotFinished):
		return hint.Failed(fmt.Errorf("run %s is not finished", cmd.ID), "wait for its end: shadowd runs says what it waits for")
	case errors.Is(err, bus.ErrNoRun):
		return b.explain(err, cmd.ID)
	case err != nil:
		return hint.Failed(fmt.Errorf("forgetting run %s: %w", cmd.ID, err), "do it again: it goes on where it stopped")
	}
	var what []string
	for _, name := range slices.Sorted(maps.Keys(note.Erased)) {
		what = append(what, fmt.Sprint(note.Erased[name], " ", name))
	}
	_, err = fmt.Fprintf(a.Stdout, "Run %s is forgotten: its envelope, %s.\nThe note names sealed hash %s.\n", cmd.ID, strings.Join(what, ", "), note.SealedHash)
	return err
}
