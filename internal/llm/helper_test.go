package llm

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// What must stand in no error: the key, and what the prompt says. What the server
// says may.
const (
	testKey    = "sk-Zm9vYmFyYmF6cXV4"
	secretWord = "criterionword"
	bundleWord = "bundleword"
	serverWord = "serverword"
)

func clientFor(t testing.TB, h http.Handler, change ...func(*Config)) *Client {
	t.Helper()
	cfg := Config{
		URL: "http://api.example.org/v1", Model: "gpt-5-mini", Family: "gpt",
		Timeout: time.Minute, Concurrency: 4,
		Key: func() (string, error) { return testKey + "\n", nil }, Transport: transportTo(t, h),
	}
	for _, f := range change {
		f(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func question(content string) *shadow.Question {
	return &shadow.Question{
		RunID: "run-1",
		Bundle: &shadow.Bundle{
			BundleID: "b-1", Domain: "backend", CommanderID: "alpha", Status: "success", Content: content,
		},
		Brief: "Write the session handling", Listed: []shadow.Item{{Name: "sub-task 1", Kind: shadow.SubTask, Text: "Answer expired tokens"}},
		Criterion: &shadow.Asked{ID: "sc-01", Material: &shadow.Material{
			Category:  shadow.ErrorHandling,
			Assertion: "The document says with which status an expired token is answered (" + secretWord + ").", Expected: "A status such as 401.",
		}},
	}
}

// leaks names what stands in a text and must not.
func leaks(text string) string {
	for _, s := range []string{testKey, secretWord, bundleWord} {
		if strings.Contains(strings.ToLower(text), strings.ToLower(s)) {
			return s
		}
	}
	return ""
}

// transportTo takes requests to a handler, whatever their address, over pipes in
// memory: so it works in a synctest bubble.
func transportTo(t testing.TB, h http.Handler) *http.Transport {
	l := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: h}
	var done sync.WaitGroup
	done.Go(func() { _ = server.Serve(l) }) // ends with ErrServerClosed
	transport := &http.Transport{DialContext: l.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Close()
		done.Wait()
	})
	return transport
}

type listener struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *listener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }
