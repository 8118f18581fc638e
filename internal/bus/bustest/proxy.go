package bustest

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// Link is a connection to a server that can be cut.
type Link struct {
	listener net.Listener
	server   string
	mu       sync.Mutex
	cut      bool
	conns    []net.Conn
	wg       sync.WaitGroup
}

// Proxy passes connections on to the server at a URL, until the test ends.
func Proxy(t testing.TB, url string) *Link {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Link{listener: l, server: strings.TrimPrefix(url, "nats://")}
	p.wg.Go(p.serve)
	t.Cleanup(func() {
		_ = l.Close()
		p.Cut()
		p.wg.Wait()
	})
	return p
}

// URL is where clients connect.
func (p *Link) URL() string { return "nats://" + p.listener.Addr().String() }

// Cut ends all connections, and refuses others until Mend.
func (p *Link) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

// Mend lets connections through again.
func (p *Link) Mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = false
}

func (p *Link) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		p.mu.Lock()
		if err != nil || p.cut {
			_ = client.Close()
			if err == nil {
				_ = server.Close()
			}
			p.mu.Unlock()
			continue
		}
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
			p.wg.Go(func() {
				_, _ = io.Copy(way[1], way[0]) // either end may be cut
				_ = way[1].Close()
			})
		}
	}
}
