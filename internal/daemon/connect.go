package daemon

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
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
		Listen: b.Listen, DataDir: b.DataDir, Sync: b.SyncInterval(), MaxPayload: MaxEnvelope,
		Subjects: layout.Subjects{Prefix: b.Prefix}, Users: append([]layout.User{operator}, d.users...),
		TLSCert: b.TLS.Cert, TLSKey: b.TLS.Key, Logger: d.log,
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

// Disconnect closes a connection once what it has still to send, the last
// acknowledgements above all, has left.
func Disconnect(ctx context.Context, nc *nats.Conn) error {
	defer nc.Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := nc.FlushWithContext(ctx)
	if errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrConnectionReconnecting) {
		return nil // there is nobody to send to
	}
	return err
}

// operator is the user that the commands are on the embedded server. Its key
// is created at the first start.
func operator(c *config.Config) (layout.User, error) {
	public, _, err := keys.User(c.OperatorKeyFile())
	if err != nil {
		return layout.User{}, operatorError(err)
	}
	return layout.User{Name: config.OperatorUser, Role: layout.RoleOperator, NKey: public}, nil
}

func operatorError(err error) error {
	return hint.Usage(fmt.Errorf("bus.data_dir: operator key: %w", err), "if the file is damaged, remove it, and a new key is created")
}

const operatorHint = "be its operator: run this with the configuration of the daemon, or set SHADOWD_BUS_URL to the bus and SHADOWD_BUS_NKEY to operator.nk: of the daemon's data directory, or of shadowd bus config"

// Connect connects a command to the bus at url with the credentials of the
// configuration. Without any it takes the operator's key, if it is there and
// the server asks for keys.
func Connect(ctx context.Context, cfg *config.Config, url, name string, log *slog.Logger) (*nats.Conn, error) {
	nc, err := logIn(ctx, cfg, url, name, log)
	if err != nil {
		return nil, err
	}
	if err := layout.CheckAllowed(ctx, nc); err != nil {
		if errors.Is(err, layout.ErrNotAllowed) {
			err = hint.Failed(err, operatorHint)
		}
		nc.Close()
		return nil, err
	}
	return nc, nil
}

// ConnectAs connects a user beyond the wall, by the nkey in a file.
func ConnectAs(ctx context.Context, cfg *config.Config, url string, u layout.User, file string, log *slog.Logger) (*nats.Conn, error) {
	trust, err := busTrust(&cfg.Bus)
	if err != nil {
		return nil, err
	}
	return broker.Connect(ctx, broker.ConnOptions{URL: url, NKeyFile: file, Name: "shadowd " + u.Name, InboxPrefix: u.InboxPrefix(), TLS: trust, Logger: log})
}

func logIn(ctx context.Context, cfg *config.Config, url, name string, log *slog.Logger) (*nats.Conn, error) {
	trust, err := busTrust(&cfg.Bus)
	if err != nil {
		return nil, err
	}
	o := broker.ConnOptions{URL: url, Credentials: cfg.Bus.Credentials, NKeyFile: cfg.Bus.NKey, Name: name, TLS: trust, Logger: log}
	if o.Credentials == "" && o.NKeyFile == "" && !strings.Contains(url, "@") {
		if _, missing := os.Stat(cfg.OperatorKeyFile()); missing == nil {
			o.NKeyFile = cfg.OperatorKeyFile()
		}
	}
	nc, err := broker.Connect(ctx, o)
	if errors.Is(err, nats.ErrNkeysNotSupported) && cfg.Bus.NKey == "" {
		o.NKeyFile = ""
		nc, err = broker.Connect(ctx, o)
	}
	if errors.Is(err, nats.ErrAuthorization) && o.NKeyFile+o.Credentials == "" {
		err = hint.Failed(fmt.Errorf("%w; the operator's key is not at hand", err), operatorHint)
	}
	return nc, err
}

// ReviewKey is the nkey that signs what the operator reviews, or nil where none is at
// hand.
func ReviewKey(cfg *config.Config) (nkeys.KeyPair, error) {
	file := cmp.Or(cfg.Bus.NKey, cfg.OperatorKeyFile())
	if _, err := os.Stat(file); err != nil {
		return nil, nil
	}
	return keys.UserKey(file)
}

// busTrust is nil where the server is not the embedded one, or has no TLS.
func busTrust(b *config.Bus) (*tls.Config, error) {
	if b.URL != "" || b.TLS.Cert == "" {
		return nil, nil
	}
	return Trust("bus.tls.cert", b.TLS.Cert)
}

// Trust makes the commands trust the certificate of this daemon's server and no other:
// its file is at hand, so it does not matter who signed it and what it names.
func Trust(setting, file string) (*tls.Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, hint.Usage(fmt.Errorf("%s: %w", setting, err), "")
	}
	block, rest := pem.Decode(text)
	for block != nil && block.Type != "CERTIFICATE" {
		block, rest = pem.Decode(rest)
	}
	if block == nil {
		return nil, hint.Usage(fmt.Errorf("%s: %s holds no certificate in PEM", setting, file), "")
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true, VerifyConnection: func(s tls.ConnectionState) error {
		if !bytes.Equal(s.PeerCertificates[0].Raw, block.Bytes) {
			return fmt.Errorf("the server has another certificate than %s (%s): does the daemon of this configuration run, and has it read the file again?", file, setting)
		}
		return nil
	}}, nil
}
