package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/user"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/daemon"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// openedBus is the bus of a command.
type openedBus struct {
	layout.Subjects
	cfg *config.Config
	nc  *nats.Conn
	js  jetstream.JetStream
	key *shadow.Ring // nil until somebody needs it
}

// close ends the connection and forgets the key.
func (b *openedBus) close() {
	b.nc.Close()
	if b.key != nil {
		b.key.Wipe()
	}
}

// busTimeout is how long a command waits for a bus that does not answer.
const busTimeout = 3 * time.Second

// What commands say to do next.
const (
	startHint = "start one with: shadowd run, or name another bus with bus.url or SHADOWD_BUS_URL"
	runsHint  = "shadowd runs lists the runs on the bus"
)

// ProvideBus connects a command whose Run takes it to the bus of the
// configuration: bus.url, or the embedded server of a shadowd that runs on
// bus.listen. It is closed behind the command.
func (f configFlag) ProvideBus(ctx context.Context, a *app) (*openedBus, error) {
	cfg, err := f.ProvideConfig(a)
	if err != nil {
		return nil, err
	}
	return a.connect(ctx, cfg, func(ctx context.Context, url string) (*nats.Conn, error) {
		return daemon.Connect(ctx, cfg, url, "shadowd", a.logger(cfg.Log.Format, slog.LevelError))
	}, broker.JetStream)
}

// connect connects a command to the bus of a configuration.
func (a *app) connect(ctx context.Context, cfg *config.Config, dial func(context.Context, string) (*nats.Conn, error), js func(*nats.Conn) (jetstream.JetStream, error)) (*openedBus, error) {
	url := cfg.Bus.URL
	if url == "" {
		at, err := localAddress("bus.listen", cfg.Bus.Listen)
		if err != nil {
			return nil, hint.Usage(err, "set SHADOWD_BUS_URL to the bus that its log names")
		}
		url = "nats://" + at
	}
	connecting, cancel := context.WithTimeout(ctx, busTimeout)
	defer cancel()
	nc, err := dial(connecting, url)
	if errors.Is(err, nats.ErrNoServers) {
		err = hint.Failed(err, startHint)
	}
	if err != nil {
		return nil, err
	}
	b := &openedBus{cfg: cfg, nc: nc, Subjects: layout.Subjects{Prefix: cfg.Bus.Prefix}}
	a.bus = b
	if b.js, err = js(nc); err != nil {
		return nil, fmt.Errorf("using JetStream: %w", err)
	}
	return b, nil
}

// localAddress is where a command on the same machine finds what listens at an
// address of the configuration.
func localAddress(setting, listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err == nil && port == "0" {
		err = fmt.Errorf("%s has port 0, so where the daemon listens is not known", setting)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), err
}

// explain says of an error of the bus which run it is about and what to do
// next.
func (b *openedBus) explain(err error, run string) error {
	at := b.nc.ConnectedUrlRedacted()
	var other *bus.OtherKeyError
	switch {
	case errors.Is(err, layout.ErrRunName):
		return hint.Usage(fmt.Errorf("%.80q cannot be the name of a run: %w", run, err), runsHint)
	case errors.Is(err, history.ErrNotSealed):
		return hint.Failed(fmt.Errorf("run %s: %w", run, err), "shadowd runs says what has become of it")
	case errors.Is(err, history.ErrNoRun):
		return hint.Failed(fmt.Errorf("there is no run %s on %s", run, at), runsHint)
	case errors.As(err, &other):
		return hint.Failed(fmt.Errorf("run %s: %w", run, err), "point SHADOWD_ENVELOPE_KEY at that key")
	case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrBucketNotFound), errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrJetStreamNotEnabled):
		return hint.Failed(fmt.Errorf("no shadowd has run there: %s has no streams of one", at), startHint)
	}
	return err
}

// run reads a run with all its outputs.
func (b *openedBus) run(ctx context.Context, a *app, name string) (*history.Run, error) {
	reading, end := a.Progress(ctx)
	r, err := history.ReadRun(reading, b.Subjects, b.js, name, b.signers()...)
	end()
	return r, b.explain(err, name)
}

// operator is who runs the command, as this machine knows them.
func (b *openedBus) operator() *bus.Operator {
	who := "unknown"
	if u, err := user.Current(); err == nil {
		who = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		who += "@" + host
	}
	return &bus.Operator{Subjects: b.Subjects, JS: b.js, By: who[:min(len(who), 200)], Now: time.Now}
}

// signers are the keys by which reports and reviews are signed; none where they are
// not at hand.
func (b *openedBus) signers() []ed25519.PublicKey {
	all, _ := b.cfg.KeyPlace(keys.Signing).Public()
	return all
}

// ring reads the envelope key, which it never creates. what needs it.
func (b *openedBus) ring(what string) (*shadow.Ring, error) {
	if b.key != nil {
		return b.key, nil
	}
	k, err := b.cfg.KeyPlace(keys.Envelope).Read()
	if err != nil {
		return nil, hint.Failed(err, what+" needs the envelope key: "+keysHint+", or set SHADOWD_ENVELOPE_KEY")
	}
	b.key, err = k.Ring()
	return b.key, err
}

// envelope returns the envelope of a run, encrypted, and the key that opens it,
// and has recorded that command opens it.
func (b *openedBus) envelope(ctx context.Context, command, run, reason string, force bool) ([]byte, *shadow.Ring, error) {
	if err := b.CheckRun(run); err != nil {
		return nil, nil, b.explain(err, run)
	}
	key, err := b.ring(command)
	if err != nil {
		return nil, nil, err
	}
	o := b.operator()
	o.Key = key
	stored, err := o.OpenEnvelope(ctx, run, reason, force)
	if errors.Is(err, bus.ErrNotFinished) {
		return nil, nil, hint.Failed(fmt.Errorf("run %s is not finished: reading its envelope now would defeat the seal", run), "wait for its end, or add --force if the criteria may be known from now on")
	}
	return stored, key, b.explain(err, run)
}

// opened is the envelope of a run, opened for command and held against its
// commitment.
func (b *openedBus) opened(ctx context.Context, command string, r *history.Run, reason string, force bool) (history.Opened, error) {
	stored, key, err := b.envelope(ctx, command, r.ID, reason, force)
	if err != nil {
		return history.Opened{}, err
	}
	return history.Open(r, stored, key)
}

// stdin is the standard input of a command. A read ends with the context: on a
// terminal, or on a pipe that nobody closes, it would outlast a signal.
type stdin struct {
	file *os.File
	ctx  context.Context
}

// Fd is for those who ask whether it is a terminal.
func (s stdin) Fd() uintptr { return s.file.Fd() }

func (s stdin) Read(p []byte) (int, error) {
	text := make([]byte, len(p)) // the caller has p back while this is still read
	var n int
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		n, err = s.file.Read(text)
	}()
	select {
	case <-done:
		return copy(p, text[:n]), err
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}
