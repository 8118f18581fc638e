package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
)

// Progress is how far shadowd has come. It is stored each second, and can only be
// too low: every event of IN up to Events has its outcome, and Runs is the oldest
// commitment whose run is not scored.
type Progress struct {
	Events uint64 `json:"events"`
	Runs   uint64 `json:"runs"`
	// Out is the end of OUT. A stream that ends before it has lost outputs.
	Out uint64 `json:"out"`
}

// floorKey is where it stands in the bucket of envelopes.
const floorKey = reservedPrefix + "floor"

// Floor reads how far shadowd has come.
func Floor(ctx context.Context, js jetstream.JetStream) (p Progress, err error) {
	kv, err := js.KeyValue(ctx, layout.BucketEnvelopes)
	var entry jetstream.KeyValueEntry
	if err == nil {
		entry, err = kv.Get(ctx, floorKey)
	}
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(entry.Value(), &p)
	}
	if err != nil {
		err = fmt.Errorf("reading how far shadowd has come: %w", err)
	}
	return p, err
}

// Whole says whether IN holds all that shadowd has come through. Its error wraps
// [streams.ErrTruncated] where it was cut.
func Whole(ctx context.Context, s *layout.Store) error {
	f, err := Floor(ctx, s.JS)
	if err != nil {
		return err
	}
	info, err := s.In.Info(ctx)
	if err != nil {
		return fmt.Errorf("stream %s: %w", layout.StreamIn, err)
	}
	return streams.CheckEnd(layout.StreamIn, info.State.LastSeq, f.Events)
}

// Lag is how full a stream is, and how far shadowd is behind it.
type Lag struct {
	Stream          string
	Messages, Bytes uint64 // in IN an event counts as [layout.MinEventBytes] at least
	MaxBytes        int64  // -1 is no bound
	Pending         uint64 // from the first event that has no outcome to the last
}

// Lags asks the bus how full IN and OUT are, and how far shadowd is behind IN.
func Lags(ctx context.Context, s *layout.Store) (lags []Lag, err error) {
	floor, err := Floor(ctx, s.JS)
	if err != nil {
		return nil, err
	}
	for _, stream := range []jetstream.Stream{s.In, s.Out} {
		info, err := stream.Info(ctx)
		if err != nil {
			return lags, fmt.Errorf("asking for the state of a stream: %w", err)
		}
		l := Lag{Stream: info.Config.Name, Messages: info.State.Msgs, Bytes: info.State.Bytes, MaxBytes: info.Config.MaxBytes}
		if l.Stream == layout.StreamIn {
			l.Bytes = layout.InUsed(info.State)
			l.Pending = info.State.LastSeq - min(floor.Events, info.State.LastSeq)
		}
		lags = append(lags, l)
	}
	return lags, nil
}
