package page

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// anyRun means a change of any run.
const anyRun = "*"

// hub tells listeners which runs have changed. A slow listener learns once of
// many changes, and keeps up to maxPending names in memory.
type hub struct {
	mu        sync.Mutex
	listeners map[*listener]bool
	closed    chan struct{} // ends all listeners
}

const (
	maxListeners = 100
	maxPending   = 100
)

// listener is one open page.
type listener struct {
	pending map[string]bool // guarded by the hub's mutex
	changed chan struct{}   // holds a token while there are pending ones
}

func newHub() *hub { return &hub{listeners: map[*listener]bool{}, closed: make(chan struct{})} }

// listen adds a listener, or returns nil where there are too many.
func (h *hub) listen() *listener {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.listeners) >= maxListeners {
		return nil
	}
	l := &listener{pending: map[string]bool{}, changed: make(chan struct{}, 1)}
	h.listeners[l] = true
	return l
}

func (h *hub) leave(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, l)
}

func (h *hub) publish(run string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		if l.pending[run] = true; len(l.pending) > maxPending {
			l.pending = map[string]bool{anyRun: true}
		}
		select {
		case l.changed <- struct{}{}:
		default:
		}
	}
}

// pending takes what a listener has to be told.
func (h *hub) pending(l *listener) map[string]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	runs := l.pending
	l.pending = map[string]bool{}
	return runs
}

// How often a listener is looked after: that it is there, and whether the
// daemon's health has changed. A write may take as long as writeTimeout.
const (
	heartbeat    = 2 * time.Second
	writeTimeout = 10 * time.Second
)

// events tells, as server-sent events, which runs have changed: the event run
// with the run's id or *, and the event health when the daemon's has changed.
func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	l := p.hub.listen()
	if l == nil {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer p.hub.leave(l)
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // the server's would end the request
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	health := p.health()
	send := func(text string) bool {
		_ = out.SetWriteDeadline(time.Now().Add(writeTimeout))
		_, err := fmt.Fprint(w, text)
		return err == nil && out.Flush() == nil
	}
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for going := send("retry: 2000\n\n"); going; {
		text := ""
		select {
		case <-r.Context().Done():
			return
		case <-p.hub.closed:
			return
		case <-l.changed:
			for run := range p.hub.pending(l) {
				text += "event: run\ndata: " + run + "\n\n"
			}
		case <-tick.C:
			text = ": alive\n\n"
			if now := p.health(); now != health {
				health, text = now, "event: health\ndata: changed\n\n"
			}
		}
		going = send(text)
	}
}

func (p *Page) health() string {
	return strings.Join(p.missing(), "\n") + "\n\n" + strings.Join(p.judges(), "\n")
}
