package daemon

import (
	"time"

	"github.com/swarmspeed/shadowd/internal/bus"
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
