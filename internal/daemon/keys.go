package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// keys reads the daemon's own keys, or creates them at the first start. What
// the bus holds must be theirs, and the bus is claimed for them.
func (d *Daemon) keys(ctx context.Context) (nkeys.KeyPair, *attest.Signer, error) {
	newest, err := bus.NewestEnvelope(ctx, d.store)
	if err != nil {
		return nil, nil, err
	}
	envelope, err := d.key(ctx, keys.Envelope, shadow.SealedBy(newest), "a new envelope key was created; back it up: without it sealed envelopes cannot be opened")
	if err != nil {
		return nil, nil, err
	}
	key, err := envelope.Ring()
	if err != nil {
		return nil, nil, err
	}
	d.started("keys", func(context.Context) error {
		key.Wipe()
		return nil
	})
	signedBy, err := bus.NewestSigner(ctx, d.store, key)
	if err != nil {
		return nil, nil, err
	}
	signing, err := d.key(ctx, keys.Signing, signedBy, "a new signing key was created; back it up, and give its public key (shadowd keys public) to those who check reports")
	if err != nil {
		return nil, nil, err
	}
	signer, err := signing.Signer()
	return key, signer, err
}

// key opens or creates a key and claims the bus for it. Last is the id of the
// key by which the newest thing on the bus was made, or empty. A rotated key has
// a claim of the one before it.
func (d *Daemon) key(ctx context.Context, kind keys.Kind, newestID, createdNote string) (*keys.Set, error) {
	claim, err := bus.Claimed(ctx, d.store, string(kind))
	if err != nil {
		return nil, err
	}
	if newestID == "" {
		newestID = claim.ID // nothing is made yet, but another daemon may be about to
	}
	place := d.cfg.KeyPlace(kind)
	k, created, err := place.Open(newestID)
	if err != nil {
		return nil, err
	}
	if created {
		d.log.Warn(createdNote, "file", place.String())
	}
	err = bus.ClaimKey(ctx, d.store, string(kind), k.IDs(kind)[0], claim)
	if errors.Is(err, bus.ErrClaimed) {
		err = hint.Failed(err, fmt.Sprintf("copy the %s key of that daemon to %s; docs/keys.md says how", kind, place))
	}
	return k, err
}
