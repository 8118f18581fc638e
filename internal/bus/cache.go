package bus

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// VoteCache keeps what judges said in the bucket SHADOW_VOTES, encrypted like
// the envelopes, since a vote quotes the bundle and tells of the criterion. It
// is an aid: whatever is wrong with it costs the time that asking again takes,
// so nothing about it is ever an error.
type VoteCache struct {
	bucket jetstream.KeyValue
	key    nkeys.KeyPair
	log    *slog.Logger
}

// NewVoteCache is the cache of the store, for the holder of the envelope key.
func NewVoteCache(s *layout.Store, key nkeys.KeyPair, log *slog.Logger) *VoteCache {
	return &VoteCache{bucket: s.Votes, key: key, log: log}
}

// cacheTimeout is how long a vote may take to be found or kept.
const cacheTimeout = 2 * time.Second

// Vote finds a vote of a run; see [VoteCache.Keep].
func (c *VoteCache) Vote(ctx context.Context, run, key string) (shadow.Vote, bool) {
	ctx, cancel := context.WithTimeout(ctx, cacheTimeout)
	defer cancel()
	place := run + "." + key
	entry, err := c.bucket.Get(ctx, place)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return shadow.Vote{}, false
	}
	if err == nil {
		var v *shadow.Vote
		if v, err = shadow.DecryptVote(entry.Value(), place, c.key); err == nil {
			return *v, true
		}
	}
	c.failed("reading a vote", run, err)
	return shadow.Vote{}, false
}

// Keep stores a vote of a run. key is made of letters and digits. The place
// begins with the run, so that the votes of a run can be removed.
func (c *VoteCache) Keep(ctx context.Context, run, key string, v shadow.Vote) {
	ctx, cancel := context.WithTimeout(ctx, cacheTimeout)
	defer cancel()
	place := run + "." + key
	stored, err := shadow.EncryptVote(&v, place, c.key)
	if err == nil {
		_, err = c.bucket.Put(ctx, place, stored)
	}
	if err != nil {
		c.failed("keeping a vote", run, err)
	}
}

func (c *VoteCache) failed(doing, run string, err error) {
	c.log.Warn("the cache of votes failed, so a judge is asked instead", "while", doing, "run", run, "error", err)
}
