package main

import (
	"context"
	"fmt"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus"
)

// output is one of shadowd's events as it is stored.
type output struct {
	Subject string
	Seq     uint64
	Time    time.Time // when it was stored
	Addr    bus.Address
	Event   event.Event
	Raw     []byte // the whole event, structured JSON
}

// outputs delivers what shadowd has said and will say about some runs, and
// every rejection from now on, until ctx ends. Each stream keeps its order.
func outputs(ctx context.Context, js jetstream.JetStream, l bus.Layout, runs []string) (<-chan output, error) {
	var sealed, said []string
	for _, run := range runs {
		sealed = append(sealed, l.Commitment(run))
		said = append(said, l.RunOutputs(run)...)
	}
	ch := make(chan output, 64)
	for _, c := range []struct {
		stream string
		config jetstream.OrderedConsumerConfig
	}{
		{bus.StreamIn, jetstream.OrderedConsumerConfig{FilterSubjects: sealed}},
		{bus.StreamOut, jetstream.OrderedConsumerConfig{FilterSubjects: said}},
		{bus.StreamOut, jetstream.OrderedConsumerConfig{FilterSubjects: []string{l.Rejections()}, DeliverPolicy: jetstream.DeliverNewPolicy}},
	} {
		if len(c.config.FilterSubjects) == 0 {
			continue
		}
		consumer, err := js.OrderedConsumer(ctx, c.stream, c.config)
		if err != nil {
			return nil, fmt.Errorf("reading %s: is a shadowd set up on this bus?: %w", c.stream, err)
		}
		consuming, err := consumer.Consume(func(m jetstream.Msg) {
			meta, err := m.Metadata()
			if err != nil {
				return
			}
			o, ok := readOutput(l, bus.Stored{Subject: m.Subject(), Header: m.Headers(), Data: m.Data(), Sequence: meta.Sequence.Stream, Time: meta.Timestamp.UTC()})
			if !ok {
				return
			}
			select {
			case ch <- o:
			case <-ctx.Done():
			}
		})
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", c.stream, err)
		}
		context.AfterFunc(ctx, consuming.Stop)
	}
	return ch, nil
}

// readOutput decodes a stored output. What is none is passed over: on a bus
// without an account wall, anybody can write there.
func readOutput(l bus.Layout, m bus.Stored) (output, bool) {
	o := output{Subject: m.Subject, Seq: m.Sequence, Time: m.Time, Raw: m.Data}
	var err error
	if o.Addr, err = l.Parse(o.Subject); err != nil {
		return output{}, false
	}
	o.Event, err = bus.Decode(m.Header, m.Data)
	return o, err == nil
}
