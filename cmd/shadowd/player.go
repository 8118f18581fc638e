package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus"
)

// player publishes events as a swarm does and follows what comes of them.
type player struct {
	js jetstream.JetStream
	// authors are the connections of those who have their own; js publishes
	// for the others.
	authors map[string]jetstream.JetStream
	layout  bus.Layout
	tracker *tracker
	heard   <-chan output
	// show is told every output, in the order of arrival.
	show func(output) error
}

// newPlayer makes a player for some runs. It listens until ctx ends.
func newPlayer(ctx context.Context, js jetstream.JetStream, l bus.Layout, runs []string, show func(output) error) (*player, error) {
	heard, err := outputs(ctx, js, l, runs)
	if err != nil {
		return nil, err
	}
	return &player{js: js, layout: l, tracker: newTracker(), heard: heard, show: show}, nil
}

// publish stores one event in IN and notes it.
func (p *player) publish(ctx context.Context, subject string, ev []byte) error {
	msg := &nats.Msg{Subject: subject, Data: ev, Header: nats.Header{"Content-Type": {"application/cloudevents+json"}}}
	addr, err := p.layout.Parse(subject)
	if err != nil {
		addr = bus.Address{}
	}
	js := p.authors[addr.Author]
	if js == nil {
		js = p.js
	}
	ack, err := js.PublishMsg(ctx, msg)
	if err != nil {
		return fmt.Errorf("publishing on %s: %w", subject, err)
	}
	var body struct{ Data json.RawMessage }
	if decoded, err := bus.Decode(msg.Header, ev); err == nil {
		body.Data = decoded.Data()
	}
	p.tracker.sent(ack.Sequence, addr, body.Data)
	return p.drain()
}

// drain takes in what has arrived.
func (p *player) drain() error {
	for {
		select {
		case o := <-p.heard:
			if err := p.take(o); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

func (p *player) take(o output) error {
	if o.Addr.Sequence != 0 && !p.tracker.mine[o.Addr.Sequence] {
		return nil // the rejection of somebody else's event
	}
	if err := p.tracker.heard(o); err != nil {
		return err
	}
	return p.show(o)
}

// until takes in outputs until cond holds. With a limit it gives up after it.
func (p *player) until(ctx context.Context, limit time.Duration, cond func() bool) error {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	for !cond() {
		select {
		case o := <-p.heard:
			if err := p.take(o); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return p.drain()
}

// asJSON shows outputs as the stored events, one a line.
func asJSON(w io.Writer) func(output) error {
	return func(o output) error {
		_, err := w.Write(append(o.Raw[:len(o.Raw):len(o.Raw)], '\n'))
		return err
	}
}
