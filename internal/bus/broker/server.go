// Package broker connects to a NATS server or runs one inside this process, and
// writes the configuration of a server: the accounts that keep users apart, and
// what each of them may do.
package broker

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
)

// Options describes a nats-server for shadowd.
type Options struct {
	// Listen is HOST:PORT. Port 0 takes a free one; empty means that only
	// this process can connect.
	Listen string
	// DataDir is where JetStream stores its files. It is created if absent,
	// and belongs to one server at a time.
	DataDir string
	// Sync is how often what is stored is synced to the disk; 0 is always, before
	// it is acknowledged. Then a power cut loses nothing that was.
	Sync time.Duration
	// MaxPayload is the largest message in bytes; 0 means the server's
	// default of 1 MiB.
	MaxPayload int32
	// Subjects has the prefix of the subjects, and Users are those who may
	// connect beside this process. If nobody is among them but operators, the
	// server is in development mode: see [layout.RoleAnonymous].
	Subjects layout.Subjects
	Users    []layout.User
	// TLSCert and TLSKey are PEM files; with them clients must use TLS.
	TLSCert, TLSKey string
	// Name is what the server calls itself, shadowd unless set. Within a
	// cluster, each has its own.
	Name string
	// Cluster is the name of the cluster, RoutesListen HOST:PORT for its other
	// servers, and Routes are their URLs. RoutesPassword is what a server has
	// to know that joins it. All are empty for a single server.
	Cluster, RoutesListen, RoutesPassword string
	Routes                                []string
	// RoutesCA is a PEM file of the authority whose certificates the servers
	// of a cluster show each other, TLSCert among them. Empty is no TLS
	// between them.
	RoutesCA string
	// Logger gets the server's warnings and errors; nil means slog's default.
	Logger *slog.Logger
}

// Server is a nats-server inside this process.
type Server struct {
	srv     *server.Server
	self    nkeys.KeyPair // of this process, made anew at every start
	nobody  string        // the public key of the anonymous user, whose seed is lost
	release func() error
	log     *slog.Logger
	server  *serverLog
	once    sync.Once
	// unsynced is the interval of syncs of a server that ran in the data directory
	// and was not stopped in order, and marked that this one has a mark to remove.
	unsynced time.Duration
	marked   bool

	mu      sync.Mutex
	options Options         // with all users that may connect
	active  *server.Options // what the server itself holds
}

// startTimeout bounds a start. A server with a million messages on disk needs
// about a second.
const startTimeout = time.Minute

// Start runs a nats-server inside this process until [Server.Shutdown],
// and returns when it takes connections. Its error is [ErrListen] or [ErrDataDir]
// where that option is the reason.
func Start(o Options) (*Server, error) {
	if o.DataDir == "" {
		return nil, errors.New("starting the embedded nats-server: no data directory: name one")
	}
	if err := CheckListen(o.Listen); err != nil {
		return nil, err
	}
	release, err := takeDir(o.DataDir)
	if err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	s := &Server{release: release, log: o.Logger}
	if s.unsynced, err = readMark(o.DataDir); err == nil && o.Sync > 0 {
		err = writeMark(o.DataDir, max(o.Sync, s.unsynced))
	}
	if err == nil {
		err = s.start(o)
	}
	if err != nil {
		s.Shutdown()
		return nil, fmt.Errorf("starting the embedded nats-server: %w", err)
	}
	return s, nil
}

func (s *Server) start(o Options) error {
	var err error
	if s.self, _, err = newUserKey(); err != nil {
		return err
	}
	if _, s.nobody, err = newUserKey(); err != nil {
		return err
	}
	if err := s.addOwn(&o); err != nil {
		return err
	}
	opts, err := serverOptions(o)
	if err != nil {
		return err
	}
	s.options = o
	srv, err := server.NewServer(opts)
	if err != nil {
		return err
	}
	s.srv, s.active = srv, opts
	s.server = &serverLog{Logger: s.log.With("component", "nats-server"), unwritable: make(chan string, 1)}
	srv.SetLoggerV2(s.server, false, false, false)
	srv.Start()
	if err := s.server.fatal(); err != nil {
		return err
	}
	if !srv.ReadyForConnections(startTimeout) {
		return fmt.Errorf("not ready after %s", startTimeout)
	}
	s.marked = s.unsynced > 0 || o.Sync > 0
	return nil
}

// serverOptions are the options in the server's own form.
func serverOptions(o Options) (*server.Options, error) {
	opts := &server.Options{}
	if err := opts.ProcessConfigString(Config(o)); err != nil {
		return nil, fmt.Errorf("its configuration: %w", err)
	}
	// What the language cannot say: signals and standard output are the
	// program's own.
	opts.NoSigs, opts.NoLog, opts.DontListen = true, true, o.Listen == ""
	return opts, nil
}

// Conn connects to the server inside this process, which needs no port, as
// shadowd itself.
func (s *Server) Conn(opts ...nats.Option) (*nats.Conn, error) { return s.ConnAs(s.self, opts...) }

