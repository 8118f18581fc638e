package config

import (
	"net"
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

// LocalURL is where a command on the same machine finds the embedded server.
func (b *Bus) LocalURL() string {
	host, port, err := net.SplitHostPort(b.Listen)
	if err != nil {
		return "nats://" + b.Listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "nats://" + net.JoinHostPort(host, port)
}
