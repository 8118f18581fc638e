package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/history"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/dash"
	"github.com/swarmspeed/shadowd/internal/dash/page"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/panel"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// watch is what the page, metrics and health know of a daemon. Its parts come
// up one after the other, while somebody may be asking.
type watch struct {
	version string
	metrics *dash.Metrics
	page    *page.Page
	errors  *dash.LastError
	nc      atomic.Pointer[nats.Conn]
	engine  atomic.Pointer[bus.Engine]
	panel   atomic.Pointer[panel.Panel] // nil: no judges
	at      string                      // the URL of the bus, set before store
	store   atomic.Pointer[layout.Store]
	storage storageCheck
	// unsynced says what may be gone since the last daemon was not stopped in order;
	// set before store.
	unsynced string
}

// listen begins to watch, and serves the page, metrics and health if the
// configuration says where.
func (d *Daemon) listen(p *Participants, version string) error {
	w := &watch{version: version, errors: dash.NewLastError(d.log.Handler())}
	d.watch = w
	d.log = slog.New(w.errors)
	w.page = page.New(version, w.missing, w.awaited)
	c := dash.Config{Version: version, Judges: names(d.cfg.Judging.Panel), Ready: func() bool { return len(w.missing()) == 0 }, Reconnects: w.reconnects, Waiting: w.waiting, Active: w.active, In: w.storage.in, Awaiting: func(judge string) int { return w.awaiting()[judge] }}
	c.Authors = append(names(d.cfg.Seal.Authors), shadow.Program)
	c.Currency, c.Spent = d.cfg.Currency, map[string]func() int64{}
	for name, client := range p.priced {
		c.Spent[name] = client.Spent
	}
	w.metrics = dash.New(c)
	if d.cfg.HTTP.Listen == "" {
		return nil
	}
	access := dash.Access{Open: d.cfg.HTTP.Open, Local: dash.IsLocal(d.cfg.HTTP.Listen)}
	var err error
	if access.Token, err = HTTPToken(&d.cfg.HTTP); err != nil {
		return err
	}
	if access.Reviewers, err = reviewerTokens(&d.cfg.HTTP, access.Token); err != nil {
		return err
	}
	w.page.Whole = access.Asks(dash.Pages)
	cfg := d.cfg // the keys do not change by a reload
	w.page.Review = func(ctx context.Context, v *shadow.Review) error { return w.review(ctx, cfg, v) }
	at := dash.Listener{Address: d.cfg.HTTP.Listen, CertFile: d.cfg.HTTP.CertFile, KeyFile: d.cfg.HTTP.KeyFile}
	server, err := dash.Serve(at, dash.Handler(dash.Options{
		Metrics: w.metrics, Missing: w.missing, Warnings: w.warnings, Status: w.status, Access: access, Log: d.log,
		Pages: w.page.Handler(), Assets: page.Assets(), Login: w.page.Login, Policy: page.Policy,
	}), d.log)
	if err != nil {
		return hint.Failed(err, "stop what listens there, or set http.listen to another address")
	}
	d.started("the page, metrics and health", func(ctx context.Context) error {
		server.Close(ctx)
		return nil
	})
	d.log.Info("the page, metrics and health are served", "url", server.URL())
	if access.Token == "" && len(d.cfg.Bus.Users) > 0 {
		d.log.Warn("anybody on this machine can see the page, and with it what was sealed of scored runs; set http.token_file to end it")
	}
	return nil
}

// review publishes what somebody says on the page, signed as the command signs it for
// the operator, and waits for what follows.
func (w *watch) review(ctx context.Context, cfg *config.Config, v *shadow.Review) error {
	store := w.store.Load()
	if store == nil {
		return errors.New("shadowd is starting: try again in a moment")
	}
	key, err := ReviewKey(cfg)
	if err != nil {
		return err
	}
	if key != nil {
		defer key.Wipe()
	}
	_, err = (&bus.Reviewer{Subjects: store.Subjects, JS: store.JS, Key: key}).Review(ctx, v)
	return err
}

func (w *watch) isConnected() bool {
	nc := w.nc.Load()
	return nc != nil && nc.IsConnected()
}

func (w *watch) reconnects() uint64 {
	if nc := w.nc.Load(); nc != nil {
		return nc.Stats().Reconnects
	}
	return 0
}

func (w *watch) waiting() int {
	if e := w.engine.Load(); e != nil {
		return e.Waiting()
	}
	return 0
}

// active says whether this daemon is the active one.
func (w *watch) active() bool {
	e := w.engine.Load()
	if e == nil {
		return false
	}
	active, _ := e.Active()
	return active
}

