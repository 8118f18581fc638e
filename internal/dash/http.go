package dash

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Options are what a server serves.
type Options struct {
	Metrics *Metrics
	// Missing says what keeps the daemon from its work. Its words are shown.
	Missing func() []string
	// Judges says for which judges bundles wait, which is no reason not to be ready.
	Judges func() []string
	Status func(context.Context) Status
	Access Access
	// Pages are for people, Assets what they are made of, which tells nothing.
	// Login writes the form that asks for the token, Policy is the content
	// security policy.
	Pages, Assets http.Handler
	Login         func(w http.ResponseWriter, wrong bool)
	Policy        string
	Log           *slog.Logger
}

// Handler answers GET and HEAD on
//
//	/metrics  the metrics, for Prometheus; as OpenMetrics where it asks for that
//	/healthz  200: the process lives
//	/readyz   200, or 503 with what is missing, a line each; with 200 also for
//	          which judges bundles wait
//	/status   a [Status]
//
// and on the pages; and POST on /login.
func Handler(o Options) http.Handler {
	mux := http.NewServeMux()
	guarded := func(area, pattern string, h http.Handler) {
		mux.Handle(pattern, o.Access.guard(area, o.Login, h))
	}
	guarded(Metric, "GET /metrics", o.Metrics.Handler(o.Log))
	guarded(Health, "GET /healthz", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") }))
	guarded(Health, "GET /readyz", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if lines := o.Missing(); len(lines) > 0 {
			say(w, http.StatusServiceUnavailable, strings.Join(lines, "\n"))
			return
		}
		say(w, http.StatusOK, strings.Join(append([]string{"ok"}, o.Judges()...), "\n"))
	}))
	guarded(Pages, "GET /status", serveStatus(o.Status))
	guarded(Pages, "GET /", o.Pages)
	mux.Handle("GET /assets/", o.Assets)
	mux.HandleFunc("POST /login", o.Access.login(o.Login))
	return o.Access.answersTo(o.Policy, mux)
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
	addr net.Addr
	http http.Server
	done sync.WaitGroup
}

// Serve serves h on HOST:PORT until [Server.Close]. Port 0 takes a free one.
func Serve(listen string, h http.Handler, log *slog.Logger) (*Server, error) {
	l, err := net.Listen("tcp", listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("http.listen: the address %s is in use: %w", listen, err)
	}
	if err != nil {
		return nil, fmt.Errorf("http.listen: %w", err)
	}
	s := &Server{addr: l.Addr(), http: http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}}
	s.done.Go(func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the page, metrics and health are no longer served", "error", err)
		}
	})
	return s, nil
}

// URL is where the server is.
func (s *Server) URL() string { return "http://" + s.addr.String() }

// Close stops listening and waits for the requests that are under way, until ctx
// ends.
func (s *Server) Close(ctx context.Context) {
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close() // the late ones are cut off
	}
	s.done.Wait()
}
