package bus

import (
	"context"
	"fmt"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/bus/streams"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// checkTruncated holds the end of IN against the newest outputs that name an
// event of it.
func (e *Engine) checkTruncated(ctx context.Context) error {
	var highest uint64
	for _, name := range []string{shadow.EventRejected, shadow.GapReport} {
		m, err := streams.Last(ctx, e.store.JS, layout.StreamOut, e.layout.RunWildcard(name, ""))
		if err != nil {
			return err
		}
		if m == nil {
			continue
		}
		a, err := e.layout.Parse(m.Subject)
		if err != nil {
			continue
		}
		seq := a.Sequence
		if name == shadow.GapReport {
			var rep shadow.Report
			if readOutput(m, &rep) != nil {
				continue // forged, as the audit says
			}
			seq = rep.Swarm.In.Sequence
		}
		highest = max(highest, seq)
	}
	info, err := e.store.In.Info(ctx)
	if err != nil {
		return fmt.Errorf("stream %s: %w", layout.StreamIn, err)
	}
	return streams.CheckEnd(layout.StreamIn, info.State.LastSeq, highest)
}
