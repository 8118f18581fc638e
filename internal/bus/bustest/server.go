package bustest

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// Broker is a nats-server inside the test's process, with JetStream in files.
// It can be stopped and started again on what it has stored.
type Broker struct {
	opts *server.Options
	mu   sync.Mutex
	srv  *server.Server
}

// Server starts a server in a directory of the test's own, on a free port of
// the loopback address. It is stopped, and waited for, when the test ends.
func Server(t testing.TB) *Broker {
	t.Helper()
	return ServerWith(t, withJetStream)
}

const withJetStream = "jetstream: enabled"

// Secured starts a server that lets in these users only.
func Secured(t testing.TB, user *server.User, key *server.NkeyUser) *Broker {
	t.Helper()
	return ServerWith(t, withJetStream, func(o *server.Options) {
		o.Users, o.Nkeys = []*server.User{user}, []*server.NkeyUser{key}
	})
}

// ServerWith starts a server as [Server] does, with a configuration in the server's
// own language, whatever that says about directory, name and port.
func ServerWith(t testing.TB, text string, change ...func(*server.Options)) *Broker {
	t.Helper()
	b := &Broker{opts: options(t, "bustest", text)}
	for _, f := range change {
		f(b.opts)
	}
	t.Cleanup(b.Stop)
	b.Start(t)
	return b
}

func options(t testing.TB, name, text string) *server.Options {
	t.Helper()
	o := &server.Options{}
	if err := o.ProcessConfigString(text); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	o.ServerName, o.Host, o.Port, o.StoreDir, o.NoSigs, o.NoLog = name, "127.0.0.1", server.RANDOM_PORT, t.TempDir(), true, true
	return o
}

// freePorts finds ports that the servers of a cluster can be told of before
// they start.
func freePorts(t testing.TB, n int) []int {
	t.Helper()
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // together, so that all are different
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// Start starts the server on what it has stored.
func (b *Broker) Start(t testing.TB) {
	t.Helper()
	srv, err := server.NewServer(b.opts.Clone())
	if err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	b.srv = srv
	b.mu.Unlock()
	srv.Start()
	if !srv.ReadyForConnections(deadline) {
		t.Fatalf("nats-server is not ready after %s", deadline)
	}
	b.opts.Port = srv.Addr().(*net.TCPAddr).Port // to keep over a restart
}

// Stop stops the server and waits until it is gone. Connections to it wait
// for it to come back.
func (b *Broker) Stop() {
	if srv := b.Server(); srv != nil {
		srv.Shutdown()
		srv.WaitForShutdown()
	}
}

// Server is the server that runs now.
func (b *Broker) Server() *server.Server {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.srv
}

// URL is where the server listens, also after a restart.
func (b *Broker) URL() string { return b.Server().ClientURL() }

// InProcessConn makes a connection that needs no port.
func (b *Broker) InProcessConn() (net.Conn, error) { return b.Server().InProcessConn() }

// Connect connects inside the process. The connection outlives a restart of
// the server and is closed when the test ends.
func (b *Broker) Connect(t testing.TB, opts ...nats.Option) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	return connect(t, "", append(opts, nats.InProcessServer(b))...)
}

func connect(t testing.TB, url string, opts ...nats.Option) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	gone := make(chan struct{})
	nc, err := nats.Connect(url, append([]nats.Option{
		// What a client waits by default passes on a busy machine.
		nats.Timeout(10 * time.Second),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(20 * time.Millisecond),
		// The default handler prints every outage that a test makes.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, append(opts, nats.ClosedHandler(func(*nats.Conn) { close(gone) }))...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		nc.Close()
		<-gone
	})
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return nc, js
}

// Nodes is a cluster in one process.
type Nodes []*Broker

// Cluster starts n servers as one cluster and waits until it has a leader and
// all its peers.
func Cluster(t testing.TB, n int) Nodes {
	t.Helper()
	return ClusterOf(t, n, withJetStream)
}

// ClusterOf starts a cluster as [Cluster] does, whose servers have one
// configuration, as [ServerWith] takes it.
func ClusterOf(t testing.TB, n int, text string) Nodes {
	t.Helper()
	// Other tests run beside this one and pick from the same ports. A name of
	// its own keeps a cluster from joining theirs.
	name := nuid.Next()
	var nodes Nodes
	var routes []string
	for i, port := range freePorts(t, n) {
		o := options(t, fmt.Sprintf("%s-%d", name, i), text)
		o.Cluster = server.ClusterOpts{Name: name, Host: "127.0.0.1", Port: port}
		nodes = append(nodes, &Broker{opts: o})
		routes = append(routes, "nats://"+net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	}
	t.Cleanup(func() {
		for _, b := range nodes {
			if srv := b.Server(); srv != nil {
				srv.Shutdown()
			}
		}
		for _, b := range nodes {
			b.Stop()
		}
	})
	for _, b := range nodes {
		// Each node is told of all others, for gossip takes its time.
		b.opts.Routes = server.RoutesFromStr(strings.Join(routes, ","))
		b.Start(t)
	}
	WaitFor(t, "a leader that sees every node of the cluster", func() bool {
		for _, b := range nodes {
			if srv := b.Server(); srv.JetStreamIsLeader() && len(srv.JetStreamClusterPeers()) == n {
				return true
			}
		}
		return false
	})
	return nodes
}

// Connect connects to whichever node answers. The connection moves to another
// one when its node stops, and is closed when the test ends.
func (n Nodes) Connect(t testing.TB, opts ...nats.Option) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	return connect(t, n.URL(), opts...)
}

// URL lists where the nodes listen.
func (n Nodes) URL() string {
	var urls []string
	for _, b := range n {
		urls = append(urls, b.URL())
	}
	return strings.Join(urls, ",")
}
