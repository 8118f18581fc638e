package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// Keys of the bucket of envelopes that belong to no run: no run id has a dot.
const (
	reservedPrefix = "shadowd."
	// claimPrefix begins the entries that say which keys the daemons of the bus
	// use.
	claimPrefix = reservedPrefix + "key."
	probeKey    = reservedPrefix + "probe"
)

// Probe stores a small value in the place of the one before. It fails if the bus
// cannot store: its disk is full, say, or it has no majority. It returns how many
// bytes IN has used and how many it may use, 0 without a bound. It also fails if
// IN has no room for an event of the largest size.
func Probe(ctx context.Context, s *layout.Store) (used, limit int64, err error) {
	if _, err := s.Envelopes.Put(ctx, probeKey, nil); err != nil {
		return 0, 0, fmt.Errorf("the bus stores nothing: %w", layout.Unstored(err))
	}
	in, err := s.JS.Stream(ctx, layout.StreamIn)
	if err != nil {
		return 0, 0, fmt.Errorf("asking how full IN is: %w", err)
	}
	info := in.CachedInfo()
	used, limit = int64(layout.InUsed(info.State)), max(info.Config.MaxBytes, 0)
	if largest := int64(info.Config.MaxMsgSize); limit > 0 && used+largest > limit {
		err = fmt.Errorf("IN is full: %d of %d bytes (bus.max_bytes) are used by %d events, each of which counts as %d at least; that leaves no room for an event of %d (limits.event_bytes), and soon none for a seal; set bus.max_bytes higher and start shadowd again",
			used, limit, info.State.Msgs, layout.MinEventBytes, largest)
	}
	return used, limit, err
}

// Claim says which key of a kind, "envelope" or "signing", the daemons of a
// bus use. Without it, two daemons that start on a fresh bus would each make a
// key, and neither could judge the runs of the other.
type Claim struct {
	ID string
	// revision of the entry; 0 if there is none.
	revision uint64
}

// ErrClaimed: another daemon has claimed the bus for another key.
var ErrClaimed = errors.New("another daemon on this bus uses another key")

// Claimed returns the claim for a kind of key, whose id is empty if there is
// none.
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
func ClaimKey(ctx context.Context, s *layout.Store, kind, id string, before Claim) (err error) {
	for before.ID != id {
		if before.revision == 0 {
			_, err = s.Envelopes.Create(ctx, claimPrefix+kind, []byte(id))
		} else {
			_, err = s.Envelopes.Update(ctx, claimPrefix+kind, []byte(id), before.revision)
		}
		if !errors.Is(err, jetstream.ErrKeyExists) && !errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
			if err != nil {
				err = fmt.Errorf("claiming the bus for %s key %s: %w", kind, id, err)
			}
			return err
		}
		if before, err = Claimed(ctx, s, kind); err != nil {
			return err
		}
		if before.ID != id && before.ID != "" {
			return fmt.Errorf("%s key: %w: %s, and this one has %s", kind, ErrClaimed, before.ID, id)
		}
		if before.ID == "" { // a cluster may refuse the second claim before the first can be read
			if err := pause(ctx, claimPause); err != nil {
				return err
			}
		}
	}
	return nil
}

// claimPause is the wait for a claim of another daemon that cannot be read yet.
const claimPause = 50 * time.Millisecond

// isReserved says whether a subject of the bucket is that of no run.
func isReserved(subject string) bool {
	return strings.HasPrefix(subject, "$KV."+layout.BucketEnvelopes+"."+reservedPrefix)
}
