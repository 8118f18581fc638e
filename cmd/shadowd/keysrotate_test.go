package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/cloudevent"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// keyedDaemon is a data directory whose daemon is started again and again,
// with the keys that are then there.
type keyedDaemon struct {
	t    *testing.T
	dir  string
	runs *running
	js   jetstream.JetStream
}

func (d *keyedDaemon) start() {
	d.t.Helper()
	d.runs = startRun(d.t, embedded(d.dir))
	url := d.runs.url()
	operator, err := nats.NkeyOptionFromSeed(d.file("operator.nk"))
	if err != nil {
		d.t.Fatal(err)
	}
	nc, err := connect(url, operator)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(nc.Close)
	if d.js, err = jetstream.New(nc); err != nil {
		d.t.Fatal(err)
	}
}

func (d *keyedDaemon) stop() {
	d.t.Helper()
	d.runs.signal(syscall.SIGTERM)
	d.runs.wantExit(hint.ExitClean)
}

// keys runs a command on the keys of the directory.
func (d *keyedDaemon) keys(args ...string) string {
	d.t.Helper()
	d.t.Setenv("SHADOWD_ENVELOPE_KEY", d.file("envelope.nk"))
	d.t.Setenv("SHADOWD_SIGNING_KEY", d.file("signing.pem"))
	out := shadowd(d.t, append([]string{"keys"}, args...)...)
	// The daemon finds them by itself.
	os.Unsetenv("SHADOWD_ENVELOPE_KEY")
	os.Unsetenv("SHADOWD_SIGNING_KEY")
	return out
}

func (d *keyedDaemon) file(name string) string { return filepath.Join(d.dir, name) }

// send publishes line n of the small run for a run of another name.
func (d *keyedDaemon) send(run string, n int) {
	d.t.Helper()
	raw, err := os.ReadFile(smallRun)
	if err != nil {
		d.t.Fatal(err)
	}
	var line struct {
		Subject string          `json:"nats_subject"`
		Event   json.RawMessage `json:"event"`
	}
	text := strings.ReplaceAll(strings.Split(string(raw), "\n")[n], "run-small", run)
	if err := json.Unmarshal([]byte(text), &line); err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.js.Publish(d.t.Context(), line.Subject, line.Event); err != nil {
		d.t.Fatal(err)
	}
}

// await waits until a subject has a message and returns its data.
func (d *keyedDaemon) await(stream, subject string) (data []byte) {
	d.t.Helper()
	bustest.WaitFor(d.t, subject, func() bool {
		s, err := d.js.Stream(context.Background(), stream)
		if err != nil {
			return false
		}
		m, err := s.GetLastMsgForSubject(context.Background(), subject)
		if err != nil {
			return false
		}
		data = m.Data
		if ev, err := cloudevent.Decode(m.Header, m.Data); err == nil {
			data = ev.Data()
		}
		return true
	})
	return data
}

// sealedBy is the key that a run's envelope was sealed by.
func (d *keyedDaemon) sealedBy(run string) string {
	d.t.Helper()
	d.await(layout.StreamIn, layout.Subjects{}.Commitment(run))
	return shadow.SealedBy(d.await("KV_"+layout.BucketEnvelopes, "$KV."+layout.BucketEnvelopes+"."+run))
}

// TestRotateUnderWay rotates the envelope key while a run is sealed and not
// judged: its bundles are judged by its envelope, and the next run is sealed
// with the new key.
func TestRotateUnderWay(t *testing.T) {
	d := &keyedDaemon{t: t, dir: t.TempDir()}
	d.start()
	d.send("before", 0)
	old := d.sealedBy("before")
	d.keys("rotate", "envelope")
	d.stop()

	d.start()
	all := strings.Fields(d.keys("public", "envelope"))
	if len(all) != 2 || all[1] != old {
		t.Fatalf("the keys are %v, the old one was %s", all, old)
	}
	d.send("after", 0)
	if by := d.sealedBy("after"); by != all[0] {
		t.Errorf("the new run is sealed by %s, the new key is %s", by, all[0])
	}
	for _, run := range []string{"before", "after"} {
		d.send(run, 1)
		var rep shadow.Report
		if err := json.Unmarshal(d.await(layout.StreamOut, layout.Subjects{}.GapReport(run, "service", 0)), &rep); err != nil {
			t.Fatal(err)
		}
		if s := rep.Swarm; s.SealBroken != "" || s.Score.Total != 8 || s.Score.Failed == 8 {
			t.Errorf("run %s: %+v", run, s)
		}
	}
	d.stop()

	// The new key alone starts, since the bus is claimed for it; the old
	// one alone does not, unless the new one is known to be lost.
	text, err := os.ReadFile(d.file("envelope.nk"))
	if err != nil {
		t.Fatal(err)
	}
	seeds := strings.Fields(string(text))
	d.write(seeds[0] + "\n")
	d.start()
	d.stop()
	d.write(seeds[1] + "\n")
	r := startRun(t, embedded(d.dir))
	r.wantExit(hint.ExitFailed)
	if want := "holds " + old + ", but the daemons of this bus use " + all[0]; !strings.Contains(r.log(), want) {
		t.Errorf("it says\n%s\nand not %s", r.log(), want)
	}
	if strings.Contains(r.log(), seeds[0]) || strings.Contains(r.log(), seeds[1]) {
		t.Error("the log holds a seed")
	}
	d.write(seeds[1] + "\nlost: " + all[0] + "\n")
	d.start()
	d.stop()
}

func (d *keyedDaemon) write(text string) {
	d.t.Helper()
	if err := os.WriteFile(d.file("envelope.nk"), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}
