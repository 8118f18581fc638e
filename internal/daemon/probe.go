package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/hint"
)

const (
	probeEvery   = 15 * time.Second
	probeTimeout = 5 * time.Second
)

// probe knows whether the bus stores what it is given. A connection and
// consumers say nothing of that: with a full disk they live on.
type probe struct {
	log    *slog.Logger
	failed atomic.Pointer[string]
}

// look stores something, and logs where that begins or ceases to work.
func (p *probe) look(ctx context.Context, store func(context.Context) error) {
	limited, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	err := store(limited)
	switch before := p.failed.Load(); {
	case ctx.Err() != nil:
	case err == nil && before != nil:
		p.failed.Store(nil)
		p.log.Info("the bus stores again")
	case err != nil && before == nil:
		line := fmt.Sprintf("the bus has stored nothing since %s: %s", time.Now().UTC().Format(time.RFC3339), err)
		p.failed.Store(&line)
		p.log.Error("the bus stores nothing; look at its disk and its servers", "error", err)
	}
}

// missing is a line if the last look failed.
func (p *probe) missing() []string {
	if line := p.failed.Load(); line != nil {
		return []string{*line}
	}
	return nil
}

// probing looks again and again while the daemon runs.
func (d *Daemon) probing() {
	p := &probe{log: d.log}
	if d.watch != nil {
		d.watch.probe.Store(p)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		tick := time.NewTicker(probeEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if d.nc.IsConnected() { // else that is what is said
					p.look(ctx, func(ctx context.Context) error { return bus.Probe(ctx, d.store) })
				}
			case <-ctx.Done():
				return
			}
		}
	})
	d.started("looking whether the bus stores", func(context.Context) error {
		cancel()
		ended.Wait()
		return nil
	})
}

// unwritable is the end of a daemon whose own server cannot write. Only a start
// mends that: its supervisor's, again and again until there is room.
func unwritable(dir, text string) error {
	return hint.Failed(fmt.Errorf("the embedded nats-server cannot store: %s", text),
		"make room on the disk of "+dir+" (bus.data_dir) and start shadowd again; nothing that was acknowledged is lost")
}

// broken is where the embedded server says that it cannot write; nil for ever
// on a bus of somebody else.
func broken(s *broker.Server) <-chan string {
	if s == nil {
		return nil
	}
	return s.Unwritable()
}
