package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus"
)

const (
	probeEvery   = 15 * time.Second
	probeTimeout = 5 * time.Second
)

// stores knows whether the bus stores what it is given. A connection and
// consumers say nothing of that: with a full disk they live on.
type stores struct{ failed atomic.Pointer[string] }

// look stores something, and logs where that begins or ceases to work.
func (s *stores) look(ctx context.Context, log *slog.Logger, store func(context.Context) error) {
	limited, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	err := store(limited)
	switch before := s.failed.Load(); {
	case ctx.Err() != nil:
	case err == nil && before != nil:
		s.failed.Store(nil)
		log.Info("the bus stores again")
	case err != nil && before == nil:
		line := fmt.Sprintf("the bus has stored nothing since %s: %s", time.Now().UTC().Format(time.RFC3339), err)
		s.failed.Store(&line)
		log.Error("the bus stores nothing; look at its disk and its servers", "error", err)
	}
}

// missing is a line if the last look failed.
func (s *stores) missing() []string {
	if line := s.failed.Load(); line != nil {
		return []string{*line}
	}
	return nil
}

// probe looks again and again whether the bus stores, while the daemon runs.
func (d *Daemon) probe(ctx context.Context) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if d.nc.IsConnected() { // else that is what is said
				d.watch.stores.look(ctx, d.log, func(ctx context.Context) error { return bus.Probe(ctx, d.store) })
			}
		case <-ctx.Done():
			return
		}
	}
}
