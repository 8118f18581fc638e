package daemon

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

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
	if reserved := info.ReservedStore; reserved != 0 {
		t.Errorf("the streams reserve %d bytes", reserved)
	}
}

// TestScratchNowhere: where the temporary directory is missing, it is said
// how to name another one.
func TestScratchNowhere(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere"))
	p, err := everybody(config.Default())
	if err != nil {
		t.Fatal(err)
	}
	_, err = Scratch(t.Context(), p, "shadowd-test", nil, slog.New(slog.DiscardHandler))
	var h *hint.Error
	if !errors.As(err, &h) || !strings.Contains(h.Hint, "set TMPDIR") || !strings.Contains(h.Error(), "making a temporary directory: ") {
		t.Errorf("it says %v", err)
	}
}
