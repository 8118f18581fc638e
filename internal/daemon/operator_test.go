package daemon

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/config"
)

// TestTrust: the commands trust the certificate in the file, also if it names no
// host and stands behind its key, and no other of the same name.
func TestTrust(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tls.pem")
	var servers []tls.Certificate
	for range 2 {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "shadowd"}}
		der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		private, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		text := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		servers = append(servers, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key})
	}
	for i, want := range []string{"another certificate than " + file, ""} {
		client, err := busTrust(&config.Bus{TLS: config.TLS{Cert: file}})
		if err != nil {
			t.Fatal(err)
		}
		here, there := net.Pipe()
		go func() {
			_ = tls.Server(there, &tls.Config{Certificates: servers[i : i+1]}).HandshakeContext(t.Context())
			there.Close()
		}()
		err = tls.Client(here, client).HandshakeContext(t.Context())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("server %d: %v", i, err)
		}
		here.Close()
	}
	if err := os.WriteFile(file, []byte("-----BEGIN X-----\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := busTrust(&config.Bus{TLS: config.TLS{Cert: file}}); err == nil || !strings.Contains(err.Error(), "holds no certificate in PEM") {
		t.Error(err)
	}
}
