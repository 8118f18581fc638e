package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// Keys of the bucket of envelopes that belong to no run: no run id has a dot.
const (
	reservedPrefix = "shadowd."
	claimPrefix    = reservedPrefix + "key." // of [Claim]
	probeKey       = reservedPrefix + "probe"
	floorKey       = reservedPrefix + "floor" // of [Progress]
)

// Probe fails if the bus cannot store: its disk is full, say, there is no OUT, or IN has no
// room for the largest event. It returns the bytes used in IN and their limit, 0 for none.
func Probe(ctx context.Context, s *layout.Store) (used, limit int64, err error) {
	if _, err := s.Envelopes.Put(ctx, probeKey, nil); err != nil {
		return 0, 0, fmt.Errorf("the bus stores nothing: %w", layout.Unstored(err))
	}
	in, err := s.JS.Stream(ctx, layout.StreamIn)
	if err != nil {
		return 0, 0, fmt.Errorf("asking how full IN is: %w", err)
	}
	if _, err := s.JS.Stream(ctx, layout.StreamOut); errors.Is(err, jetstream.ErrStreamNotFound) {
		return 0, 0, errors.New("OUT is gone, so no output can be stored: restore IN, OUT and SHADOW_ENVELOPES from one backup, or start shadowd again, which makes OUT and what it can derive anew")
	}
	info := in.CachedInfo()
	used, limit = int64(layout.InUsed(info.State)), max(info.Config.MaxBytes, 0)
	if largest := int64(info.Config.MaxMsgSize); limit > 0 && used+largest > limit {
		err = fmt.Errorf("IN is full: %d of %d bytes (bus.max_bytes) are used by %d events, each of which counts as %d at least; that leaves no room for an event of %d (limits.event_bytes), and soon none for a seal; set bus.max_bytes higher and start shadowd again",
			used, limit, info.State.Msgs, layout.MinEventBytes, largest)
	}
	return used, limit, err
}

// Claim says which key of a kind, "envelope" or "signing", the daemons of a bus use: two
// that start on a fresh bus must not make one each.
type Claim struct {
	ID       string // empty: there is none
	revision uint64
}

// ErrClaimed: another daemon has claimed the bus for another key.
var ErrClaimed = errors.New("another daemon on this bus uses another key")

// Claimed returns the claim for a kind of key.
func Claimed(ctx context.Context, s *layout.Store, kind string) (Claim, error) {
	entry, err := s.Envelopes.Get(ctx, claimPrefix+kind)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return Claim{}, nil
	case err != nil:
		return Claim{}, fmt.Errorf("reading which %s key this bus has: %w", kind, err)
	}
	return Claim{string(entry.Value()), entry.Revision()}, nil
}

// ClaimKey claims the bus for a key, in place of the claim that was read before.
// Its error is ErrClaimed where another daemon was first with another key.
func ClaimKey(ctx context.Context, s *layout.Store, kind, id string, before Claim) error {
	for before.ID != id {
		_, err := s.Envelopes.Update(ctx, claimPrefix+kind, []byte(id), before.revision)
		if err == nil {
			return nil
		}
		if !hasCode(err, jetstream.JSErrCodeStreamWrongLastSequence) && !hasCode(err, jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
			return fmt.Errorf("claiming the bus for %s key %s: %w", kind, id, err)
		}
		if before, err = Claimed(ctx, s, kind); err != nil {
			return err
		}
		if before.ID != id && before.ID != "" {
			return fmt.Errorf("%s key: %w: %s, and this one has %s", kind, ErrClaimed, before.ID, id)
		}
		if err := pause(ctx, conflictPause); err != nil { // a cluster may refuse it before the other one can be read
			return err
		}
	}
	return nil
}

// isReserved says whether a subject of the bucket is that of no run.
func isReserved(subject string) bool {
	return strings.HasPrefix(subject, "$KV."+layout.BucketEnvelopes+"."+reservedPrefix)
}

// Progress is how far shadowd has come. It is stored each second, and can only be too low.
type Progress struct {
	Events uint64 `json:"events"` // all up to it have their outcome
	Runs   uint64 `json:"runs"`   // the oldest commitment whose run is not scored
	Out    uint64 `json:"out"`    // the end of OUT
}

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
