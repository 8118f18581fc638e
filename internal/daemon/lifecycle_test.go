package daemon

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestStopOrder: what started last stops first, also behind one that fails, and
// only once.
func TestStopOrder(t *testing.T) {
	var l lifecycle
	var order []string
	for _, name := range []string{"bus", "keys", "engine"} {
		l.started(name, func(context.Context) error {
			order = append(order, name)
			if name == "keys" {
				return errors.New("torn")
			}
			return nil
		})
	}
	if err := l.stop(time.Minute); err == nil || err.Error() != "stopping keys: torn" {
		t.Errorf("error %v", err)
	}
	if err := l.stop(time.Minute); err != nil {
		t.Errorf("a second stop: %v", err)
	}
	if got := strings.Join(order, " "); got != "engine keys bus" {
		t.Errorf("stopped in the order %s", got)
	}
}

// TestStopBudget: all steps share one budget. One that hangs takes nothing from
// the others but the time.
func TestStopBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lifecycle
		stopped := false
		l.started("bus", func(ctx context.Context) error {
			stopped = ctx.Err() != nil
			return nil
		})
		never := make(chan struct{})
		defer close(never)
		l.background("engine", func(context.Context) { <-never })
		began := time.Now()
		err := l.stop(10 * time.Second)
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "stopping engine: ") || !stopped || took != 10*time.Second {
			t.Errorf("the bus was stopped: %v, after %s, %v", stopped, took, err)
		}
	})
}
