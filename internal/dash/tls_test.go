package dash

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writePair writes a certificate of that number and its key.
func writePair(t *testing.T, dir string, number int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(number), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, bytes []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(number, 0) // two writes may have the same time
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", pkcs8)
}

// TestTLS: with a certificate it is https, by HTTP/2, with a Secure cookie. New
// files are taken over while the server runs, and files that are wrong are not.
func TestTLS(t *testing.T) {
	var log bytes.Buffer
	dir := t.TempDir()
	cert, key := writePair(t, dir, 1)
	s, err := Serve(Listener{"127.0.0.1:0", cert, key}, Handler(options(Access{Token: token}, func() []string { return nil })), slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	// login returns the number of the certificate.
	login := func() int64 {
		t.Helper()
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
		defer transport.CloseIdleConnections()
		client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		res, err := client.PostForm(s.URL()+"/login", url.Values{"token": {token}})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.ProtoMajor != 2 || len(res.Cookies()) != 1 || !res.Cookies()[0].Secure {
			t.Errorf("%s with %v", res.Proto, res.Cookies())
		}
		return res.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if n := login(); n != 1 || !strings.HasPrefix(s.URL(), "https://") {
		t.Errorf("certificate %d at %s", n, s.URL())
	}
	writePair(t, dir, 2)
	if n := login(); n != 2 {
		t.Errorf("certificate %d, want the new one", n)
	}
	if err := os.WriteFile(cert, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := login(); n != 2 {
		t.Errorf("certificate %d, want the one before the files were wrong", n)
	}
	writePair(t, dir, 3)
	if n := login(); n != 3 {
		t.Errorf("certificate %d, want the one after the files were wrong", n)
	}
	if _, err := Serve(Listener{"127.0.0.1:0", cert, cert}, nil, quiet); err == nil || !strings.Contains(err.Error(), "http.cert_file") {
		t.Error(err)
	}
}

// TestCompressed: who takes it gets what is long compressed, but events as they come.
func TestCompressed(t *testing.T) {
	page := strings.Repeat("a line of the page\n", 1000)
	h := compressed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		fmt.Fprint(w, page)
		w.(http.Flusher).Flush()
		if r.URL.Query().Has("wait") {
			<-r.Context().Done()
		}
	}))
	s := httptest.NewServer(h)
	defer s.Close()
	for media, zipped := range map[string]bool{
		"text/html; charset=utf-8": true, "application/json": true, "image/svg+xml": true, "text/event-stream": false, "image/png": false,
	} {
		code, body, head := ask(t, s, "/?type="+url.QueryEscape(media), func(r *http.Request) { r.Header.Set("Accept-Encoding", "gzip") })
		if (head.Get("Content-Encoding") == "gzip") != zipped || code != 200 || zipped && head.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %d %v", media, code, head)
		}
		if zipped {
			r, err := gzip.NewReader(strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil || string(text) != page {
				t.Errorf("%s: %d bytes, %v", media, len(text), err)
			}
		}
	}
	res, err := http.Get(s.URL + "/?wait&type=text/event-stream")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadFull(res.Body, make([]byte, len(page))); err != nil {
		t.Error(err)
	}
}
