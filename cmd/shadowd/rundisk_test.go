//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TestFullDisk: a file of the embedded server cannot grow, as on a full disk. The daemon ends and says why; started
// where there is room, it goes on with all that was acknowledged.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	config := fmt.Sprintf("bus: {listen: \"127.0.0.1:0\", data_dir: %q, max_bytes: 100MB}\n", t.TempDir())
	const limited = `ulimit -f 512 && exec shadowd run --config "$0"` // 256 KiB
	full := startAs(t, config, "sh", "-c", limited)
	stored := 0
	large := []byte(strings.Repeat("x", 20<<10))
	js := jetStream(t, full.url())
	for {
		if _, err := js.Publish(t.Context(), "swarm.bundle-complete.run-1.cmd-1", large, jetstream.WithRetryAttempts(0)); err != nil {
			break
		}
		stored++
	}
	full.wantExit(1)
	for _, says := range []string{"cannot store", "file too large", "bus.data_dir", "start shadowd again"} {
		if !strings.Contains(full.log(), says) {
			t.Errorf("the log does not say %q:\n%s", says, full.log())
		}
	}
	if stored == 0 {
		t.Fatal("nothing was stored before the disk was full")
	}

	again := startRun(t, config)
	js = jetStream(t, again.url())
	ack, err := js.Publish(t.Context(), "swarm.bundle-complete.run-1.cmd-1", large)
	if err != nil {
		t.Fatalf("with room again: %v", err)
	}
	if ack.Sequence <= uint64(stored) {
		t.Errorf("%d events were acknowledged, and the next has number %d", stored, ack.Sequence)
	}
}

// TestDataDirGone: where the whole directory is gone, no room helps.
func TestDataDirGone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	r := startRun(t, fmt.Sprintf("bus: {listen: \"127.0.0.1:0\", data_dir: %q, max_bytes: 100MB}\n", dir))
	js := jetStream(t, r.url())
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	large := []byte(strings.Repeat("x", 500<<10)) // soon a new file is needed
	for range 100 {
		if _, err := js.Publish(t.Context(), "swarm.bundle-complete.run-1.cmd-1", large, jetstream.WithRetryAttempts(0)); err != nil {
			break
		}
	}
	r.wantExit(1)
	if says := "hint: put " + dir + " (bus.data_dir) back"; !strings.Contains(r.log(), says) {
		t.Errorf("the log does not say %q:\n%s", says, r.log())
	}
}

func jetStream(t *testing.T, url string) jetstream.JetStream {
	t.Helper()
	nc, err := connect(url, nats.MaxReconnects(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}
