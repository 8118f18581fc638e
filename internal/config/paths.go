package config

import (
	"path/filepath"

	"github.com/swarmspeed/shadowd/internal/keys"
)

// KeyPlace is where the key of a kind is kept.
func (c *Config) KeyPlace(kind keys.Kind) keys.Place {
	named := c.Keys.Envelope
	if kind == keys.Signing {
		named = c.Keys.Signing
	}
	return keys.At(kind, named, c.Bus.DataDir)
}

// KeyPlaces are the places of both keys.
func (c *Config) KeyPlaces() []keys.Place {
	return []keys.Place{c.KeyPlace(keys.Envelope), c.KeyPlace(keys.Signing)}
}

// OperatorKeyFile holds the nkey of the operator, by which the commands get
// into the account of the streams on the embedded server.
func (c *Config) OperatorKeyFile() string { return filepath.Join(c.Bus.DataDir, "operator.nk") }
