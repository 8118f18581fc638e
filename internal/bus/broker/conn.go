package broker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// ConnOptions say how to connect to a NATS server.
type ConnOptions struct {
	// URL is one or more server URLs, separated by commas.
	URL string
	// Credentials is a .creds file, NKeyFile a file with an nkey seed; both
	// are optional.
	Credentials, NKeyFile string
	// Name is what the server calls the connection.
	Name string
	// InboxPrefix takes the place of _INBOX, if it is not empty.
	InboxPrefix string
	// TLS is how the server proves who it is, where the system's own roots do
	// not tell.
	TLS *tls.Config
	// Logger gets what happens to the connection; nil means slog's default.
	Logger *slog.Logger
}

const (
	connectTimeout = 5 * time.Second
	firstRetry     = 100 * time.Millisecond
	lastRetry      = 5 * time.Second
	reconnectWait  = 500 * time.Millisecond
	pingEvery      = 20 * time.Second

	// publishTimeout bounds the wait for an acknowledgement of a publish,
	// after which it counts as failed.
	publishTimeout = 10 * time.Second
	// publishWindow bounds the publishes that wait for theirs.
	publishWindow = 4096
)

// Connect connects and stays connected until the connection is closed. As
// long as ctx lasts it tries again when no server answers; a server that
// refuses the credentials is not asked again.
func Connect(ctx context.Context, o ConnOptions) (*nats.Conn, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	where := Redact(o.URL)
	if wrong := CheckURLs(o.URL); wrong != "" {
		return nil, fmt.Errorf("connecting to %s: %s", where, wrong)
	}
	opts, err := o.natsOptions()
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", where, err)
	}
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		nc, err := nats.Connect(o.URL, opts...)
		if err == nil {
			return nc, nil
		}
		retry, hint := advice(err)
		err = fmt.Errorf("connecting to %s: %w%s", where, err, hint)
		if !retry {
			return nil, err
		}
		level := slog.LevelDebug
		if wait == firstRetry {
			level = slog.LevelWarn // an outage is one line
		}
		o.Logger.Log(ctx, level, "no connection to the bus yet", "error", err, "retry_in", wait.String())
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(wait):
		}
	}
}

func (o ConnOptions) natsOptions() ([]nats.Option, error) {
	opts := append(handlers(o.Logger),
		nats.Name(o.Name),
		nats.Timeout(connectTimeout),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectWait),
		// A credential that is replaced while the server is away must not
		// end the connection for good.
		nats.IgnoreAuthErrorAbort(),
		// A server that hangs closes nothing: it is left when it has missed two.
		nats.PingInterval(pingEvery),
	)
	if o.InboxPrefix != "" {
		opts = append(opts, nats.CustomInboxPrefix(o.InboxPrefix))
	}
	if o.Credentials != "" {
		if _, err := os.ReadFile(o.Credentials); err != nil { // the client reads it when it connects, again and again
			return nil, fmt.Errorf("reading the credentials: %w", err)
		}
		opts = append(opts, nats.UserCredentials(o.Credentials))
	}
	if o.NKeyFile != "" {
		opt, err := nats.NkeyOptionFromSeed(o.NKeyFile)
		if err != nil {
			return nil, fmt.Errorf("reading the nkey seed in %s: %w", o.NKeyFile, err)
		}
		opts = append(opts, opt)
	}
	if o.TLS != nil {
		opts = append(opts, nats.Secure(o.TLS))
	}
	return opts, nil
}

// handlers log what happens to a connection behind the caller's back. A publish
// that permissions forbid shows up here only: its caller sees a timeout.
func handlers(log *slog.Logger) []nats.Option {
	var warned atomic.Bool // of the outage that there is
	return []nats.Option{
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("connection to the bus lost", "error", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			warned.Store(false)
			log.Info("connected to the bus again", "url", nc.ConnectedUrlRedacted())
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			level := slog.LevelDebug
			if !warned.Swap(true) {
				level = slog.LevelWarn
			}
			log.Log(context.Background(), level, "no connection to the bus", "error", err)
		}),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			if _, ok := errors.AsType[*net.OpError](err); ok {
				return // the connection is lost, which is logged above
			}
			subject := ""
			if sub != nil {
				subject = sub.Subject
			}
			log.Error("the bus reports an error", "subject", subject, "error", err)
		}),
	}
}