// missing is what keeps the daemon from its work, a line each.
func (w *watch) missing() (lines []string) {
	if !w.isConnected() {
		return []string{"no connection to the bus"}
	}
	e := w.engine.Load()
	if e == nil {
		return []string{"starting"}
	}
	// After a reconnect it may be another server.
	if v := w.nc.Load().ConnectedServerVersion(); v != "" {
		if err := layout.CheckVersion(v); err != nil {
			lines = append(lines, err.Error())
		}
	}
	if problem := e.Problem(); problem != "" {
		lines = append(lines, problem)
	}
	return append(lines, w.storage.missing()...)
}

// countedPanel counts what judges said, where it was said: also of a report
// that another daemon was first to store, since it is paid for.
type countedPanel struct {
	bus.Panel
	metrics *dash.Metrics
}

func (p countedPanel) Ask(ctx context.Context, qs []shadow.Question) (shadow.PanelVotes, error) {
	said, err := p.Panel.Ask(ctx, qs)
	if err == nil {
		p.metrics.Votes(said.Ballots)
	}
	return said, err
}

// follow has the page read the log, once there is one.
func (d *Daemon) follow() {
	d.watch.at = d.url()
	if d.cfg.HTTP.Listen != "" {
		d.background("reading for the page", func(ctx context.Context) {
			d.watch.page.Follow(ctx, history.Log{Subjects: d.store.Subjects, JS: d.js, Signers: d.signers, Logger: d.log})
		})
	}
}

// status is how the daemon is doing.
func (w *watch) status(ctx context.Context) dash.Status {
	s := dash.Status{Version: w.version, Missing: w.missing(), Connected: w.isConnected(), Reconnects: w.reconnects(), LastError: w.errors.Get()}
	store := w.store.Load()
	if store == nil {
		return s
	}
	s.URL = w.at
	s.Judges, s.Unsynced = w.awaited(), w.unsynced
	if e := w.engine.Load(); e != nil {
		s.Active, s.ActiveOne = e.Active()
	}
	lags, err := bus.Lags(ctx, store)
	if err != nil {
		s.Problem = err.Error()
	}
	for _, l := range lags {
		s.Streams = append(s.Streams, dash.Lag(l))
	}
	return s
}

// awaited says for which judges bundles wait, a line each.
func (w *watch) awaited() (lines []string) {
	if p := w.panel.Load(); p != nil {
		for _, a := range p.Waiting() {
			lines = append(lines, fmt.Sprintf("%s waiting for judge %s, which is out of reach since %s: %s",
				shadow.Count(a.Bundles, "bundle"), a.Judge, a.Since.UTC().Format(time.RFC3339), a.Why))
		}
	}
	return lines
}

// warnings are what is no reason not to be ready, a line each.
func (w *watch) warnings() []string {
	if w.store.Load() != nil && w.unsynced != "" {
		return append([]string{w.unsynced}, w.awaited()...)
	}
	return w.awaited()
}

// awaiting is how many bundles wait for each judge that is out of reach.
func (w *watch) awaiting() map[string]int {
	all := map[string]int{}
	if p := w.panel.Load(); p != nil {
		for _, a := range p.Waiting() {
			all[a.Judge] += a.Bundles
		}
	}
	return all
}

const (
	probeEvery   = 15 * time.Second
	probeTimeout = 5 * time.Second
)

// storageCheck knows whether the bus can store. The connection and the
// consumers do not show that: they work with a full disk too.
type storageCheck struct {
	failed      atomic.Pointer[string]
	used, limit atomic.Int64 // bytes of IN
}

// in is how many bytes IN holds and may hold.
func (s *storageCheck) in() (used, limit int64) { return s.used.Load(), s.limit.Load() }

// check stores something, and logs where that begins or ceases to work. store says
// what IN holds and may hold.
func (s *storageCheck) check(ctx context.Context, log *slog.Logger, store func(context.Context) (used, limit int64, err error)) {
	limited, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	used, limit, err := store(limited)
	s.used.Store(used)
	s.limit.Store(limit)
	if err != nil && limited.Err() != nil {
		err = fmt.Errorf("the bus needs more than %s to store a trial: is its disk slow?", probeTimeout)
	}
	switch before := s.failed.Load(); {
	case ctx.Err() != nil:
	case err == nil && before != nil:
		s.failed.Store(nil)
		log.Info("the bus stores again")
	case err != nil && before == nil:
		line := fmt.Sprintf("since %s %s", time.Now().UTC().Format(time.RFC3339), err)
		s.failed.Store(&line)
		log.Error("the bus does not store", "error", err)
	}
}

// missing is a line if the last look failed.
func (s *storageCheck) missing() []string {
	if line := s.failed.Load(); line != nil {
		return []string{*line}
	}
	return nil
}

// probe looks again and again whether the bus stores, while the daemon runs.
func (d *Daemon) probe(ctx context.Context) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		if d.nc.IsConnected() { // else that is what is said
			d.watch.storage.check(ctx, d.log, func(ctx context.Context) (used, limit int64, err error) { return bus.Probe(ctx, d.store) })
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
