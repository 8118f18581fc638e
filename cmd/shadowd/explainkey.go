package main

import (
	"bytes"
	"fmt"

	"github.com/nats-io/nkeys"
)

// readEnvelopeKey reads the envelope key to open envelopes with; it never
// creates one.
func readEnvelopeKey(c *Config) (nkeys.KeyPair, error) {
	file := c.envelopeKeyFile()
	seed, err := readSecret(file)
	if err != nil {
		return nil, fmt.Errorf("envelope key: %w", err)
	}
	defer wipe(seed)
	key, err := nkeys.FromCurveSeed(bytes.TrimSpace(seed))
	if err != nil {
		return nil, fmt.Errorf("envelope key: %s holds no curve seed (SX…): %w", file, err)
	}
	return key, nil
}
