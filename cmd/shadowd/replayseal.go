package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
)

// sealPatience is how long a seal takes at most where authors ask nobody, and
// how long a replay waits before it doubts that a shadowd is listening.
const sealPatience = 30 * time.Second

// sealLimit is how long a seal is waited for. Authors write one after the
// other. Those of another bus are not known: there may be one at least.
func (cmd replayCmd) sealLimit(cfg *config.Config) time.Duration {
	if cmd.Wait > 0 {
		return cmd.Wait
	}
	if cmd.Server == "" {
		return sealPatience
	}
	n := 0
	for _, a := range cfg.Seal.Authors {
		if !a.Offline() {
			n++
		}
	}
	return sealPatience + time.Duration(max(n, 1))*cfg.Seal.Timeout
}

// awaitSeal waits for the seal of a run, and says so where it takes long.
func awaitSeal(ctx context.Context, a *app, p *player, run string, limit time.Duration) error {
	sealed := func() bool { return p.tracker.sealed(run) }
	first := min(limit, sealPatience)
	err := p.until(ctx, first, sealed)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && limit > first {
		a.Warn(fmt.Sprintf("run %s is not sealed after %s; authors that are models take minutes, so it is waited for until %s have passed", run, first, limit))
		err = p.until(ctx, limit-first, sealed)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return hint.Failed(fmt.Errorf("run %s was not sealed within %s", run, limit), "is a shadowd running on this bus? start one with: shadowd run; if its authors take longer, use --wait")
	}
	return err
}
