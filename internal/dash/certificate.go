package dash

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificate is that of a server, read again when one of its files changes.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu      sync.Mutex
	pair    *tls.Certificate
	version [2]fileVersion
}

// fileVersion tells a file from what stood at its path before.
type fileVersion struct {
	at   time.Time
	size int64
}

func openCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log}
	c.version = c.look()
	if err := c.read(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("http.cert_file: %w", err)
	}
	c.pair = &pair
	return nil
}

// look returns what stands at the paths; zero where nothing does.
func (c *certificate) look() (v [2]fileVersion) {
	for i, path := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(path); err == nil {
			v[i] = fileVersion{info.ModTime(), info.Size()}
		}
	}
	return v
}

// get is called at each handshake. While the files are wrong, such as when only
// one of them is there, the certificate that was read before stays.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.look(); v != c.version {
		c.version = v
		if err := c.read(); err != nil {
			c.log.Error("the certificate of the page is not taken, and the old one stays", "error", err)
		} else {
			c.log.Info("the certificate of the page was read again", "file", c.certFile)
		}
	}
	return c.pair, nil
}
