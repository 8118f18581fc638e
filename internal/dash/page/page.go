// Package page shows runs over HTTP to the operator: a list of the newest ones with trends, and each run, live.
//
// Until a run is scored, nothing of it is shown that its envelope seals. Reports are copied field by field before they
// are shown, so that a new field is hidden until somebody lets it through. A reviewer alone sees the work of a domain
// as soon as its report is final, and writes reviews; nothing else can be changed. Scores and gates are shown as they
// are stored, and a scored run with all that was sealed: it is not for the swarm.
package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Page serves the list of runs and each run. It may be asked before Follow has begun, and says so then.
type Page struct {
	// Whole has the bundles of scored runs shown, and not only passages. Set before serving, where a token is asked for.
	Whole bool
	// Review publishes what a reviewer says and waits for what follows. Set before serving, where there are reviewers.
	Review  func(context.Context, *shadow.Review) error
	version string
	// missing says what keeps the daemon from its work, a line each.
	missing func() []string
	// judges says for which judges bundles wait.
	judges func() []string
	index  *index
	// closed ends what listens for changes, of which there are at most maxListeners.
	closed    chan struct{}
	listening chan struct{}
	log       atomic.Pointer[history.Log]
	// reading bounds how many runs are read at once.
	reading chan struct{}
}

// New makes a page that knows no runs yet.
func New(version string, missing, judges func() []string) *Page {
	return &Page{version: version, missing: missing, judges: judges, index: newIndex(), closed: make(chan struct{}), listening: make(chan struct{}, maxListeners), reading: make(chan struct{}, 4)}
}

// Follow reads the log and goes on until ctx ends. Then nobody is told of changes any more.
func (p *Page) Follow(ctx context.Context, log history.Log) {
	defer close(p.closed)
	p.log.Store(&log)
	log.Follow(ctx, maxRuns, p.index.take, func() { p.index.complete.Store(true) })
}

// Policy is the content security policy of all pages.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Handler serves the pages.
func (p *Page) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.list)
	mux.HandleFunc("GET /runs/{run}", p.run)
	mux.HandleFunc("GET /runs/{run}/work/{domain}", p.work)
	mux.HandleFunc("POST /runs/{run}/work/{domain}", p.review)
	mux.HandleFunc("GET /runs/{run}/{file}", p.download)
	mux.HandleFunc("GET /events", p.events)
	return mux
}

// Login writes the form that asks for the token.
func (p *Page) Login(w http.ResponseWriter, wrong bool) {
	p.show(w, http.StatusUnauthorized, "login", wrong)
}

// shell is what every page has around its contents.
type shell struct {
	Title   string
	Version string
	Now     time.Time
	// Missing is what keeps the daemon from its work, and Judges for which judges bundles wait.
	Missing, Judges []string
	// Run is the run that is shown, empty for the list, and Within its address on a page below it.
	Run, Within string
	// Loading: not all runs have been read yet.
	Loading bool
}

func (p *Page) shell(title, run string) shell {
	return shell{Title: title, Version: p.version, Now: time.Now(), Missing: p.missing(), Judges: p.judges(), Run: run, Loading: !p.index.complete.Load()}
}

func (p *Page) show(w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := liveTemplate.ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, "the page cannot be written: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // whoever asked may have gone
}

var (
	//go:embed live.tmpl
	liveHTML string
	//go:embed page.js
	script string
	//go:embed list.css
	listCSS string
	//go:embed icon.svg
	icon string
)

var liveTemplate = template.Must(template.Must(render.Pages.Clone()).Parse(liveHTML))

// Assets serves what pages are made of, which tells nothing of a run.
func Assets() http.Handler {
	mux := http.NewServeMux()
	asset(mux, "/assets/page.css", "text/css; charset=utf-8", render.PageCSS+listCSS)
	asset(mux, "/assets/page.js", "text/javascript; charset=utf-8", script)
	asset(mux, "/assets/icon.svg", "image/svg+xml", icon)
	return mux
}

// asset serves a text that never changes. Its tag is a weak one, since it may be sent compressed.
func asset(mux *http.ServeMux, path, media, text string) {
	sum := sha256.Sum256([]byte(text))
	tag := `W/"` + hex.EncodeToString(sum[:8]) + `"`
	mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", media)
		w.Header().Set("ETag", tag)
		w.Header().Set("Cache-Control", "no-cache") // ask whether it is another one
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader([]byte(text)))
	})
}
