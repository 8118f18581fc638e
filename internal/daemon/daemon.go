// Package daemon is shadowd in one process: it connects to a bus or starts its
// own, makes everything ready, and runs the engine. It has one list of what
// was started, which is stopped in reverse within one budget of time.
package daemon

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/llm"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/attest"
)

const (
	startBudget = 2 * time.Minute // and of the wait for a bus that is not there yet
	// stopBudget bounds a stop. Orchestrators kill after 30 seconds.
	stopBudget = 20 * time.Second
)

// MaxEnvelope is the largest message of the embedded server in bytes. Events are
// bounded by limits.event_bytes; envelopes and reports may be larger.
const MaxEnvelope = 8 << 20

// Daemon is shadowd in this process.
type Daemon struct {
	cfg    *config.Config // what holds: Reload replaces it
	log    *slog.Logger
	server *broker.Server // nil on a bus of somebody else
	nc     *nats.Conn
	js     jetstream.JetStream
	store  *layout.Store
	users  []layout.User // who may connect at the start, as far as it is known
	// signers are the keys by which reports and reviews are signed, and pageKey is the
	// public nkey of those that come from the page; empty where they are not signed.
	signers []ed25519.PublicKey
	pageKey string
	watch   *watch
	lifecycle

	served chan struct{} // closed when the engine has ended
	err    error         // of the engine, once it has ended
	lost   error         // of the embedded server, once Wait has returned
}

