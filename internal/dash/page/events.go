package page

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// maxListeners is how many pages are told of changes at once.
const maxListeners = 100

// How often it is looked for what has changed. A write may take as long as writeTimeout.
const (
	lookEvery    = 500 * time.Millisecond
	writeTimeout = 10 * time.Second
)

// events tells, as server-sent events, which runs have changed (run, with the id), and that the daemon's health has (health).
func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	select {
	case p.listening <- struct{}{}:
		defer func() { <-p.listening }()
	default:
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // the server's would end the request
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	send := func(text string) bool {
		_ = out.SetWriteDeadline(time.Now().Add(writeTimeout))
		_, err := fmt.Fprint(w, text)
		return err == nil && out.Flush() == nil
	}
	health := p.health()
	_, seen := p.index.since(0)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for going := send("retry: 2000\n\n"); going; {
		select {
		case <-r.Context().Done():
			return
		case <-p.closed:
			return
		case <-tick.C:
		}
		text := ": alive\n\n"
		var runs []string
		runs, seen = p.index.since(seen)
		for _, run := range runs {
			text += "event: run\ndata: " + run + "\n\n"
		}
		if now := p.health(); now != health {
			health = now
			text += "event: health\ndata: changed\n\n"
		}
		going = send(text)
	}
}

// health is what pages say of the daemon, and whether all runs have been read.
func (p *Page) health() string {
	return fmt.Sprintln(strings.Join(p.missing(), "\n"), strings.Join(p.judges(), "\n"), p.index.complete.Load())
}
