package dash

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"
)

// Status is how a daemon is doing, in JSON under /status.
type Status struct {
	Version string `json:"version"`
	// Missing is what keeps the daemon from its work; empty where it works.
	Missing    []string `json:"missing"`
	Connected  bool     `json:"connected"`
	URL        string   `json:"url,omitempty"` // of the bus, without passwords
	Reconnects uint64   `json:"reconnects"`
	// Active: this daemon is the active one. Else it stands by for ActiveOne, the id of a lease.
	Active    bool   `json:"active"`
	ActiveOne string `json:"active_one,omitempty"`
	Streams   []Lag  `json:"streams"`
	// Judges says for which judges bundles wait, a line each. It is no reason not to be ready.
	Judges []string `json:"judges,omitempty"`
	// Unsynced says what may be gone after a crash where bus.sync is an interval. The daemon is ready with it.
	Unsynced string `json:"unsynced,omitempty"`
	// Problem is why the streams could not be asked; empty where they could.
	Problem string `json:"problem,omitempty"`
	// LastError is the last warning or error of the log since the daemon was ready; nil if there was none.
	LastError *Logged `json:"last_error,omitempty"`
}

// Lag is how full a stream is, and how far shadowd is behind it.
type Lag struct {
	Stream   string `json:"stream"`
	Messages uint64 `json:"messages"`  // of the stream
	Bytes    uint64 `json:"bytes"`     // of the stream; in IN an event counts as 1024 at least
	MaxBytes int64  `json:"max_bytes"` // at which the stream refuses more; -1 is none
	Pending  uint64 `json:"pending"`   // from the first event without an outcome to the last
}

// Logged is a line of the log.
type Logged struct {
	Time    time.Time  `json:"time"`
	Level   slog.Level `json:"level"`
	Message string     `json:"message"`
}

// statusTimeout bounds the questions to the bus.
const statusTimeout = 5 * time.Second

func serveStatus(status func(context.Context) Status) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), statusTimeout)
		defer cancel()
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		s := status(ctx)
		if s.Missing == nil {
			s.Missing = []string{}
		}
		_ = json.NewEncoder(w).Encode(s) // whoever asked may have gone
	}
}

// LastError is a handler of a log that remembers the last warning or error.
type LastError struct {
	slog.Handler
	last *atomic.Pointer[Logged]
}

// NewLastError makes one that hands all on to h.
func NewLastError(h slog.Handler) *LastError { return &LastError{h, new(atomic.Pointer[Logged])} }

// Get is the last warning or error, or nil.
func (l *LastError) Get() *Logged { return l.last.Load() }

// Forget forgets it: what was said before a daemon was ready did not keep it from becoming so.
func (l *LastError) Forget() { l.last.Store(nil) }

// Handle notes a record and hands it on.
func (l *LastError) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		text := r.Message
		r.Attrs(func(a slog.Attr) bool {
			switch a.Key {
			case "run", "subject", "error", "reason", "why", "judge", "note":
				text += ": " + a.Value.String()
			}
			return true
		})
		l.last.Store(&Logged{r.Time.UTC(), r.Level, text})
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs keeps what is remembered together.
func (l *LastError) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &LastError{l.Handler.WithAttrs(attrs), l.last}
}

// WithGroup keeps what is remembered together.
func (l *LastError) WithGroup(name string) slog.Handler {
	return &LastError{l.Handler.WithGroup(name), l.last}
}
