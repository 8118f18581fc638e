package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

// envelopeKey reads the curve keys that envelopes are encrypted to. sealedBy
// is the public key that sealed the newest envelope on the bus, or empty: a
// daemon without it could judge none of the runs that are under way.
//
// Where the configuration names no file, the key is in the data directory and
// created there once. A named file that is missing is an error, since a typing
// mistake must not lock every envelope away.
func envelopeKey(c *config.Config, sealedBy string) (key nkeys.KeyPair, created bool, err error) {
	file := c.EnvelopeKeyFile()
	const restore = "restore the key from its backup, or point keys.envelope at the key of the other daemons on this bus; docs/keys.md says what to do if it is lost"
	k, err := readKeys(file)
	if errors.Is(err, fs.ErrNotExist) {
		switch {
		case c.Keys.Envelope != "":
			return nil, false, hint.Usage(fmt.Errorf("keys.envelope: %w", err), "name the file with the curve seed, or leave keys.envelope empty to have one created in bus.data_dir")
		case sealedBy != "":
			return nil, false, hint.Failed(fmt.Errorf("envelope key: %s is missing, and the bus holds envelopes sealed by %s", file, sealedBy), restore)
		}
		created = true
		k, err = createEnvelopeKey(file)
	}
	if err != nil {
		return nil, false, fmt.Errorf("envelope key: %w", err)
	}
	ring, err := k.ring(file)
	if err != nil {
		return nil, false, fmt.Errorf("envelope key: %w", err)
	}
	if sealedBy == "" || ring.Holds(sealedBy) || slices.Contains(k.lost, sealedBy) {
		return ring, created, nil
	}
	public, err := ring.PublicKey()
	ring.Wipe()
	return nil, false, hint.Failed(errors.Join(fmt.Errorf("envelope key: %s holds %s, but the newest envelope on the bus was sealed by %s", file, public, sealedBy), err), restore)
}

// readEnvelopeKey reads the envelope key to open envelopes with; it never
// creates one.
func readEnvelopeKey(c *config.Config) (*shadow.Ring, error) {
	k, err := readKeys(c.EnvelopeKeyFile())
	if err != nil {
		return nil, fmt.Errorf("envelope key: %w", err)
	}
	ring, err := k.ring(c.EnvelopeKeyFile())
	if err != nil {
		return nil, fmt.Errorf("envelope key: %w", err)
	}
	return ring, nil
}

// ring makes the key of the seeds, the first of which seals.
func (k *keyFile) ring(file string) (*shadow.Ring, error) {
	if len(k.seeds) == 0 {
		return nil, fmt.Errorf("%s holds no curve seed (SX…)", file)
	}
	var all []nkeys.KeyPair
	for _, seed := range k.seeds {
		kp, err := nkeys.FromCurveSeed([]byte(seed))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, kp)
	}
	return shadow.NewRing(all[0], all[1:]...), nil
}

// signingKey reads the key that attestations are signed with, and creates it
// where envelopeKey would. signedBy is the id of the key that signed the
// newest attestation on the bus, or empty: whoever trusts that one would not
// believe what another key signs.
func signingKey(c *config.Config, signedBy string) (key ed25519.PrivateKey, created bool, err error) {
	file := c.SigningKeyFile()
	const restore = "restore the key from its backup, or point keys.signing at the key of the other daemons on this bus; docs/keys.md says what to do if it is lost"
	k, err := readKeys(file)
	if errors.Is(err, fs.ErrNotExist) {
		switch {
		case c.Keys.Signing != "":
			return nil, false, hint.Usage(fmt.Errorf("keys.signing: %w", err), "name the file with the signing key, or leave keys.signing empty to have one created in bus.data_dir")
		case signedBy != "":
			return nil, false, hint.Failed(fmt.Errorf("signing key: %s is missing, and the bus holds attestations signed by %s", file, signedBy), restore)
		}
		created = true
		k, err = createSigningKey(file)
	}
	if err != nil {
		return nil, false, fmt.Errorf("signing key: %w", err)
	}
	if k.signing == nil {
		return nil, false, fmt.Errorf("signing key: %s holds no PRIVATE KEY", file)
	}
	if signedBy != "" && !slices.Contains(k.signers(), signedBy) && !slices.Contains(k.lost, signedBy) {
		return nil, false, hint.Failed(fmt.Errorf("signing key: %s holds %s, but the newest attestation on the bus was signed by %s", file, k.signers()[0], signedBy), restore)
	}
	return k.signing, created, nil
}

// public are the signing keys that reports can be checked with, the one that
// signs now first.
func (k *keyFile) public() []ed25519.PublicKey {
	var all []ed25519.PublicKey
	if k.signing != nil {
		all = append(all, k.signing.Public().(ed25519.PublicKey))
	}
	return append(all, k.signed...)
}

// signers are the ids of those keys.
func (k *keyFile) signers() []string {
	var ids []string
	for _, public := range k.public() {
		ids = append(ids, attest.KeyID(public))
	}
	return ids
}

// readSigners reads the keys that reports may be signed with; nil if there is
// no such file. One that holds public keys alone will do.
func readSigners(c *config.Config) ([]ed25519.PublicKey, error) {
	keys, err := publicKeys(c.SigningKeyFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	return keys, nil
}

// createEnvelopeKey and createSigningKey store a new key, or read the one that
// somebody stored in the meantime.
func createEnvelopeKey(file string) (*keyFile, error) {
	seed, err := createKey(file, nkeys.CreateCurveKeys)
	if err != nil {
		return nil, err
	}
	defer wipe(seed)
	return parseKeys(file, seed)
}

func createSigningKey(file string) (*keyFile, error) {
	private, err := newSigning()
	if err != nil {
		return nil, err
	}
	text, err := (&keyFile{signing: private}).signingText()
	if err != nil {
		return nil, err
	}
	defer wipe(text)
	if err := createSecret(file, text); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return readKeys(file)
}
