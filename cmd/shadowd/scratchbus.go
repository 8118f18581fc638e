package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
)

// scratchBus is a whole shadowd in this process, on a bus of its own in a new
// temporary directory that no other process can reach.
type scratchBus struct {
	*daemon
	stop   context.CancelFunc
	served chan error
}

// startScratch starts a scratch bus with the protocol settings of cfg.
func startScratch(ctx context.Context, cfg Config, name string, log *slog.Logger) (*scratchBus, error) {
	dir, err := os.MkdirTemp("", name+"-")
	if err != nil {
		return nil, err
	}
	prefix := cfg.Bus.Prefix
	cfg.Bus = Default().Bus
	cfg.Bus.DataDir, cfg.Bus.Listen, cfg.Bus.Prefix = dir, "", prefix
	cfg.Keys = Keys{}
	d, err := startDaemon(ctx, &cfg, log)
	if err != nil {
		return nil, fmt.Errorf("starting a bus in %s: %w", dir, err)
	}
	serving, stop := context.WithCancel(ctx)
	s := &scratchBus{daemon: d, stop: stop, served: make(chan error, 1)}
	go func() { s.served <- d.serve(serving) }()
	return s, nil
}

// end stops it and waits. With keep the directory stays for whoever wants to
// look: only where the user is told its name.
func (s *scratchBus) end(keep bool) error {
	s.stop()
	err := <-s.served
	s.close()
	if !keep {
		err = errors.Join(err, os.RemoveAll(s.cfg.Bus.DataDir))
	}
	return err
}