// JetStream returns the JetStream of nc, with bounds on how many publishes may
// wait for their acknowledgement, and for how long.
func JetStream(nc *nats.Conn) (jetstream.JetStream, error) {
	return jetstream.New(nc,
		jetstream.WithDefaultTimeout(publishTimeout),
		jetstream.WithPublishAsyncTimeout(publishTimeout),
		jetstream.WithPublishAsyncMaxPending(publishWindow))
}

// BeyondWall is the JetStream of a user who is not in the account of the streams.
func BeyondWall(nc *nats.Conn) (jetstream.JetStream, error) {
	return jetstream.NewWithAPIPrefix(nc, layout.APIPrefix, jetstream.WithDefaultTimeout(publishTimeout))
}

// advice says whether trying again may help, and what a person may do.
func advice(err error) (retry bool, hint string) {
	var network net.Error
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.Is(err, nats.ErrNoServers):
		return true, ": is a nats-server running there?"
	case errors.As(err, &network), errors.Is(err, nats.ErrTimeout), errors.Is(err, io.EOF), errors.Is(err, nats.ErrMaxConnectionsExceeded):
		return true, ""
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked), errors.Is(err, nats.ErrAccountAuthExpired):
		return false, ": check the user, password, nkey or credentials file"
	case errors.Is(err, nats.ErrSecureConnRequired):
		return false, ": the server wants TLS: write the URL as tls://HOST:PORT"
	case errors.Is(err, nats.ErrSecureConnWanted):
		return false, ": the server has no TLS: write the URL as nats://HOST:PORT"
	case errors.As(err, &unknown):
		return false, ": name the file of your authority's certificate in SSL_CERT_FILE"
	}
	return false, ""
}

// CheckURLs says what is wrong with the URLs of a bus, with commas between;
// nothing if they are right or empty. It never shows one: it may hold a password.
func CheckURLs(s string) string {
	if s == "" {
		return ""
	}
	for i, part := range strings.Split(s, ",") {
		wrong := ""
		u, err := url.Parse(strings.TrimSpace(part))
		switch {
		case err != nil:
			wrong = "is not a URL"
		case !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme):
			wrong = "has another scheme or none"
		case u.Hostname() == "" || strings.ContainsFunc(u.Host, unicode.IsSpace):
			wrong = "has no host"
		case u.Port() != "":
			if n, err := strconv.ParseUint(u.Port(), 10, 16); err != nil || n == 0 {
				wrong = "has a port that is out of range"
			}
		}
		if wrong != "" {
			return fmt.Sprintf("server %d %s: allowed are nats://, tls://, ws:// and wss:// URLs with a host, separated by commas, or nothing for the embedded server", i+1, wrong)
		}
	}
	return ""
}

// Redact hides what server URLs say before an "@": a password, or a token,
// which takes the place of the user. What it returns are URLs again.
func Redact(urls string) string {
	all := strings.Split(urls, ",")
	for i, u := range all {
		u = strings.TrimSpace(u)
		if at := strings.LastIndex(u, "@"); at >= 0 {
			scheme, _, found := strings.Cut(u[:at], "://")
			if !found {
				scheme = "nats"
			}
			u = scheme + "://***" + u[at:]
		}
		all[i] = u
	}
	return strings.Join(all, ",")
}

// ErrDataDir and ErrListen say which option keeps a server from starting.
var (
	ErrDataDir = errors.New("the data directory cannot be had")
	ErrListen  = errors.New("the address cannot be had")
)

// optionError is an error about one option.
type optionError struct {
	error
	option error
}

func (e optionError) Unwrap() []error { return []error{e.error, e.option} }

// CheckListen refuses an address that this machine cannot listen on, and with
// syscall.EADDRINUSE one that is taken. Its error begins with the address. It
// accepts the empty address. The configuration decides who may reach the
// address.
func CheckListen(address string) error {
	if address == "" {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return optionError{fmt.Errorf("%.60s: "+format, append([]any{address}, args...)...), ErrListen}
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return refuse("want HOST:PORT, such as 127.0.0.1:4222")
	}
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return refuse("it is in use, perhaps by another shadowd or nats-server: stop that one, listen elsewhere, or connect to it instead: %w", err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return refuse("this machine has no such address: name one that it has, or 127.0.0.1: %w", err)
	case err != nil:
		return refuse("%w", err)
	}
	return l.Close()
}
