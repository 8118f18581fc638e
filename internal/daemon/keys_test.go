package daemon

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
)

// fresh is a bucket that shows no claim at first, as to a daemon that looked
// before another one claimed the bus.
type fresh struct {
	jetstream.KeyValue
	looked bool
}

func (f *fresh) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	if !f.looked {
		f.looked = true
		return nil, jetstream.ErrKeyNotFound
	}
	return f.KeyValue.Get(ctx, key)
}

// TestTwoFreshDaemons: of two daemons that start together on a fresh bus the
// second is told which key to copy where.
func TestTwoFreshDaemons(t *testing.T) {
	_, js := bustest.Server(t).Connect(t)
	for _, kind := range []keys.Kind{keys.Envelope, keys.Signing} {
		var dirs []string
		var errs []error
		for range 2 {
			store, err := layout.Ensure(t.Context(), layout.Subjects{}, js, layout.StorageConfig{})
			if err != nil {
				t.Fatal(err)
			}
			store.Envelopes = &fresh{KeyValue: store.Envelopes}
			cfg := config.Default()
			cfg.Bus.DataDir = t.TempDir()
			d := &Daemon{cfg: cfg, store: store, log: slog.New(slog.DiscardHandler)}
			_, err = d.key(t.Context(), kind, "made")
			dirs, errs = append(dirs, cfg.KeyPlace(kind).String()), append(errs, err)
		}
		var hinted *hint.Error
		if errs[0] != nil || !errors.Is(errs[1], bus.ErrClaimed) || !errors.As(errs[1], &hinted) {
			t.Fatalf("%s: %v", kind, errs)
		}
		if want := "copy the " + string(kind) + " key of that daemon to " + dirs[1]; !strings.HasPrefix(hinted.Hint, want) {
			t.Errorf("%s: the hint is %q, want %q", kind, hinted.Hint, want)
		}
	}
}
