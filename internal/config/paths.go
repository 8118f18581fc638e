package config

import (
	"net"
	"path/filepath"
)

// EnvelopeKeyFile is the file of the envelope key.
func (c *Config) EnvelopeKeyFile() string { return c.keyFile(c.Keys.Envelope, "envelope.nk") }

// SigningKeyFile is the file of the signing key.
func (c *Config) SigningKeyFile() string { return c.keyFile(c.Keys.Signing, "signing.pem") }

// OperatorKeyFile holds the nkey of the operator, by which the commands get
// into the account of the streams on the embedded server.
func (c *Config) OperatorKeyFile() string { return filepath.Join(c.Bus.DataDir, "operator.nk") }

func (c *Config) keyFile(named, name string) string {
	if named != "" {
		return named
	}
	return filepath.Join(c.Bus.DataDir, name)
}

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
