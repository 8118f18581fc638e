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
	// signers are the keys by which reports and reviews are signed; none where they are not at hand.
	signers []ed25519.PublicKey
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

const startHint = "start one with: shadowd run, or name another bus with bus.url or SHADOWD_BUS_URL"

// ProvideBus connects a command whose Run takes it to the bus of the configuration: bus.url, or the embedded server
// of a shadowd that runs on bus.listen. It is closed behind the command.
func (f configFlag) ProvideBus(ctx context.Context, a *app) (*openedBus, error) {
	cfg, err := f.ProvideConfig(a)
	if err != nil {
		return nil, err
	}
	b, err := a.connect(ctx, cfg, func(ctx context.Context, url string) (*nats.Conn, error) {
		return daemon.Connect(ctx, cfg, url, "shadowd", a.logger(cfg.Log.Format, slog.LevelError))
	}, broker.JetStream)
	if err != nil {
		return nil, err
	}
	_, err = b.js.Stream(ctx, layout.StreamIn)
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, nats.ErrNoResponders) {
		err = hint.Failed(fmt.Errorf("no shadowd has run there: %s has no streams of one", b.nc.ConnectedUrlRedacted()), startHint)
	}
	return b, err
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
	a.bus = &openedBus{cfg: cfg, nc: nc, Subjects: layout.Subjects{Prefix: cfg.Bus.Prefix}}
	a.bus.signers, _ = cfg.KeyPlace(keys.Signing).Public()
	a.bus.js, err = js(nc)
	return a.bus, err
}

// localAddress is where a command on the same machine finds what listens at an address of the configuration.
func localAddress(setting, listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err == nil && port == "0" {
		err = fmt.Errorf("%s has port 0, so where the daemon listens is not known", setting)
	}
	if host == "" || net.ParseIP(host).IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), err
}

// run reads a run with all its outputs.
func (b *openedBus) run(ctx context.Context, name string) (*history.Run, error) {
	return history.ReadRun(ctx, b.Subjects, b.js, name, b.signers...)
}

// ring reads the envelope key, which it never creates. what needs it.
func (b *openedBus) ring(what string) (*shadow.Ring, error) {
	k, err := b.cfg.KeyPlace(keys.Envelope).Read()
	if err != nil {
		return nil, hint.Failed(err, what+" needs the envelope key: "+keysHint+", or set SHADOWD_ENVELOPE_KEY")
	}
	b.key = k.Ring()
	return b.key, nil
}

// opened is the envelope of a run, held against its commitment. That it was opened is recorded, with user and reason.
func (b *openedBus) opened(ctx context.Context, command string, r *history.Run, reason string, force bool) (history.Opened, error) {
	key, err := b.ring(command)
	if err != nil {
		return history.Opened{}, err
	}
	who := "unknown"
	if u, err := user.Current(); err == nil {
		who = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		who += "@" + host
	}
	o := &bus.Operator{Subjects: b.Subjects, JS: b.js, Key: key, By: who[:min(len(who), 200)], Now: time.Now}
	stored, err := o.OpenEnvelope(ctx, r.ID, reason, force)
	if err != nil {
		return history.Opened{}, err
	}
	return history.Open(r, stored, key)
}
