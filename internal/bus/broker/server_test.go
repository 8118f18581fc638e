package broker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
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
	bustest.OK(t, os.WriteFile(file, nil, 0o600))
	dir := t.TempDir()
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Listen: taken.Addr().String(), DataDir: dir}, taken.Addr().String() + ": it is in use, perhaps by another shadowd or nats-server: stop that one"},
		{Options{Listen: "4222", DataDir: dir}, "want HOST:PORT"},
		{Options{Listen: "127.0.0.1:nats?", DataDir: dir}, "127.0.0.1:nats?: "},
		{Options{DataDir: filepath.Join(file, "below")}, "not a directory"},
		{Options{}, "no data directory"},
	} {
		s, err := Start(c.o)
		if err == nil {
			s.Shutdown()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v:\n got %v\nwant %s", c.o, err, c.want)
		}
	}
}

// What is wrong with JetStream itself is an error too, not an exit or a wait.
func TestStartServerReportsItsServer(t *testing.T) {
	dir := t.TempDir()
	bustest.OK(t, os.WriteFile(filepath.Join(dir, "jetstream"), []byte("a file in the way"), 0o600))
	s, err := Start(Options{DataDir: dir})
	if err == nil {
		s.Shutdown()
		t.Fatal("it started")
	}
	if !strings.Contains(err.Error(), "JetStream") {
		t.Errorf("got %v", err)
	}
}

func TestDataDirHasOneServer(t *testing.T) {
	dir := t.TempDir()
	first := start(t, Options{DataDir: dir})
	if _, err := Start(Options{DataDir: dir}); err == nil || !strings.Contains(err.Error(), dir+" is in use by another shadowd") {
		t.Errorf("the second server: %v", err)
	}
	first.Shutdown()
	start(t, Options{DataDir: dir}).Shutdown()
}

func TestServerLogsWarnings(t *testing.T) {
	var log bytes.Buffer
	s := start(t, Options{MaxPayload: 16 << 20, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	s.Shutdown()
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "component=nats-server") || strings.Contains(log.String(), "level=INFO") {
		t.Errorf("logged\n%s", &log)
	}
}

const victimDir = "SHADOWD_TEST_VICTIM_DIR"

// victim is a process that stores messages, says so for each one, and never
// stops by itself.
func victim(dir string) {
	s, err := Start(Options{DataDir: dir})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	nc, err := s.Conn()
	if err != nil {
		os.Exit(1)
	}
	js, err := JetStream(nc)
	if err != nil {
		os.Exit(1)
	}
	store, err := layout.Ensure(context.Background(), layout.Subjects{}, js, layout.StorageConfig{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for i := 0; ; i++ {
		ack, err := js.Publish(context.Background(), store.Decomposition(fmt.Sprint("r", i)), []byte("{}"))
		if err != nil {
			os.Exit(1)
		}
		fmt.Println("stored", ack.Sequence)
	}
}

// A process that is killed leaves its directory to the next one, with
// everything in it that was acknowledged.
func TestServerAfterKill(t *testing.T) {
	dir := t.TempDir()
	var acknowledged uint64
	for range 3 {
		acknowledged = max(acknowledged, killed(t, dir))
	}
	s := start(t, Options{DataDir: dir})
	_, js := inProcess(t, s)
	store := ensured(t, js)
	if n := bustest.Count(t, store.In); n < acknowledged || acknowledged < 60 {
		t.Errorf("%d messages of %d are there", n, acknowledged)
	}
}

// killed runs a victim until it has stored some messages, kills it while it
// stores more, and returns the last sequence that it saw acknowledged.
func killed(t *testing.T, dir string) (last uint64) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimDir+"="+dir)
	out := bustest.Must(cmd.StdoutPipe())
	bustest.OK(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if _, err := fmt.Sscanf(lines.Text(), "stored %d", &last); err != nil {
			t.Error(lines.Text())
			break
		}
		if n == 20 {
			// While the victim lives, the directory is its own.
			if _, err := Start(Options{DataDir: dir}); err == nil || !strings.Contains(err.Error(), "in use by another shadowd") {
				t.Errorf("a second server: %v", err)
			}
			bustest.OK(t, cmd.Process.Kill())
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the victim ended by itself")
	}
	return last
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
