package daemon

import (
	"fmt"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
	"github.com/swarmspeed/shadowd/internal/notify"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/trace"
)

// traced is an observer whose reports are exported as well.
type traced struct {
	bus.Observer
	to *trace.Exporter
}

func (t traced) Judged(r *shadow.Report, took time.Duration, parent string) {
	t.Observer.Judged(r, took, parent)
	t.to.Judged(r, took, parent)
}

// export has the engine of a configuration export traces, if the environment asks
// for it. A variable that is wrong is no reason not to judge.
func (d *Daemon) export(p *Participants, version string, c *bus.Config) {
	if p.replay {
		return
	}
	to, err := trace.New(p.getenv, version, d.log)
	if err != nil {
		d.log.Warn("no traces are exported", "error", err)
	}
	if to == nil {
		return
	}
	d.background("the export of traces", to.Run)
	c.Observer = traced{c.Observer, to}
}

// notified is an observer of which a webhook is told.
type notified struct {
	bus.Observer
	to *notify.Notifier
}

func (n notified) Judged(r *shadow.Report, took time.Duration, parent string) {
	n.Observer.Judged(r, took, parent)
	n.to.Judged(r)
}

func (n notified) SealBroken(how string) {
	n.Observer.SealBroken(how)
	if how == bus.BrokenEnvelope {
		n.to.SealBroken()
	}
}

// notify has a webhook told what the engine of a configuration does, if there is
// one.
func (d *Daemon) notify(p *Participants, c *bus.Config) error {
	n := &d.cfg.Notify
	if n.URL == "" || p.replay {
		return nil
	}
	w := notify.Config{URL: n.URL, Slack: n.Format == "slack", Waits: d.watch.awaiting, Count: d.watch.metrics.Notified, Logger: d.log}
	if n.SecretFile != "" {
		w.Secret = func() ([]byte, error) { return notifySecret(n.SecretFile) }
	}
	to, err := notify.New(w)
	if err != nil {
		return err
	}
	d.background("notifications", to.Run)
	c.Observer = notified{c.Observer, to}
	return nil
}

// notifySecret reads the secret of a webhook; nil where no file is named.
func notifySecret(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	text, err := keys.FirstLine(file)
	if err == nil {
		var secret []byte
		if secret, err = notify.ParseSecret(text); err == nil {
			return secret, nil
		}
		err = fmt.Errorf("%s: %w", file, err)
	}
	return nil, hint.Usage(fmt.Errorf("notify.secret_file: %w", err), fmt.Sprintf("make one with: openssl rand -base64 32 > %[1]s && chmod 600 %[1]s", file))
}
