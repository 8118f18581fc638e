package daemon

import (
	"log/slog"
	"testing"

	"github.com/swarmspeed/shadowd/internal/config"
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