// ConnAs connects inside this process as the user with that key. Without one
// it connects as whoever gives no credentials.
func (s *Server) ConnAs(kp nkeys.KeyPair, opts ...nats.Option) (*nats.Conn, error) {
	all := append(handlers(s.log), nats.Timeout(connectTimeout), nats.InProcessServer(s.srv))
	if kp != nil {
		public, err := kp.PublicKey()
		if err != nil {
			return nil, fmt.Errorf("connecting to the embedded nats-server: %w", err)
		}
		all = append(all, nats.Nkey(public, kp.Sign))
	}
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

// Unwritable tells, once, that a file of the server could not be written, in
// the server's words: its disk is full, say. That stream takes nothing from
// then on, also when there is room again, until the server is started anew.
func (s *Server) Unwritable() <-chan string { return s.server.unwritable }

// Unsynced is the interval of syncs of a server that ran in this data directory
// before and was not stopped in order; else 0. If the machine lost power, what that
// one acknowledged within so long may be gone.
func (s *Server) Unsynced() time.Duration { return s.unsynced }

// Shutdown stops the server, waits until everything is on disk and releases
// the data directory. Close or drain connections first.
func (s *Server) Shutdown() {
	s.once.Do(func() {
		if s.srv != nil {
			s.srv.Shutdown()
			s.srv.WaitForShutdown()
		}
		if s.marked {
			if err := removeMark(s.options.DataDir); err != nil {
				s.log.Warn("not everything that was stored is known to be on the disk", "error", err)
			}
		}
		if err := s.release(); err != nil {
			s.log.Warn("releasing the data directory", "error", err)
		}
	})
}

// lockFile is never removed: two servers could then lock two files of one name.
const lockFile = "shadowd.lock"

// takeDir makes the data directory and takes it.
func takeDir(dir string) (release func() error, err error) {
	if err = os.MkdirAll(dir, 0o700); err == nil {
		release, err = lockDir(dir)
	}
	if err != nil {
		err = optionError{err, ErrDataDir}
	}
	return release, err
}

func inUse(dir string) error {
	return fmt.Errorf("%s is in use by another shadowd: stop that one, name another directory, or connect to its bus instead", dir)
}

// serverLog passes the server's warnings and errors on, and keeps what it
// would have ended the process for.
type serverLog struct {
	*slog.Logger
	unwritable chan string
	mu         sync.Mutex
	err        error
}

func (l *serverLog) Warnf(format string, v ...any) { l.Warn(fmt.Sprintf(format, v...)) }

// ofClient begins what the server says of a client's connection. Behind it stands
// the name that the client gave itself, and the subject that it asked for.
var ofClient = regexp.MustCompile(`^\S+ - cid:`)

func (l *serverLog) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	if ofClient.MatchString(text) {
		l.Info(text) // what a client may not do is its own affair
		return
	}
	l.Error(text)
	// The server has no other way of telling, and answers nobody. A test holds
	// these words.
	for _, sign := range []string{"failed to store a msg", "critical write error", "will be DISABLED"} {
		if strings.Contains(text, sign) {
			select {
			case l.unwritable <- text:
			default:
			}
		}
	}
}

// Nobody has to act on these.
func (l *serverLog) Noticef(string, ...any) {}
func (l *serverLog) Debugf(string, ...any)  {}
func (l *serverLog) Tracef(string, ...any)  {}

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

// addOwn adds the user that this process is itself and, in development mode,
// the one that everybody else is.
func (s *Server) addOwn(o *Options) error {
	public, err := s.self.PublicKey()
	if err != nil {
		return err
	}
	development := !hasWall(o.Users)
	o.Users = append([]layout.User{{Name: "shadowd", Role: layout.RoleShadowd, NKey: public}}, o.Users...)
	if development {
		o.Users = append(o.Users, layout.User{Name: "anonymous", Role: layout.RoleAnonymous, NKey: s.nobody})
	}
	return layout.CheckUsers(o.Users)
}

func newUserKey() (nkeys.KeyPair, string, error) {
	kp, err := nkeys.CreateUser()
	if err != nil {
		return nil, "", err
	}
	public, err := kp.PublicKey()
	return kp, public, err
}

// hasWall says whether users put up a wall: there is somebody beyond it who is
// not anonymous.
func hasWall(users []layout.User) bool {
	return slices.ContainsFunc(users, func(u layout.User) bool { return !u.Inside() && u.Role != layout.RoleAnonymous })
}

// ErrWallChanged: users would put up a wall around a running server, or take it
// down. What was stored under the one claim must not go on under the other.
var ErrWallChanged = errors.New("the first user puts up a wall, and without the last one there is none: that takes a restart")

// SetUsers changes who may connect, as [Options] has them, while the server
// runs; TLSCert and TLSKey are read again. Whoever is no longer among the users is
// disconnected, and nobody else. With an error nothing has changed.
//
// The server does not change accounts in one step: who connects or asks in the
// very moment may be refused, and has to try again.
func (s *Server) SetUsers(users []layout.User) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if hasWall(users) != hasWall(s.options.Users) {
		return ErrWallChanged
	}
	o := s.options
	o.Users = users
	if err := s.addOwn(&o); err != nil {
		return err
	}
	// Twice: the server sets the services up that an account imports only if it
	// knew the account before.
	for range 2 {
		opts, err := serverOptions(o)
		if err != nil {
			return err
		}
		// It compares the users with those it has, down to the counters of their
		// accounts, while clients use these: a race, once in a while a crash. With
		// none to compare it takes the new ones. It reads the list nowhere else.
		s.active.Nkeys = nil
		if err := s.srv.ReloadOptions(opts); err != nil {
			return fmt.Errorf("changing the users of the embedded nats-server: %w", err)
		}
		s.active = opts
	}
	s.options = o
	return nil
}

// Users are all who may connect: shadowd itself, those of the options and, in
// development mode, the anonymous one.
func (s *Server) Users() []layout.User {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options.Users
}

// Walled says whether everybody has to give credentials.
func (s *Server) Walled() bool { return hasWall(s.Users()) }
