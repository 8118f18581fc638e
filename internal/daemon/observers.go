package daemon

import (
	"time"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/dash"
	"github.com/swarmspeed/shadowd/internal/notify"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/trace"
)

// observer counts what the engine does, and has it exported and told to a webhook,
// where the configuration names them.
type observer struct {
	*dash.Metrics
	traces  *trace.Exporter
	webhook *notify.Notifier
}

func (o *observer) Judged(r *shadow.Report, took time.Duration, parent string) {
	o.Metrics.Judged(r, took, parent)
	if !r.Swarm.Hardening.TimedOut { // else it repeats the ballots of the report before
		o.Metrics.Votes(r.Swarm.Ballots)
	}
	if o.traces != nil {
		o.traces.Judged(r, took, parent)
	}
	if o.webhook != nil {
		o.webhook.Judged(r)
	}
}

func (o *observer) SealBroken(how string) {
	o.Metrics.SealBroken(how)
	if o.webhook != nil && how == bus.BrokenEnvelope {
		o.webhook.SealBroken()
	}
}

// observer makes that of this daemon. What is replayed is neither exported nor told.
// A variable of the export that is wrong is no reason not to judge.
func (d *Daemon) observer(p *Participants, version string) (o *observer, err error) {
	o = &observer{Metrics: d.watch.metrics}
	if p.replay {
		return o, nil
	}
	if o.traces, err = trace.New(p.getenv, version, d.log); err != nil {
		d.log.Warn("no traces are exported", "error", err)
	}
	if o.traces != nil {
		d.background("the export of traces", o.traces.Run)
	}
	n := &d.cfg.Notify
	if n.URL == "" {
		return o, nil
	}
	w := notify.Config{URL: n.URL, Slack: n.Format == "slack", Waits: d.watch.awaiting, Count: d.watch.metrics.Notified, Logger: d.log}
	if n.SecretFile != "" {
		w.Secret = func() ([]byte, error) { return notifySecret(n.SecretFile) }
	}
	if o.webhook, err = notify.New(w); err == nil {
		d.background("notifications", o.webhook.Run)
	}
	return o, err
}
