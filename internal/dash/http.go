package dash

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/time/rate"
)

// Options are what a server serves.
type Options struct {
	Metrics *Metrics
	// Missing says what keeps the daemon from its work. Its words are shown.
	Missing func() []string
	// Warnings are no reason not to be ready: for which judges bundles wait, say.
	Warnings func() []string
	Status   func(context.Context) Status
	Access   Access
	// Pages are for people, Assets what they are made of, which tells nothing. Login writes the form that asks for
	// the token, Policy is the content security policy.
	Pages, Assets http.Handler
	Login         func(w http.ResponseWriter, wrong bool)
	Policy        string
	Log           *slog.Logger
}

// Handler answers GET and HEAD on
//
//	/metrics  the metrics, for Prometheus; as OpenMetrics where it asks for that
//	/healthz  200: the process lives
//	/readyz   200, or 503 with what is missing, a line each; with 200 also what
//	          somebody should know, such as for which judges bundles wait
//	/status   a [Status]
//
// and on the pages; and POST on /login and, for reviewers, on the work of a domain.
// What a browser sends for another website is refused.
func Handler(o Options) http.Handler {
	mux, door := http.NewServeMux(), newDoor(o)
	guarded := func(area, pattern string, h http.Handler) {
		mux.Handle(pattern, door.guard(area, h))
	}
	guarded(Metric, "GET /metrics", o.Metrics.Handler(o.Log))
	guarded(Health, "GET /healthz", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") }))
	guarded(Health, "GET /readyz", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if lines := o.Missing(); len(lines) > 0 {
			say(w, http.StatusServiceUnavailable, strings.Join(lines, "\n"))
			return
		}
		say(w, http.StatusOK, strings.Join(append([]string{"ok"}, o.Warnings()...), "\n"))
	}))
	guarded(Pages, "GET /status", serveStatus(o.Status))
	guarded(Pages, "GET /", o.Pages)
	guarded(Pages, "POST /runs/{run}/work/{domain}", forReviewers(o.Pages))
	mux.Handle("GET /assets/", o.Assets)
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, _ *http.Request) { o.Login(w, false) })
	mux.HandleFunc("POST /login", door.login)
	own := http.NewCrossOriginProtection()
	own.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		say(w, http.StatusForbidden, "this was sent by the page of another website")
	}))
	return o.Access.answersTo(o.Policy, own.Handler(compressed(mux)))
}

// compressed has answers compressed for who takes that, but not events, of which each has to arrive at once.
func compressed(h http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false), gzhttp.ContentTypeFilter(func(media string) bool {
		return strings.HasPrefix(media, "text/") && !strings.HasPrefix(media, "text/event-stream") || strings.HasPrefix(media, "application/") || strings.HasPrefix(media, "image/svg")
	}))
	if err != nil {
		panic(err) // only for options that contradict each other
	}
	return wrap(h)
}

// Handler answers with the metrics.
func (m *Metrics) Handler(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		MaxRequestsInFlight: 4,
		EnableOpenMetrics:   true,
	})
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, text) // whoever asked may have gone
}

// Server is an HTTP server that is up.
type Server struct {
	addr   net.Addr
	scheme string
	http   http.Server
	done   sync.WaitGroup
}

// Listener says where a server listens.
type Listener struct {
	// Address is HOST:PORT. Port 0 takes a free one.
	Address string
	// CertFile and KeyFile are PEM files. With them it is TLS that is spoken.
	CertFile, KeyFile string
}

// Serve serves h until [Server.Close].
func Serve(at Listener, h http.Handler, log *slog.Logger) (*Server, error) {
	s := &Server{scheme: "http", http: http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}}
	serve := s.http.Serve
	if at.CertFile != "" {
		cert := &certificate{certFile: at.CertFile, keyFile: at.KeyFile, log: log, warn: rate.Sometimes{Interval: time.Minute}}
		if err := cert.read(); err != nil {
			return nil, err
		}
		s.scheme, s.http.TLSConfig = "https", &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: cert.get}
		serve = func(l net.Listener) error { return s.http.ServeTLS(l, "", "") }
	}
	l, err := net.Listen("tcp", at.Address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("http.listen: the address %s is in use: %w", at.Address, err)
	}
	if err != nil {
		return nil, fmt.Errorf("http.listen: %w", err)
	}
	s.addr = l.Addr()
	s.done.Go(func() {
		if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the page, metrics and health are no longer served", "error", err)
		}
	})
	return s, nil
}

// URL is where the server is.
func (s *Server) URL() string { return s.scheme + "://" + s.addr.String() }

// Close stops listening and waits for the requests that are under way, until ctx ends.
func (s *Server) Close(ctx context.Context) {
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close() // the late ones are cut off
	}
	s.done.Wait()
}

// certificate is that of a server. It is read at each handshake, so that a new one is taken as soon as it is there.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	last              atomic.Pointer[tls.Certificate]
	warn              rate.Sometimes // bounds how often it is logged that it cannot be read
}

func (c *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("http.cert_file: %w", err)
	}
	c.last.Store(&pair)
	return nil
}

// get is called at each handshake. While the files are wrong, or only one is there, the certificate before stays.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if err := c.read(); err != nil {
		c.warn.Do(func() { c.log.Error("the certificate of the page is not taken, and the old one stays", "error", err) })
	}
	return c.last.Load(), nil
}
