package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/render"
)

// forgetCmd erases a finished run.
type forgetCmd struct {
	ID     string `arg:"" name:"run" help:"The run."`
	Reason string `placeholder:"TEXT" help:"Why, for the note."`
	Yes    bool   `help:"Do not ask."`
	configFlag
}

func (cmd forgetCmd) Run(ctx context.Context, a *app, b *openedBus) error {
	if err := b.CheckRun(cmd.ID); err != nil {
		return b.explain(ctx, err, cmd.ID)
	}
	if err := cmd.ask(a); err != nil {
		return err
	}
	o := b.operator()
	var err error
	if o.Key, err = b.ring("forget"); err != nil {
		return err
	}
	signing, err := b.cfg.KeyPlace(keys.Signing).Read()
	if err == nil {
		o.Signer, err = signing.Signer()
	}
	if err != nil {
		return hint.Failed(err, "the note of a forgotten run is signed, so forget needs the signing key: "+keysHint+", or set SHADOWD_SIGNING_KEY")
	}
	note, removed, err := o.Forget(ctx, cmd.ID, cmd.Reason)
	switch {
	case errors.Is(err, bus.ErrNotFinished):
		return hint.Failed(fmt.Errorf("run %s is not finished", cmd.ID), "wait for its end: shadowd runs says what it waits for")
	case errors.Is(err, history.ErrNoRun):
		return b.explain(ctx, err, cmd.ID)
	case errors.Is(err, bus.ErrMayNotErase):
		return hint.Failed(fmt.Errorf("run %s is left as it is: %w", cmd.ID, err), "put the stream back without it (nats stream backup, nats stream rm, nats stream restore --config), or let bus.max_age remove the run")
	case err != nil:
		return hint.Failed(fmt.Errorf("forgetting run %s: %w", cmd.ID, err), "do it again: it goes on where it stopped")
	}
	var what []string
	for _, name := range slices.Sorted(maps.Keys(note.Erased)) {
		what = append(what, fmt.Sprint(note.Erased[name], " ", name))
	}
	t := a.Terminal()
	t.Printf("Run %s is forgotten: its envelope, %s.\nThe note names sealed hash %s.\n", t.Paint(render.Bold, cmd.ID), strings.Join(what, ", "), note.SealedHash)
	if removed == 0 {
		t.Printf("The server has overwritten it in its files; backups and readers' copies are not touched.\n")
	} else {
		t.Printf("It had so many messages that %d were not overwritten: they are in the server's files until it compacts those. Backups and readers' copies are not touched.\n", removed)
	}
	return t.Err()
}

// ask lets a person type the name of the run before it is gone.
func (cmd forgetCmd) ask(a *app) error {
	if cmd.Yes {
		return nil
	}
	if !render.IsTerminal(a.Stdin) {
		return hint.Usage(fmt.Errorf("forgetting run %s cannot be undone", cmd.ID), "add --yes")
	}
	if _, err := fmt.Fprintf(a.Stdout, "Run %s will be erased for good. Type its name: ", cmd.ID); err != nil {
		return err
	}
	if line, err := bufio.NewReader(a.Stdin).ReadString('\n'); err != nil || strings.TrimSpace(line) != cmd.ID {
		return hint.Failed(fmt.Errorf("that is not its name: run %s is left as it is", cmd.ID), "")
	}
	return nil
}