// Start connects, or starts the embedded server, and serves until Stop. ctx
// bounds the start only. version is that of the build. standby leaves the work to
// another daemon while there is one.
func Start(ctx context.Context, p *Participants, log *slog.Logger, version string, standby bool) (_ *Daemon, err error) {
	d := &Daemon{cfg: p.cfg, log: log, served: make(chan struct{})}
	defer func() {
		if err != nil {
			d.logged(d.stop(stopBudget))
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, startBudget)
	defer cancel()
	// First, so that it is last to go, and health can be seen all the while.
	if err := d.listen(p, version); err != nil {
		return nil, err
	}
	if err := d.connect(ctx); err != nil {
		return nil, err
	}
	d.watch.live.Store(&live{nc: d.nc})
	if err := broker.Describe(d.nc); err != nil {
		return nil, err
	}
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	c, err := d.engineConfig(ctx, p)
	if err != nil {
		return nil, err
	}
	d.follow()
	if c.Observer, err = d.observer(p, version); err != nil {
		return nil, err
	}
	judges := p.Panel(d.log)
	if judges != nil {
		c.Panel, c.Limits.JudgedBytes = judges, llm.MaxBundle
	}
	c.Standby = standby
	engine := bus.NewEngine(d.store, *c)
	d.watch.live.Store(&live{nc: d.nc, at: d.url(), store: d.store, engine: engine, panel: judges, unsynced: d.unsynced()})
	d.announce(version)
	d.background("looking whether the bus stores", d.probe)
	d.background("engine", func(ctx context.Context) {
		defer close(d.served)
		d.err = engine.Run(ctx)
	})
	return d, nil
}

// prepare makes the streams and the bucket.
func (d *Daemon) prepare(ctx context.Context) (err error) {
	if d.js, err = broker.JetStream(d.nc); err != nil {
		return fmt.Errorf("using JetStream: %w", err)
	}
	d.store, err = layout.Ensure(ctx, layout.Subjects{Prefix: d.cfg.Bus.Prefix}, d.js, layout.StorageConfig{
		Replicas: d.cfg.Bus.Replicas, MaxAge: d.cfg.Bus.MaxAge, Users: d.users,
		InMaxBytes: d.cfg.Bus.MaxBytes, OutMaxBytes: d.cfg.Bus.OutMaxBytes, MaxEventBytes: int32(d.cfg.Limits.EventBytes),
	})
	if err != nil {
		err = fmt.Errorf("preparing the bus: %w", err)
	}
	if errors.Is(err, layout.ErrStorage) {
		err = hint.Failed(fmt.Errorf("%w: IN reserves bus.max_bytes, %d MiB", err, d.cfg.Bus.MaxBytes>>20),
			"lower bus.max_bytes, or make room: on the disk of bus.data_dir, or on each server of the bus, where max_file in the jetstream block of its configuration counts too")
	}
	return err
}

// unsynced says what may be gone since the embedded server was not stopped in order
// and synced at intervals; else nothing.
func (d *Daemon) unsynced() string {
	if d.server == nil || d.server.Unsynced() == 0 {
		return ""
	}
	interval, since := d.server.Unsynced(), ""
	if last := d.store.In.CachedInfo().State.LastTime; !last.IsZero() {
		since = " after " + last.Add(-interval).UTC().Format(time.RFC3339)
	}
	line := fmt.Sprintf("the daemon before was not stopped in order, and bus.sync was %s: if the machine lost power, what was acknowledged%s may be gone: whoever published then publishes again what has no outcome", interval, since)
	d.log.Warn(line)
	return line
}

// engineConfig reads the keys, tries the wall, and makes authors and judges.
func (d *Daemon) engineConfig(ctx context.Context, p *Participants) (*bus.Config, error) {
	var key nkeys.KeyPair
	var signer *attest.Signer
	_, err := layout.Retry(ctx, func(ctx context.Context) (_ any, err error) {
		key, signer, err = d.keys(ctx)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	isolation := shadow.IsolationLegacy // commanders may read colleagues' reports
	if d.checkWall(ctx) {
		isolation = shadow.IsolationStrict
	}
	settings := d.cfg.Settings(isolation)
	settings.Replay = p.replay
	return &bus.Config{
		Settings: settings, Files: p.Files, Authors: p.Authors,
		Controls: d.cfg.Judging.Controls, Patience: d.cfg.Judging.Wait,
		Key: key, Signer: signer, ReviewKeys: d.reviewKeys,
		Disabled: !d.cfg.ShadowScoring.Enabled, Limits: d.cfg.Limits, Logger: d.log,
	}, nil
}

// reviewKeys are the nkeys by which the reviews of a name are signed: that of the user
// who is this reviewer, and shadowd's own for whom the page knows.
func (d *Daemon) reviewKeys(name string) (all []string) {
	users := d.users
	if d.server != nil {
		users = d.server.Users() // as SIGHUP has left them
	}
	for _, u := range users {
		if u.Reviewer() == name && u.NKey != "" {
			all = append(all, u.NKey)
		}
	}
	if d.pageKey != "" && slices.ContainsFunc(d.cfg.HTTP.Reviewers, func(r config.PageReviewer) bool { return r.Name == name }) {
		all = append(all, d.pageKey)
	}
	return all
}

// Wait returns true when hangup asks for a reload, and false when ctx ends, when
// the engine has ended by itself, or when the embedded server can no longer write.
func (d *Daemon) Wait(ctx context.Context, hangup <-chan os.Signal) bool {
	var unwritable <-chan string
	if d.server != nil {
		unwritable = d.server.Unwritable()
	}
	select {
	case <-hangup:
		return true
	case <-ctx.Done():
	case <-d.served:
	case text := <-unwritable:
		// Only a start mends that: its supervisor's, again and again until there is room.
		way := "make room on the disk of " + d.cfg.Bus.DataDir + " (bus.data_dir) and start shadowd again; nothing that was acknowledged is lost"
		if _, err := os.Stat(d.cfg.Bus.DataDir); err != nil {
			way = "put " + d.cfg.Bus.DataDir + " (bus.data_dir) back, where the keys and everything that was acknowledged is, before shadowd is started again"
		}
		d.lost = hint.Failed(fmt.Errorf("the embedded nats-server cannot store: %s", text), way)
	}
	return false
}

// Stop stops everything and waits for it. Its error is that of the engine or
// of the embedded server; what does not stop in time is logged.
func (d *Daemon) Stop() error {
	d.logged(d.stop(stopBudget))
	select {
	case <-d.served:
		return errors.Join(d.lost, d.err)
	default:
		return d.lost
	}
}

func (d *Daemon) logged(err error) {
	if err != nil {
		d.log.Warn("not everything was stopped in order", "error", err)
	}
}

// url is where the bus is.
func (d *Daemon) url() string {
	if d.server != nil {
		return d.server.ClientURL()
	}
	return d.nc.ConnectedUrlRedacted()
}

// announce says where things are and what the reports of this daemon are
// worth.
func (d *Daemon) announce(version string) {
	at := d.url()
	if d.server != nil && !d.server.Walled() {
		d.log.Warn("development mode: any client may publish every input and read every report without credentials, so reports claim conformance level 1; name users in bus.users to end it", "listen", at)
	}
	judges := names(d.cfg.Judging.Panel)
	d.log.Info("ready", "bus", at, "prefix", d.store.Prefix, "authors", names(d.cfg.Seal.Authors), "judges", judges, "version", version)
	if !d.cfg.Gates.Enforce {
		d.log.Warn("observe mode: every gate says proceed")
	}
	if len(judges) == 0 {
		d.log.Warn("no judge is configured: figures, left-overs and checks of your own are decided, and nobody reads the rest; judging.panel or --judge names a model")
	}
	d.watch.errors.Forget()
}

// lifecycle is a stack of what has been started. stop undoes it in reverse.
type lifecycle struct{ steps []step }

type step struct {
	name string
	stop func(ctx context.Context) error
}

// started notes how to stop what runs now. stop should return when its context
// ends.
func (l *lifecycle) started(name string, stop func(ctx context.Context) error) {
	l.steps = append(l.steps, step{name, stop})
}

// background runs work, and waits for its end when its context is ended to stop it.
func (l *lifecycle) background(name string, work func(ctx context.Context)) {
	working, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		work(working)
	}()
	l.started(name, func(ctx context.Context) error {
		cancel()
		select {
		case <-ended:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// stop stops everything, last started first, within one budget of time. What takes
// longer is left behind. A second call does nothing.
func (l *lifecycle) stop(budget time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), budget)
	defer cancel()
	var errs []error
	for _, s := range slices.Backward(l.steps) {
		if err := s.stop(ctx); err != nil {
			errs = append(errs, fmt.Errorf("stopping %s: %w", s.name, err))
		}
	}
	l.steps = nil
	return errors.Join(errs...)
}
