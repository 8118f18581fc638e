package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/schemas"
)

// openedBus is a bus that is read and not written to.
type openedBus struct {
	cfg    *config.Config
	nc     *nats.Conn
	js     jetstream.JetStream
	layout bus.Layout
}

// busPatience is how long a command waits for a bus that does not answer.
const busPatience = 3 * time.Second

const startHint = "start one with: shadowd run, or name another bus with bus.url or SHADOWD_BUS_URL"

// openBus connects to the bus of the configuration: bus.url, or the embedded
// server of a shadowd that runs on bus.listen.
func openBus(ctx context.Context, a *app, f configFlag) (*openedBus, error) {
	cfg, err := f.load(a)
	if err != nil {
		return nil, err
	}
	url := cfg.Bus.URL
	if url == "" {
		if _, port, _ := net.SplitHostPort(cfg.Bus.Listen); port == "0" {
			return nil, hint.Usage(errors.New("bus.listen has port 0, so where the daemon listens is not known"), "set SHADOWD_BUS_URL to the bus that its log names")
		}
		url = cfg.Bus.LocalURL()
	}
	connecting, cancel := context.WithTimeout(ctx, busPatience)
	defer cancel()
	log := newLogger(a.Stderr, config.Log{Level: "error", Format: cfg.Log.Format})
	nc, err := connectBus(connecting, cfg, url, "shadowd", log)
	if err != nil {
		if errors.Is(err, nats.ErrNoServers) {
			err = hint.Failed(err, startHint)
		}
		return nil, err
	}
	b := &openedBus{cfg: cfg, nc: nc, layout: bus.Layout{Prefix: cfg.Bus.Prefix}}
	if b.js, err = bus.JetStream(nc); err != nil {
		nc.Close()
		return nil, fmt.Errorf("using JetStream: %w", err)
	}
	return b, nil
}

func (b *openedBus) close() { b.nc.Close() }

// read hands every message that is stored by now on some subjects of a stream
// to take, in order, and returns when there are no more. One consumer reads
// them all, however many there are.
func (b *openedBus) read(ctx context.Context, stream string, subjects []string, take func(output) error) error {
	err := bus.ReadStream(ctx, b.js, stream, subjects, func(m bus.Stored) error {
		if o, ok := readOutput(b.layout, m); ok {
			return take(o)
		}
		return nil
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
		return hint.Failed(fmt.Errorf("there is no stream %s on %s: no shadowd has run there", stream, b.nc.ConnectedUrlRedacted()), startHint)
	}
	return err
}

// run reads a run with all its outputs.
func (b *openedBus) run(ctx context.Context, name string) (*trackedRun, error) {
	if _, err := b.layout.Parse(b.layout.RunScored(name)); err != nil {
		return nil, hint.Usage(fmt.Errorf("%.80q cannot be the name of a run: names are 1 to 64 letters, digits, - and _", name), "shadowd runs lists the runs on the bus")
	}
	t := newTracker()
	var decompositions []output
	take := func(o output) error {
		if o.Addr.Name == shadow.DecompositionDone {
			decompositions = append(decompositions, o)
			return nil
		}
		if err := schemas.Validate(o.Addr.Name, o.Event.Data()); err != nil {
			return fmt.Errorf("message %d on %s: %w", o.Seq, o.Subject, err)
		}
		return t.heard(o)
	}
	if err := b.read(ctx, bus.StreamIn, []string{b.layout.Decomposition(name), b.layout.Commitment(name)}, take); err != nil {
		return nil, err
	}
	if err := b.read(ctx, bus.StreamOut, b.layout.RunOutputs(name), take); err != nil {
		return nil, err
	}
	r := t.runs[name]
	if r == nil && len(decompositions) > 0 {
		return nil, hint.Failed(fmt.Errorf("run %s is not sealed, so nothing of it was judged", name), "shadowd runs says what has become of it")
	}
	if r == nil {
		return nil, hint.Failed(fmt.Errorf("there is no run %s on %s", name, b.nc.ConnectedUrlRedacted()), "shadowd runs lists the runs on the bus")
	}
	for _, o := range decompositions {
		if r.Commitment != nil && shadow.Digest(o.Event.Data()) == r.Commitment.DecompositionDigest {
			if in, err := shadow.Decode(shadow.DecompositionDone, o.Event.Data()); err == nil {
				r.Decomposition = in.(*shadow.Decomposition)
			}
		}
	}
	return r, nil
}
