package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// connect sets nc, on a server of ours if the configuration names none.
func (d *Daemon) connect(ctx context.Context) (err error) {
	b := &d.cfg.Bus
	if d.users, err = Users(d.cfg); err != nil {
		return err
	}
	if b.URL != "" {
		d.nc, err = broker.Connect(ctx, broker.ConnOptions{URL: b.URL, Credentials: b.Credentials, NKeyFile: b.NKey, Name: "shadowd", Logger: d.log})
	} else {
		d.nc, err = d.startServer()
	}
	if err != nil {
		return err
	}
	d.started("connection", func(ctx context.Context) error { return Disconnect(ctx, d.nc) })
	return nil
}

// startServer starts the embedded server and connects to it.
func (d *Daemon) startServer() (*nats.Conn, error) {
	operator, err := operator(d.cfg)
	if err != nil {
		return nil, err
	}
	b := &d.cfg.Bus
	d.server, err = broker.Start(broker.Options{
		Listen:     b.Listen,
		DataDir:    b.DataDir,
		Sync:       b.SyncInterval(),
		MaxPayload: MaxEnvelope,
		Subjects:   layout.Subjects{Prefix: b.Prefix},
		Users:      append([]layout.User{operator}, d.users...),
		TLSCert:    b.TLS.Cert,
		TLSKey:     b.TLS.Key,
		Logger:     d.log,
	})
	switch {
	case errors.Is(err, broker.ErrListen):
		return nil, fmt.Errorf("bus.listen: %w", err)
	case errors.Is(err, broker.ErrDataDir):
		return nil, fmt.Errorf("bus.data_dir: %w", err)
	case err != nil:
		return nil, err
	}
	d.started("embedded server", func(context.Context) error {
		d.server.Shutdown()
		return nil
	})
	d.users = d.server.Users()
	return d.server.Conn(nats.Name("shadowd"))
}

// flushTimeout bounds the last flush of a connection.
const flushTimeout = 5 * time.Second

// Disconnect closes a connection once what it has still to send, the last
// acknowledgements above all, has left.
func Disconnect(ctx context.Context, nc *nats.Conn) error {
	defer nc.Close()
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	err := nc.FlushWithContext(ctx)
	if errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrConnectionReconnecting) {
		return nil // there is nobody to send to
	}
	return err
}
