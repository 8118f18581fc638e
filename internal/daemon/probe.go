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

// storageCheck knows whether the bus can store. The connection and the
// consumers do not show that: they work with a full disk too.
type storageCheck struct {
	failed      atomic.Pointer[string]
	used, limit atomic.Int64 // bytes of IN
}

// in is how many bytes IN holds and may hold.
func (s *storageCheck) in() (used, limit int64) { return s.used.Load(), s.limit.Load() }

// check stores something, and logs where that begins or ceases to work.
func (s *storageCheck) check(ctx context.Context, log *slog.Logger, store func(context.Context) error) {
	limited, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	err := store(limited)
	if err != nil && limited.Err() != nil {
		err = fmt.Errorf("the bus needs more than %s to store a trial: is its disk slow?", probeTimeout)
	}
	switch before := s.failed.Load(); {
	case ctx.Err() != nil:
	case err == nil && before != nil:
		s.failed.Store(nil)
		log.Info("the bus stores again")
	case err != nil && before == nil:
		line := fmt.Sprintf("since %s %s", time.Now().UTC().Format(time.RFC3339), err)
		s.failed.Store(&line)
		log.Error("the bus does not store", "error", err)
	}
}

// missing is a line if the last look failed.
func (s *storageCheck) missing() []string {
	if line := s.failed.Load(); line != nil {
		return []string{*line}
	}
	return nil
}

// probeOnce tries whether the bus stores, and whether IN has room.
func (d *Daemon) probeOnce(ctx context.Context) error {
	used, limit, err := bus.Probe(ctx, d.store)
	d.watch.storage.used.Store(used)
	d.watch.storage.limit.Store(limit)
	return err
}

// probe looks again and again whether the bus stores, while the daemon runs.
func (d *Daemon) probe(ctx context.Context) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		if d.nc.IsConnected() { // else that is what is said
			d.watch.storage.check(ctx, d.log, d.probeOnce)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
