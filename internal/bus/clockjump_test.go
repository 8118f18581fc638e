package bus

import (
	"crypto/sha256"
	bytesof "encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/highwayhash"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// restamp stops the server and changes when it stored the events of IN, as if its
// clock had been wrong by so much, by sequence. It starts it again.
func (r *rig) restamp(by map[uint64]time.Duration) {
	r.t.Helper()
	dir := filepath.Join(r.broker.Server().JetStreamConfig().StoreDir, server.DEFAULT_GLOBAL_ACCOUNT, "streams", layout.StreamIn, "msgs")
	r.broker.Stop()
	if err := os.Remove(filepath.Join(dir, "index.db")); err != nil { // holds the times too
		r.t.Fatal(err)
	}
	const block = "1.blk"
	stored := bustest.Must(os.ReadFile(filepath.Join(dir, block)))
	key := sha256.Sum256([]byte(layout.StreamIn + "-" + strings.TrimSuffix(block, ".blk")))
	// A record: its length, whose first bit stands for headers, sequence, time, the
	// length of the subject, subject, length of the headers, headers, data, checksum.
	const hasHeader, head, sum = 1 << 31, 22, 8
	le := bytesof.LittleEndian
	for rest := stored; len(rest) > 0; {
		length := le.Uint32(rest)
		record := rest[:length&^hasHeader]
		rest = rest[len(record):]
		d, ok := by[le.Uint64(record[4:])]
		if !ok {
			continue
		}
		le.PutUint64(record[12:], le.Uint64(record[12:])+uint64(d))
		subject := head + int(le.Uint16(record[20:]))
		content := subject
		if length&hasHeader != 0 {
			content += 4
		}
		end := len(record) - sum
		hashed := append(append(append([]byte{}, record[4:20]...), record[head:subject]...), record[content:end]...)
		le.PutUint64(record[end:], highwayhash.Sum64(hashed, key[:]))
	}
	bustest.OK(r.t, os.WriteFile(filepath.Join(dir, block), stored, 0o600))
	r.broker.Start(r.t)
	for seq, d := range by {
		bustest.WaitFor(r.t, fmt.Sprintf("event %d at another time", seq), func() bool {
			m, err := r.store.In.GetMsg(r.t.Context(), seq)
			return err == nil && time.Until(m.Time).Abs() > d.Abs()/2
		})
	}
}

// TestClockJumps: the server's clock jumps back and forth while it stores what a
// swarm says. Each event has its outcome, by the time at which it was stored.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.restamp(map[uint64]time.Duration{
		r.decompose(twoDomains("run-1")):     2 * time.Hour,
		r.bundle("run-1", "one", content(5)): -3 * time.Hour,
		r.decompose(twoDomains("run-2")):     -2 * time.Hour,
		r.bundle("run-1", "two", content(5)): 5 * time.Hour,
		r.bundle("run-2", "one", content(0)): -4 * time.Hour,
		r.bundle("run-2", "two", content(0)): 3 * time.Hour,
	})
	stop := r.start()
	for _, domain := range []string{"one", "two"} {
		r.await(r.store.Out, layout.Subjects{}.HardeningRequest(commanderOf(domain), "run-1", domain, 1))
	}
	r.await(r.store.Out, layout.Subjects{}.RunScored("run-2"))
	r.settle()
	stop()
	// A fix is due within an hour of its report.
	late := r.fix("run-1", "two", 1, content(0))
	r.restamp(map[uint64]time.Duration{r.fix("run-1", "one", 1, content(0)): -6 * time.Hour, late: 2 * time.Hour})
	r.start()
	if s := r.report("run-1", "one", 1).Swarm; !s.Final || s.Hardening.TimedOut {
		t.Errorf("a fix that was stored before its request: %+v", s)
	}
	r.wantRejected("cmd-2", late, shadow.Late)
	if n := r.checked(); n[shadow.GapReport] != 5 || n[shadow.EventRejected] != 1 {
		t.Errorf("%v", n)
	}
}

// TestTickOfTheFuture: a tick that was stored while the server's clock was ahead ends
// no deadline of a run that begins when the clock is right again.
func TestTickOfTheFuture(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *Config) { c.SealWait = time.Millisecond })
	stop := r.start()
	unknown := r.bundle("run-x", "one", content(0))
	r.wantRejected("cmd-1", unknown, shadow.RunUnknown)
	r.settle()
	stop()
	info := bustest.Must(r.store.In.Info(t.Context()))
	if info.State.LastSeq == unknown {
		t.Fatal("there is no tick")
	}
	r.restamp(map[uint64]time.Duration{info.State.LastSeq: 2 * time.Hour})
	r.start()
	r.sealRun("run-1")
	r.bundle("run-1", "one", content(5))
	r.report("run-1", "one", 0)
	r.fix("run-1", "one", 1, content(0))
	if s := r.report("run-1", "one", 1).Swarm; s.Hardening.TimedOut || s.Score.Failed != 0 {
		t.Errorf("%+v", s)
	}
	r.checked()
}
