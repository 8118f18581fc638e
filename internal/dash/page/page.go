package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/render"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Page serves the list of runs and each run. It may be asked before Follow has
// begun, and says so then.
type Page struct {
	version string
	// missing says what keeps the daemon from its work, a line each.
	missing func() []string
	index   *index
	hub     *hub
	log     atomic.Pointer[history.Log]
	// reading bounds how many runs are read at once.
	reading chan struct{}
}

// New makes a page that knows no runs yet.
func New(version string, missing func() []string) *Page {
	return &Page{version: version, missing: missing, index: newIndex(), hub: newHub(), reading: make(chan struct{}, 4)}
}

// Follow reads the log and goes on until ctx ends. Then nobody is told of
// changes any more.
func (p *Page) Follow(ctx context.Context, log history.Log) {
	defer p.hub.close()
	p.log.Store(&log)
	log.Follow(ctx, mostRuns, func(o history.Output) {
		if run := p.index.take(o); run != "" {
			p.hub.publish(run)
		}
	}, func() {
		p.index.complete.Store(true)
		p.hub.publish(anyRun)
	})
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

var liveTemplate = template.Must(template.New("live").Funcs(render.PageFuncs).Parse(liveHTML))

// Policy is the content security policy of all pages.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Handler serves the pages.
func (p *Page) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.list)
	mux.HandleFunc("GET /runs/{run}", p.run)
	mux.HandleFunc("GET /runs/{run}/{file}", p.download)
	mux.HandleFunc("GET /events", p.events)
	return mux
}

// Assets serves what pages are made of, which tells nothing of a run.
func Assets() http.Handler {
	mux := http.NewServeMux()
	asset(mux, "/assets/page.css", "text/css; charset=utf-8", render.PageCSS+listCSS)
	asset(mux, "/assets/page.js", "text/javascript; charset=utf-8", script)
	asset(mux, "/assets/icon.svg", "image/svg+xml", icon)
	return mux
}

// Login writes the form that asks for the token.
func (p *Page) Login(w http.ResponseWriter, wrong bool) {
	p.show(w, http.StatusUnauthorized, "login", wrong)
}

// asset serves a text that never changes while the daemon runs.
func asset(mux *http.ServeMux, path, media, text string) {
	sum := sha256.Sum256([]byte(text))
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", media)
		w.Header().Set("ETag", tag)
		w.Header().Set("Cache-Control", "no-cache") // ask whether it is another one
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader([]byte(text)))
	})
}

// shell is what every page has around its contents.
type shell struct {
	Title   string
	Version string
	Now     time.Time
	// Missing is what keeps the daemon from its work.
	Missing []string
	// Run is the run that is shown; empty for the list.
	Run string
	// Loading: not all runs have been read yet.
	Loading bool
}

func (p *Page) shell(title, run string) shell {
	return shell{Title: title, Version: p.version, Now: time.Now(), Missing: p.missing(), Run: run, Loading: !p.index.complete.Load()}
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

// runPage is a run as the template sees it.
type runPage struct {
	shell
	Header, Main template.HTML
	Rejected     []rejection
	// Formats are what can be downloaded, none while the run is under way.
	Formats []render.Format
	// Problem is said where there is no run to show.
	Problem string
}

func (p *Page) run(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("run")
	v := runPage{shell: p.shell(shadow.Printable(id), id)}
	run, err := p.read(r.Context(), id)
	status := http.StatusOK
	p.index.of(id, func(e *entry) { v.Rejected = slices.Clone(e.rejected) })
	if err != nil {
		v.Problem, status = problem(err)
		p.show(w, status, "run", v)
		return
	}
	d := p.document(run)
	if v.Title, v.Header, v.Main, err = render.Parts(d); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if run.Scored != nil {
		v.Formats = slices.Clone(render.RunFormats)
		if len(run.Attested) == 0 {
			v.Formats = slices.DeleteFunc(v.Formats, func(f render.Format) bool { return f.Name == render.InToto })
		}
	}
	p.show(w, status, "run", v)
}

// errBusy: as many runs are read as may be at once.
var errBusy = errors.New("too many pages are asked for at once")

// read reads a run from the log.
func (p *Page) read(ctx context.Context, id string) (*history.Run, error) {
	log := p.log.Load()
	if log == nil {
		return nil, errStarting
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	select {
	case p.reading <- struct{}{}:
		defer func() { <-p.reading }()
	case <-ctx.Done():
		return nil, errBusy
	}
	return history.ReadRun(ctx, log.Subjects, log.JS, id)
}

// readTimeout bounds how long a run is read.
const readTimeout = 20 * time.Second

var errStarting = errors.New("shadowd is starting")

// problem says in words why there is no run to show.
func problem(err error) (string, int) {
	switch {
	case errors.Is(err, history.ErrNoRun), errors.Is(err, layout.ErrRunName):
		return "There is no such run in the log.", http.StatusNotFound
	case errors.Is(err, history.ErrNotSealed):
		return "The run is not sealed yet. Nothing of it is judged before that.", http.StatusOK
	case errors.Is(err, errStarting), errors.Is(err, errBusy):
		return sentence(err) + " Try again in a moment.", http.StatusServiceUnavailable
	}
	return "The run cannot be read: " + err.Error() + ".", http.StatusServiceUnavailable
}

func sentence(err error) string {
	s := []rune(err.Error())
	return string(append([]rune{s[0] &^ 0x20}, s[1:]...)) + "."
}

// document makes of a run what is shown. Until it is scored nothing sealed is
// in it.
func (p *Page) document(run *history.Run) *render.Document {
	withheld := run.Scored == nil
	if withheld {
		run = withhold(run)
	}
	var last []*shadow.Report
	for _, d := range run.Domains() {
		if rep := run.Last(d); rep != nil {
			last = append(last, rep)
		}
	}
	doc := render.OfRun(run, last)
	doc.Run.Withheld = withheld
	var open map[string]time.Time
	p.index.of(run.ID, func(e *entry) { open = e.open() })
	for _, d := range run.Missing() {
		a := render.Awaited{Domain: d}
		if run.Decomposition != nil {
			if dom := run.Decomposition.Find(d); dom != nil {
				a.Commander = dom.CommanderID
			}
		}
		a.Received = open[a.Commander]
		doc.Run.Awaited = append(doc.Run.Awaited, a)
	}
	return doc
}

// download writes the reports of a scored run in one of the formats.
func (p *Page) download(w http.ResponseWriter, r *http.Request) {
	id, file := r.PathValue("run"), r.PathValue("file")
	run, err := p.read(r.Context(), id)
	if err != nil {
		text, status := problem(err)
		http.Error(w, text, max(status, http.StatusNotFound))
		return
	}
	if run.Scored == nil {
		http.Error(w, "The run is not scored yet. Its reports hold sealed text, so they are given out when it is.", http.StatusConflict)
		return
	}
	var b bytes.Buffer
	i := slices.IndexFunc(render.RunFormats, func(f render.Format) bool { return file == "report."+f.Ext })
	if i < 0 {
		http.NotFound(w, r)
		return
	}
	if err := render.RunFormats[i].Write(&b, p.document(run)); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", render.RunFormats[i].Media)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", id+"."+file))
	_, _ = w.Write(b.Bytes()) // whoever asked may have gone
}
