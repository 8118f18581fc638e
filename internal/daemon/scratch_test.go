package daemon

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/broker"
	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
)

// TestScratchReservesLittle: the bus of a demo or a replay is in a temporary
// directory, and many of those are small.
func TestScratchReservesLittle(t *testing.T) {
	p, err := everybody(config.Default())
	if err != nil {
		t.Fatal(err)
	}
	b, err := Scratch(t.Context(), p, "shadowd-test", nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(false); err != nil {
			t.Error(err)
		}
	})
	info, err := b.JS.AccountInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if reserved := info.ReservedStore; reserved == 0 || reserved > 100<<20 {
		t.Errorf("the streams reserve %d bytes, want those of the votes and no more", reserved)
	}
}

// TestScratchNowhere: where the temporary directory is missing or full, it is said
// how to name another one.
func TestScratchNowhere(t *testing.T) {
	server, err := broker.Start(broker.Options{DataDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Shutdown)
	cfg := config.Default()
	cfg.Bus.DataDir, cfg.Bus.MaxBytes = "scratch", 0
	full := (&Daemon{cfg: cfg, server: server}).storageError(errors.New("no room"))
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere"))
	p, err := everybody(config.Default())
	if err != nil {
		t.Fatal(err)
	}
	_, missing := Scratch(t.Context(), p, "shadowd-test", nil, slog.New(slog.DiscardHandler))
	for want, err := range map[string]error{"making a temporary directory: ": missing, "needs 86 MiB free on the disk of scratch, ": full} {
		var h *hint.Error
		if !errors.As(err, &h) || !strings.Contains(h.Hint, "set TMPDIR") || !strings.Contains(h.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}
