package daemon

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
)

// An outage is one line in the log when it begins and one when it ends, and a
// line of what is missing in between.
func TestProbe(t *testing.T) {
	var log bytes.Buffer
	p, logger := &storageCheck{}, slog.New(slog.NewTextHandler(&log, nil))
	answer := func(err error) func(context.Context) (int64, int64, error) {
		return func(context.Context) (int64, int64, error) { return 0, 0, err }
	}
	full := errors.New("no space left")
	for i, c := range []struct {
		err     error
		missing bool
		lines   int
	}{{nil, false, 0}, {full, true, 1}, {full, true, 1}, {nil, false, 2}, {nil, false, 2}, {full, true, 3}} {
		p.check(t.Context(), logger, answer(c.err))
		if got := p.failed.Load(); (got != nil) != c.missing || c.missing && !strings.Contains(*got, "no space left") {
			t.Errorf("look %d: missing %v", i, got)
		}
		if got := strings.Count(log.String(), "\n"); got != c.lines {
			t.Errorf("look %d: %d lines of log, want %d\n%s", i, got, c.lines, log.String())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.failed.Store(nil)
	if p.check(ctx, logger, answer(ctx.Err())); p.failed.Load() != nil {
		t.Error("a look that was stopped says that nothing is stored")
	}
}

// TestProbeSlow: a bus that takes too long is told as such.
func TestProbeSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &storageCheck{}
		p.check(t.Context(), slog.New(slog.DiscardHandler), func(ctx context.Context) (int64, int64, error) {
			<-ctx.Done()
			return 0, 0, ctx.Err()
		})
		if got := p.failed.Load(); got == nil || !strings.Contains(*got, "more than 5s") {
			t.Errorf("missing %v", got)
		}
	})
}
