package bus

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// ServerOptions describes a nats-server for shadowd.
type ServerOptions struct {
	// Listen is HOST:PORT. Port 0 takes a free one; empty means that only
	// this process can connect.
	Listen string
	// DataDir is where JetStream stores its files. It is created if absent,
	// and belongs to one server at a time.
	DataDir string
	// MaxPayload is the largest message in bytes; 0 means the server's
	// default of 1 MiB.
	MaxPayload int32
	// Exposed lets Listen be an address that other machines can reach. The
	// server asks nobody for credentials, so this must be somebody's wish.
	Exposed bool
	// Logger gets the server's warnings and errors; nil means slog's default.
	Logger *slog.Logger
}

// ServerConfig is the configuration of a nats-server for shadowd, in that
// server's own language.
func ServerConfig(o ServerOptions) string {
	var b strings.Builder
	b.WriteString("server_name: shadowd\n")
	if o.Listen != "" {
		fmt.Fprintf(&b, "listen: %s\n", quote(freePort(o.Listen)))
	}
	if o.MaxPayload != 0 {
		fmt.Fprintf(&b, "max_payload: %d\n", o.MaxPayload)
	}
	fmt.Fprintf(&b, "jetstream {\n  store_dir: %s\n}\n", quote(o.DataDir))
	return b.String()
}

// freePort turns port 0, which the server reads as its default port, into
// what it calls a free port.
func freePort(listen string) string {
	if host, port, err := net.SplitHostPort(listen); err == nil && port == "0" {
		return net.JoinHostPort(host, "-1")
	}
	return listen
}

// quote writes s as a string of the server's configuration language, whatever
// bytes it has.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ':
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Server is a nats-server inside this process.
type Server struct {
	srv     *server.Server
	release func() error
	log     *slog.Logger
	once    sync.Once
}

// startTimeout bounds a start. A server with a million messages on disk needs
// about a second.
const startTimeout = time.Minute

// StartServer runs a nats-server inside this process until [Server.Shutdown],
// and returns when it takes connections.
func StartServer(o ServerOptions) (*Server, error) {
	if o.DataDir == "" {
		return nil, errors.New("starting the embedded nats-server: no data directory: name one")
	}
	if err := checkListen(o); err != nil {
		return nil, fmt.Errorf("starting the embedded nats-server: %w", err)
	}
	if err := os.MkdirAll(o.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("starting the embedded nats-server: making its data directory: %w", err)
	}
	release, err := lockDir(o.DataDir)
	if err != nil {
		return nil, fmt.Errorf("starting the embedded nats-server: %w", err)
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	s := &Server{release: release, log: o.Logger}
	if err := s.start(o); err != nil {
		s.Shutdown()
		return nil, fmt.Errorf("starting the embedded nats-server: %w", err)
	}
	return s, nil
}

func (s *Server) start(o ServerOptions) error {
	opts := &server.Options{}
	if err := opts.ProcessConfigString(ServerConfig(o)); err != nil {
		return fmt.Errorf("its configuration: %w", err)
	}
	// What the language cannot say: signals and standard output are the
	// program's own.
	opts.NoSigs, opts.NoLog, opts.DontListen = true, true, o.Listen == ""
	srv, err := server.NewServer(opts)
	if err != nil {
		return err
	}
	s.srv = srv
	log := &serverLog{Logger: s.log.With("component", "nats-server")}
	srv.SetLoggerV2(log, false, false, false)
	srv.Start()
	if err := log.fatal(); err != nil {
		return err
	}
	if !srv.ReadyForConnections(startTimeout) {
		return fmt.Errorf("not ready after %s", startTimeout)
	}
	return nil
}

// Conn connects to the server inside this process, which needs no port.
func (s *Server) Conn(opts ...nats.Option) (*nats.Conn, error) {
	all := append(handlers(s.log), nats.InProcessServer(s.srv))
	nc, err := nats.Connect("", append(all, opts...)...)
	if err != nil {
		return nil, fmt.Errorf("connecting to the embedded nats-server: %w", err)
	}
	return nc, nil
}

// ClientURL is where clients connect, or empty if the server does not listen.
func (s *Server) ClientURL() string {
	if s.srv.Addr() == nil {
		return ""
	}
	return s.srv.ClientURL()
}

// Shutdown stops the server, waits until everything is on disk and releases
// the data directory. Close or drain connections first.
func (s *Server) Shutdown() {
	s.once.Do(func() {
		if s.srv != nil {
			s.srv.Shutdown()
			s.srv.WaitForShutdown()
		}
		if err := s.release(); err != nil {
			s.log.Warn("releasing the data directory", "error", err)
		}
	})
}

// lockFile is never removed: two servers could then lock two files of one
// name.
const lockFile = "shadowd.lock"

func inUse(dir string) error {
	return fmt.Errorf("the data directory %s is in use by another shadowd: stop that one, name another directory, or connect to its bus instead", dir)
}

// checkListen refuses an address that strangers could reach, and one that is
// taken, before the server trips over it.
func checkListen(o ServerOptions) error {
	if o.Listen == "" {
		return nil
	}
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return fmt.Errorf("listen address %.60q: want HOST:PORT, such as 127.0.0.1:4222", o.Listen)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && !o.Exposed {
		return fmt.Errorf("listen address %.60q: other machines could connect without credentials: listen on 127.0.0.1, or run a nats-server with authentication and connect to that", o.Listen)
	}
	l, err := net.Listen("tcp", strings.TrimSuffix(freePort(o.Listen), "-1"))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("the address %s is in use, perhaps by another shadowd or nats-server: stop that one, listen elsewhere, or connect to it instead: %w", o.Listen, err)
	}
	if err != nil {
		return fmt.Errorf("listen address %.60q: %w", o.Listen, err)
	}
	return l.Close()
}

// serverLog passes the server's warnings and errors on, and keeps what it
// would have ended the process for.
type serverLog struct {
	*slog.Logger
	mu  sync.Mutex
	err error
}

func (l *serverLog) Warnf(format string, v ...any)  { l.Warn(fmt.Sprintf(format, v...)) }
func (l *serverLog) Errorf(format string, v ...any) { l.Error(fmt.Sprintf(format, v...)) }
func (l *serverLog) Noticef(string, ...any)         {}
func (l *serverLog) Debugf(string, ...any)          {}
func (l *serverLog) Tracef(string, ...any)          {}

func (l *serverLog) Fatalf(format string, v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = fmt.Errorf(format, v...)
}

func (l *serverLog) fatal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
