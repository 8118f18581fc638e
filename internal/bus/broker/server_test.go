package broker

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

func start(t *testing.T, o Options) *Server {
	t.Helper()
	if o.DataDir == "" {
		o.DataDir = t.TempDir()
	}
	s := bustest.Must(Start(o))
	t.Cleanup(s.Shutdown)
	return s
}

func inProcess(t *testing.T, s *Server, opts ...nats.Option) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	nc := bustest.Must(s.Conn(opts...))
	t.Cleanup(nc.Close)
	js := bustest.Must(JetStream(nc))
	return nc, js
}

func TestServerConfig(t *testing.T) {
	got := Config(Options{Listen: "127.0.0.1:4222", DataDir: `/var/lib/my "data"`, MaxPayload: 2 << 20})
	const want = `server_name: "shadowd"
listen: "127.0.0.1:4222"
max_control_line: 1024
# Two seconds, the default, are few where many clients start on a busy machine.
authorization { timeout: 10 }
max_payload: 2097152
jetstream {
  store_dir: "/var/lib/my \"data\""
  # Always: what was acknowledged is on the disk. An interval is faster, and a
  # power cut loses what was acknowledged within it.
  sync_interval: always
}
`
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Whatever a value holds, the server reads it back and nothing else.
func FuzzServerConfig(f *testing.F) {
	for _, dir := range []string{"/data", `C:\data`, `a "b" 'c'`, "a\nlisten: 0.0.0.0:1\n#", "$HOME", "${HOME}", "a;b}c{d", "é\x00\xff\x7f\t", "# x", "include x", "5", "true", "1k", "\u2028", `\x`, `\"`} {
		f.Add(dir)
	}
	f.Fuzz(func(t *testing.T, dir string) {
		var o server.Options
		text := Config(Options{Listen: "127.0.0.1:0", DataDir: dir})
		if err := o.ProcessConfigString(text); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if o.StoreDir != dir || o.Host != "127.0.0.1" || o.Port != -1 {
			t.Fatalf("store_dir %q, want %q; listens on %s:%d", o.StoreDir, dir, o.Host, o.Port)
		}
	})
}

func TestServerListens(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `with "quotes", spaces and é`)
	s := start(t, Options{Listen: "127.0.0.1:0", DataDir: dir, MaxPayload: 4 << 20})
	nc := bustest.Must(Connect(t.Context(), ConnOptions{URL: s.ClientURL(), Name: "test"}))
	defer nc.Close()
	if nc.MaxPayload() != 4<<20 {
		t.Errorf("largest message %d", nc.MaxPayload())
	}
	_, js := inProcess(t, s)
	ensured(t, js)
	if _, err := os.Stat(filepath.Join(dir, "jetstream")); err != nil {
		t.Error(err)
	}
}

func TestServerInProcessOnly(t *testing.T) {
	s := start(t, Options{})
	if s.ClientURL() != "" || s.srv.Addr() != nil {
		t.Errorf("listens on %s", s.ClientURL())
	}
	_, js := inProcess(t, s)
	ensured(t, js)
}

func TestStartServerRefuses(t *testing.T) {
	taken := bustest.Must(net.Listen("tcp", "127.0.0.1:0"))
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	dir, inTheWay, used := t.TempDir(), t.TempDir(), t.TempDir()
	bustest.OK(t, errors.Join(os.WriteFile(file, nil, 0o600), os.WriteFile(filepath.Join(inTheWay, "jetstream"), nil, 0o600)))
	first := start(t, Options{DataDir: used})
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Listen: taken.Addr().String(), DataDir: dir}, taken.Addr().String() + ": it is in use, perhaps by another shadowd or nats-server: stop that one"},
		{Options{Listen: "4222", DataDir: dir}, "want HOST:PORT"},
		{Options{Listen: "127.0.0.1:nats?", DataDir: dir}, "127.0.0.1:nats?: "},
		{Options{DataDir: filepath.Join(file, "below")}, "not a directory"},
		{Options{}, "no data directory"},
		{Options{DataDir: inTheWay}, "JetStream"},
		{Options{DataDir: used}, used + " is in use by another shadowd"},
	} {
		s, err := Start(c.o)
		if err == nil {
			s.Shutdown()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v:\n got %v\nwant %s", c.o, err, c.want)
		}
	}
	first.Shutdown()
	start(t, Options{DataDir: used})
}

func TestServerLogsWarnings(t *testing.T) {
	var log bytes.Buffer
	s := start(t, Options{MaxPayload: 16 << 20, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	s.Shutdown()
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "component=nats-server") || strings.Contains(log.String(), "level=INFO") {
		t.Errorf("logged\n%s", &log)
	}
}

func ensured(t *testing.T, js jetstream.JetStream) *layout.Store {
	t.Helper()
	s := bustest.Must(layout.Ensure(t.Context(), layout.Subjects{}, js, layout.StorageConfig{}))
	return s
}

// TestClientsErrors: what a client does wrong is not the server's error, and a
// client's name ends no server.
func TestClientsErrors(t *testing.T) {
	var b bytes.Buffer
	own := &serverLog{Logger: slog.New(slog.NewTextHandler(&b, nil)), unwritable: make(chan string, 1)}
	own.Errorf("JetStream is lost")
	if !strings.Contains(b.String(), "level=ERROR") {
		t.Error(b.String())
	}
	b.Reset()

	s := start(t, Options{Listen: "127.0.0.1:0", DataDir: t.TempDir(), Logger: own.Logger})
	nc := bustest.Must(nats.Connect(s.ClientURL(), nats.Name("a critical write error")))
	defer nc.Close()
	bustest.Must(nc.SubscribeSync("$JS.>"))
	bustest.OK(t, errors.Join(nc.Publish("secret", nil), nc.Flush()))
	if _, err := nats.Connect(s.ClientURL(), nats.UserInfo("joe", "wrong")); err == nil {
		t.Error("joe was let in")
	}
	s.Shutdown()
	got := b.String()
	for _, says := range []string{"Subscription Violation", "Publish Violation", "authentication error"} {
		if !strings.Contains(got, says) {
			t.Errorf("the log does not say %q", says)
		}
	}
	if strings.Contains(got, "level=ERROR") {
		t.Error(got)
	}
	select {
	case text := <-s.Unwritable():
		t.Errorf("a client's name ends the server: %s", text)
	default:
	}
}
