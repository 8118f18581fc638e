package broker

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
)

// logBuffer is a log that goroutines write and a test reads.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) has(s string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.b.String(), s)
}

func (l *logBuffer) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// authServer wants credentials: a password, or the key that it returns.
func authServer(t *testing.T) (url, seedFile string) {
	t.Helper()
	kp, public := bustest.UserPair(t)
	seed := bustest.Must(kp.Seed())
	seedFile = filepath.Join(t.TempDir(), "seed")
	bustest.OK(t, os.WriteFile(seedFile, seed, 0o600))
	only := &server.Permissions{Publish: &server.SubjectPermission{Allow: []string{"allowed"}}}
	b := bustest.Secured(t, &server.User{Username: "u", Password: "hunter2", Permissions: only}, &server.NkeyUser{Nkey: public})
	return b.URL(), seedFile
}

func TestConnectWithCredentials(t *testing.T) {
	url, seed := authServer(t)
	notes := filepath.Join(t.TempDir(), "notes")
	bustest.OK(t, os.WriteFile(notes, []byte("no seed here\n"), 0o600))
	https := httptest.NewTLSServer(nil)
	https.Close()
	secure := bustest.ServerWith(t, "max_payload: 1MB", func(o *server.Options) { o.TLSConfig = https.TLS })
	nc := bustest.Must(Connect(t.Context(), ConnOptions{URL: url, NKeyFile: seed}))
	if hangs := nc.Opts.PingInterval * time.Duration(nc.Opts.MaxPingsOut+1); hangs > time.Minute {
		t.Errorf("a server that hangs is left after %s", hangs)
	}
	nc.Close()
	for name, c := range map[string]struct {
		o    ConnOptions
		want string
	}{
		"none":          {ConnOptions{URL: url}, "check the user, password, nkey or credentials file"},
		"wrong":         {ConnOptions{URL: strings.Replace(url, "//", "//u:wrong@", 1)}, "Authorization Violation: check the user"},
		"own authority": {ConnOptions{URL: strings.Replace(secure.URL(), "nats:", "tls:", 1)}, "unknown authority: name the file of your authority's certificate in SSL_CERT_FILE"},
		"no such file":  {ConnOptions{URL: url, Credentials: "/no/such.creds"}, "reading the credentials: open /no/such.creds"},
		"no such nkey":  {ConnOptions{URL: url, NKeyFile: "/no/such.nk"}, "/no/such.nk"},
		"not an nkey":   {ConnOptions{URL: url, NKeyFile: notes}, "reading the nkey seed"},
		"not a url":     {ConnOptions{URL: "nats://[::1"}, "server 1 is not a URL"},
		"secret in url": {ConnOptions{URL: "nats://u:hunter2@[::1"}, "connecting to nats://***@[::1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Connect(t.Context(), c.o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "wrong@")) {
				t.Errorf("a password is shown: %v", err)
			}
		})
	}
}

func TestConnectGivesUpWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var log logBuffer
	done := make(chan error)
	go func() {
		_, err := Connect(ctx, ConnOptions{URL: "nats://t0ken@127.0.0.1:1", Logger: log.logger()})
		done <- err
	}()
	bustest.WaitFor(t, "a failed attempt in the log", func() bool { return log.has("no connection to the bus yet") })
	cancel()
	err := <-done
	if !errors.Is(err, nats.ErrNoServers) || !strings.Contains(err.Error(), "is a nats-server running there?") {
		t.Errorf("got %v", err)
	}
	if strings.Contains(err.Error(), "t0ken") || log.has("t0ken") {
		t.Errorf("the token is shown: %v", err)
	}
}

func TestConnectWaitsForTheServer(t *testing.T) {
	b := bustest.Server(t)
	url := b.URL()
	b.Stop()
	var log logBuffer
	got := make(chan *nats.Conn)
	go func() {
		nc, err := Connect(t.Context(), ConnOptions{URL: url, Name: "early", Logger: log.logger()})
		if err != nil {
			t.Error(err)
		}
		got <- nc
	}()
	bustest.WaitFor(t, "a failed attempt in the log", func() bool { return log.has("no connection to the bus yet") })
	b.Start(t)
	nc := <-got
	defer nc.Close()
	if nc.Opts.Name != "early" || nc.Status() != nats.CONNECTED {
		t.Errorf("connection %q is %s", nc.Opts.Name, nc.Status())
	}
	b.Stop()
	bustest.WaitFor(t, "the outage in the log", func() bool { return log.has("connection to the bus lost") || log.has("no connection to the bus\"") })
	b.Start(t)
	bustest.WaitFor(t, "the end of the outage in the log", func() bool { return log.has("connected to the bus again") })
}

// A forbidden publish looks like a timeout to its caller, so the log tells.
func TestForbiddenPublishIsLogged(t *testing.T) {
	url, _ := authServer(t)
	var log logBuffer
	nc := bustest.Must(Connect(t.Context(), ConnOptions{URL: strings.Replace(url, "//", "//u:hunter2@", 1), Logger: log.logger()}))
	defer nc.Close()
	bustest.OK(t, nc.Publish("forbidden", nil))
	bustest.WaitFor(t, "the violation in the log", func() bool { return log.has("Permissions Violation") && log.has("forbidden") })
}

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"nats://h:1":                        "nats://h:1",
		"nats://u:p@h:1":                    "nats://***@h:1",
		"tls://token@h:1, nats://u:a@b@h:2": "tls://***@h:1,nats://***@h:2",
		"u:p@h:1":                           "nats://***@h:1",
		"":                                  "",
	} {
		if got := Redact(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
