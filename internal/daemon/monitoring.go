package daemon

import (
	"cmp"
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

// watch is what the page, metrics and health know of a daemon.
type watch struct {
	version string
	metrics *dash.Metrics
	page    *page.Page
	errors  *dash.LastError
	storage storageCheck
	live    atomic.Pointer[live] // never nil
}

// live is what there is of a daemon: first nothing, then a connection, then all.
type live struct {
	nc       *nats.Conn
	at       string // the URL of the bus
	store    *layout.Store
	engine   *bus.Engine
	panel    *panel.Panel // nil: no judges
	unsynced string       // what may be gone since the last daemon was not stopped in order
}

func (l *live) connected() bool { return l.nc != nil && l.nc.IsConnected() }

// of asks a part of the daemon, and is the zero value before it is there.
func of[P, V any](part *P, ask func(*P) V) (v V) {
	if part != nil {
		v = ask(part)
	}
	return v
}

// listen begins to watch, and serves the page, metrics and health if the
// configuration says where.
func (d *Daemon) listen(p *Participants, version string) error {
	w := &watch{version: version, errors: dash.NewLastError(d.log.Handler())}
	w.live.Store(&live{})
	d.watch = w
	d.log = slog.New(w.errors)
	w.page = page.New(version, w.missing, w.awaited)
	c := dash.Config{
		Version: version, Judges: names(d.cfg.Judging.Panel), Authors: append(names(d.cfg.Seal.Authors), shadow.Program),
		Ready:      func() bool { return len(w.missing()) == 0 },
		Reconnects: w.reconnects,
		Waiting:    func() int { return of(w.live.Load().engine, (*bus.Engine).Waiting) },
		Active:     func() bool { active, _ := w.active(); return active },
		In:         w.storage.in,
		Awaiting:   func(judge string) int { return w.awaiting()[judge] },
		Currency:   d.cfg.Currency, Spent: map[string]func() int64{},
	}
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
	store := w.live.Load().store
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

func (w *watch) reconnects() uint64 {
	return of(w.live.Load().nc, func(nc *nats.Conn) uint64 { return nc.Stats().Reconnects })
}

// active says whether this daemon is the active one, and which one is.
func (w *watch) active() (active bool, by string) {
	if e := w.live.Load().engine; e != nil {
		return e.Active()
	}
	return false, ""
}

// missing is what keeps the daemon from its work, a line each.
func (w *watch) missing() (lines []string) {
	l := w.live.Load()
	switch {
	case !l.connected():
		return []string{"no connection to the bus"}
	case l.engine == nil:
		return []string{"starting"}
	}
	// After a reconnect it may be another server.
	if v := l.nc.ConnectedServerVersion(); v != "" {
		if err := layout.CheckVersion(v); err != nil {
			lines = append(lines, err.Error())
		}
	}
	if problem := l.engine.Problem(); problem != "" {
		lines = append(lines, problem)
	}
	if line := w.storage.failed.Load(); line != nil {
		lines = append(lines, *line)
	}
	return lines
}

// follow has the page read the log, once there is one.
func (d *Daemon) follow() {
	if d.cfg.HTTP.Listen != "" {
		d.background("reading for the page", func(ctx context.Context) {
			d.watch.page.Follow(ctx, history.Log{Subjects: d.store.Subjects, JS: d.js, Signers: d.signers, Logger: d.log})
		})
	}
}

// status is how the daemon is doing.
func (w *watch) status(ctx context.Context) dash.Status {
	l := w.live.Load()
	s := dash.Status{Version: w.version, Missing: w.missing(), Connected: l.connected(), Reconnects: w.reconnects(), LastError: w.errors.Get()}
	if l.store == nil {
		return s
	}
	s.URL, s.Judges, s.Unsynced = l.at, w.awaited(), l.unsynced
	s.Active, s.ActiveOne = w.active()
	lags, err := bus.Lags(ctx, l.store)
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
	for _, a := range of(w.live.Load().panel, (*panel.Panel).Waiting) {
		lines = append(lines, fmt.Sprintf("%s waiting for judge %s, which is out of reach since %s: %s",
			shadow.Count(a.Bundles, "bundle"), a.Judge, a.Since.UTC().Format(time.RFC3339), a.Why))
	}
	return lines
}

// awaiting is how many bundles wait for each judge that is out of reach.
func (w *watch) awaiting() map[string]int {
	all := map[string]int{}
	for _, a := range of(w.live.Load().panel, (*panel.Panel).Waiting) {
		all[a.Judge] += a.Bundles
	}
	return all
}

// warnings are what is no reason not to be ready, a line each.
func (w *watch) warnings() []string {
	if line := w.live.Load().unsynced; line != "" {
		return append([]string{line}, w.awaited()...)
	}
	return w.awaited()
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
	limited, cancel := context.WithTimeoutCause(ctx, probeTimeout, fmt.Errorf("the bus needs more than %s to store a trial: is its disk slow?", probeTimeout))
	defer cancel()
	used, limit, err := store(limited)
	s.used.Store(used)
	s.limit.Store(limit)
	switch before := s.failed.Load(); {
	case ctx.Err() != nil:
	case err == nil && before != nil:
		s.failed.Store(nil)
		log.Info("the bus stores again")
	case err != nil && before == nil:
		err = cmp.Or(context.Cause(limited), err)
		line := fmt.Sprintf("since %s %s", time.Now().UTC().Format(time.RFC3339), err)
		s.failed.Store(&line)
		log.Error("the bus does not store", "error", err)
	}
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
