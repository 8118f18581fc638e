package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// ErrTruncated: a stream ends before what is known to have been in it, so its
// sequences would be used again for other events.
var ErrTruncated = errors.New("it was cut, or restored from an older backup than the others: restore IN, OUT and " + layout.BucketEnvelopes + " from one backup, or remove all three")

// checkTruncated holds the end of IN against the newest outputs that name an
// event of it.
func (e *Engine) checkTruncated(ctx context.Context) error {
	var highest uint64
	for _, name := range []string{shadow.EventRejected, shadow.GapReport} {
		m, err := last(ctx, e.store.Out, e.layout.RunWildcard(name, ""))
		if err != nil {
			return err
		}
		if m == nil {
			continue
		}
		a, err := e.layout.Parse(m.subject)
		if err != nil {
			continue
		}
		seq := a.Sequence
		if name == shadow.GapReport {
			var rep shadow.Report
			if e.readOutput(m, &rep) != nil {
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
	return truncated(layout.StreamIn, info.State.LastSeq, highest)
}

// truncated compares the end of a stream with a sequence of it that is known.
func truncated(stream string, end, known uint64) error {
	if end < known {
		return fmt.Errorf("%s ends at sequence %d, and sequence %d of it was stored before: %w", stream, end, known, ErrTruncated)
	}
	return nil
}
