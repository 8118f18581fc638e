package broker

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
)

// TestUnsynced: a start knows whether the server before it, which synced at
// intervals, was stopped in order.
func TestUnsynced(t *testing.T) {
	dir := t.TempDir()
	mark := filepath.Join(dir, markFile)
	for _, c := range []struct {
		name   string
		sync   time.Duration
		before string
		want   time.Duration
		leaves string
	}{
		{name: "the first start", sync: 2 * time.Second, leaves: "2s"},
		{name: "stopped in order", sync: time.Second, leaves: "1s"},
		{name: "after a crash", sync: time.Second, before: "1s", want: time.Second, leaves: "1s"},
		{name: "after a crash with a longer one", sync: time.Second, before: "2s", want: 2 * time.Second, leaves: "2s"},
		{name: "the power was cut while the mark was written", sync: time.Second, before: "1", want: time.Hour, leaves: "1h0m0s"},
		{name: "syncs always now", before: "1s", want: time.Second, leaves: "1s"},
		{name: "synced always"},
	} {
		if c.before != "" {
			bustest.OK(t, os.WriteFile(mark, []byte(c.before), 0o600))
		}
		s := start(t, Options{DataDir: dir, Sync: c.sync})
		if got := s.Unsynced(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		left, err := os.ReadFile(mark)
		if string(left) != c.leaves || c.leaves != "" && err != nil {
			t.Errorf("%s: a crash leaves %q (%v), want %q", c.name, left, err, c.leaves)
		}
		s.Shutdown()
		if _, err := os.Stat(mark); !os.IsNotExist(err) {
			t.Errorf("%s: stopped in order, the mark is there: %v", c.name, err)
		}
	}
}

// TestRefusedStartKeepsTheMark: what one start has not told, the next one tells.
func TestRefusedStartKeepsTheMark(t *testing.T) {
	dir := t.TempDir()
	bustest.OK(t, writeMark(dir, time.Second))
	if _, err := Start(Options{DataDir: dir, TLSCert: "no", TLSKey: "no"}); err == nil {
		t.Fatal("it starts")
	}
	if s := start(t, Options{DataDir: dir}); s.Unsynced() != time.Second {
		t.Errorf("got %s", s.Unsynced())
	}
}
