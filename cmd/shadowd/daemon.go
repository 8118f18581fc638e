package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
	"github.com/swarmspeed/shadowd/internal/shadow/rules"
)

// daemon is shadowd in this process: a bus, its own or somebody's, and the
// engine on it.
type daemon struct {
	cfg    *config.Config
	log    *slog.Logger
	server *bus.Server // nil on a bus of somebody else
	nc     *nats.Conn
	js     jetstream.JetStream
	store  *bus.Store
	users  []bus.User // who may connect, as far as it is known
	walled bool       // what nobody in the swarm may do was tried, or is our own server's
	engine *bus.Engine
	watch  *watch // nil where http.listen is empty
	// closers undo what start did, last first.
	closers []func()
}

// maxEnvelope is the largest message of the embedded server in bytes. Events
// are bounded by limits.event_bytes; envelopes and reports of very large runs
// may be larger.
const maxEnvelope = 8 << 20

// startDaemon connects, or starts the embedded server, and makes everything
// ready for daemon.serve. ctx bounds the start only.
func startDaemon(ctx context.Context, v *voices, log *slog.Logger) (_ *daemon, err error) {
	cfg := v.cfg
	d := &daemon{cfg: cfg, log: log}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	// First, so that it is last to go, and health can be seen all the while.
	if err := d.listen(); err != nil {
		return nil, err
	}
	if err := d.connect(ctx); err != nil {
		return nil, err
	}
	d.watch.connected(d.nc)
	if d.js, err = bus.JetStream(d.nc); err != nil {
		return nil, fmt.Errorf("using JetStream: %w", err)
	}
	layout := bus.Layout{Prefix: cfg.Bus.Prefix}
	d.store, err = layout.Ensure(ctx, d.js, bus.StorageConfig{
		Replicas:      cfg.Bus.Replicas,
		MaxAge:        cfg.Bus.MaxAge,
		InMaxBytes:    cfg.Bus.MaxBytes,
		MaxEventBytes: int32(cfg.Limits.EventBytes),
		Users:         d.users,
	})
	if err != nil {
		return nil, fmt.Errorf("preparing the bus: %w", err)
	}
	key, signer, err := d.keys(ctx)
	if err != nil {
		return nil, err
	}
	d.walled = d.holds(ctx)
	d.meetServices(ctx)
	l := &line{d.nc, key, log}
	authors, err := v.authors(rand.Reader, l)
	if err != nil {
		return nil, err
	}
	judges, err := v.panel(l, d.store.VoteCache(key, log))
	if err != nil {
		return nil, err
	}
	settings := cfg.Settings(d.isolation())
	settings.Replay = v.replay
	c := bus.Config{
		Settings:      settings,
		Authors:       authors,
		Filler:        rules.New(rand.Reader),
		Key:           key,
		Signer:        signer,
		Disabled:      !cfg.ShadowScoring.Enabled,
		ContentBytes:  cfg.Limits.ContentBytes,
		WaitingPerRun: cfg.Limits.WaitingPerRun,
		SealWait:      cfg.Limits.SealWait,
		Logger:        log,
	}
	if judges != nil {
		c.Panel = judges
	}
	d.watch.observe(&c)
	d.engine = bus.NewEngine(d.store, c)
	d.watch.serving(d.engine)
	return d, nil
}

// isolation is what reports may claim. Where the wall is not known to hold,
// commanders may read colleagues' reports.
func (d *daemon) isolation() string {
	if d.walled {
		return shadow.IsolationStrict
	}
	return shadow.IsolationLegacy
}

// keys reads the daemon's own keys, or creates them at the first start. What
// the bus holds must be theirs.
func (d *daemon) keys(ctx context.Context) (nkeys.KeyPair, *attest.Signer, error) {
	newest, err := d.store.NewestEnvelope(ctx)
	if err != nil {
		return nil, nil, err
	}
	envelope, created, err := d.cfg.KeyPlace(keys.Envelope).Open(shadow.SealedBy(newest))
	if err != nil {
		return nil, nil, err
	}
	key, err := envelope.Ring()
	if err != nil {
		return nil, nil, err
	}
	d.closers = append(d.closers, key.Wipe)
	if created {
		d.log.Warn("a new envelope key was created; back it up: without it sealed envelopes cannot be opened", "file", d.cfg.KeyPlace(keys.Envelope).File)
	}
	signedBy, err := d.store.NewestSigner(ctx)
	if err != nil {
		return nil, nil, err
	}
	signing, created, err := d.cfg.KeyPlace(keys.Signing).Open(signedBy)
	if err != nil {
		return nil, nil, err
	}
	if created {
		d.log.Warn("a new signing key was created; back it up, and give its public key (shadowd keys public) to those who check reports", "file", d.cfg.KeyPlace(keys.Signing).File)
	}
	signer, err := signing.Signer()
	return key, signer, err
}

// connect sets nc, on a server of ours if the configuration names none.
func (d *daemon) connect(ctx context.Context) (err error) {
	b := &d.cfg.Bus
	if d.users, err = busUsers(d.cfg); err != nil {
		return err
	}
	if err := checkServices(d.users, d.cfg.Services()); err != nil {
		return err
	}
	if b.URL != "" {
		d.nc, err = bus.Connect(ctx, bus.Options{URL: b.URL, Credentials: b.Credentials, NKeyFile: b.NKey, Name: "shadowd", Logger: d.log})
	} else {
		d.nc, err = d.startServer()
	}
	if err != nil {
		return err
	}
	d.closers = append(d.closers, func() { closeConn(d.nc) })
	return nil
}

// startServer starts the embedded server and connects to it.
func (d *daemon) startServer() (*nats.Conn, error) {
	b := &d.cfg.Bus
	operator, err := operator(d.cfg)
	if err != nil {
		return nil, err
	}
	d.server, err = bus.StartServer(bus.ServerOptions{
		Listen:     b.Listen,
		DataDir:    b.DataDir,
		MaxPayload: maxEnvelope,
		Layout:     bus.Layout{Prefix: b.Prefix},
		Users:      append([]bus.User{operator}, d.users...),
		TLSCert:    b.TLS.Cert,
		TLSKey:     b.TLS.Key,
		Insecure:   b.Insecure,
		Logger:     d.log,
	})
	if err != nil {
		return nil, err
	}
	d.closers = append(d.closers, d.server.Shutdown)
	d.users = d.server.Users()
	return d.server.Conn(nats.Name("shadowd"))
}

// serve runs the engine until ctx ends.
func (d *daemon) serve(ctx context.Context) error { return d.engine.Run(ctx) }

// close stops everything, last started first, and waits for it.
func (d *daemon) close() {
	for i := len(d.closers) - 1; i >= 0; i-- {
		d.closers[i]()
	}
	d.closers = nil
}

// closeConn closes a connection once what it has still to send, the last
// acknowledgements above all, has left.
func closeConn(nc *nats.Conn) {
	if err := nc.FlushTimeout(flushTimeout); err != nil && !errors.Is(err, nats.ErrConnectionClosed) && !errors.Is(err, nats.ErrConnectionReconnecting) {
		slog.Debug("flushing the connection", "error", err)
	}
	nc.Close()
}
