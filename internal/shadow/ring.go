package shadow

import (
	"fmt"

	"github.com/nats-io/nkeys"
)

// Ring is an envelope key that was rotated: it seals with its first key, and
// [Decrypt] opens what any of its keys has sealed. In all else it is its first key.
type Ring struct {
	nkeys.KeyPair
	all []nkeys.KeyPair
}

// NewRing makes a ring of curve keys. Wiping it wipes them all.
func NewRing(first nkeys.KeyPair, older ...nkeys.KeyPair) *Ring {
	return &Ring{first, append([]nkeys.KeyPair{first}, older...)}
}

// Wipe forgets the secrets of all keys.
func (r *Ring) Wipe() {
	for _, key := range r.all {
		key.Wipe()
	}
}

// Holds says whether the ring has the secret of a public curve key.
func (r *Ring) Holds(public string) bool {
	key, err := holder(r, public)
	return key != nil && err == nil
}

// holder finds the pair of a public key in key, which may be a ring; nil if
// it is not there.
func holder(key nkeys.KeyPair, public string) (nkeys.KeyPair, error) {
	for _, k := range pairs(key) {
		pub, err := k.PublicKey()
		if err != nil {
			return nil, fmt.Errorf("envelope key: %w", err)
		}
		if pub == public {
			return k, nil
		}
	}
	return nil, nil
}

// pairs are the keys of key, which may be a ring.
func pairs(key nkeys.KeyPair) []nkeys.KeyPair {
	if r, ok := key.(*Ring); ok {
		return r.all
	}
	return []nkeys.KeyPair{key}
}
