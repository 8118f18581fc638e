package bus

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/shadow"
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// TestShards runs what deploy/shards/make.sh makes. Runs are published on the
// subjects that all know. Each is judged in one shard, whole, and nothing of it
// is in another one.
func TestShards(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("../../deploy/shards/make.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command("sh", script)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + filepath.Dir(buildShadowd(t)) + ":" + os.Getenv("PATH"), "SHARDS=3", "COMMANDERS=cmd-1 cmd-2"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	broker := bustest.ServerWith(t, string(text))
	as := func(keys, user string) jetstream.JetStream {
		login, err := nats.NkeyOptionFromSeed(filepath.Join(dir, keys, user+".nk"))
		if err != nil {
			t.Fatal(err)
		}
		prefix := "_INBOX"
		if user != "shadowd" {
			prefix = "_INBOX_" + user
		}
		_, js := broker.Connect(t, login, nats.CustomInboxPrefix(prefix))
		return js
	}
	shards := make([]*rig, 3)
	for i := range shards {
		shards[i] = newShard(t, as(fmt.Sprint("shard-", i), "shadowd"))
	}
	by := map[string]jetstream.JetStream{"nexus": as("front", "nexus"), "cmd-1": as("front", "commander-cmd-1"), "cmd-2": as("front", "commander-cmd-2")}
	const runs = 24
	published := 0
	publish := func(author, subject, name string, data any) {
		published++
		if _, err := by[author].Publish(t.Context(), subject, eventBytes(t, fmt.Sprint("ev-", published), name, data)); err != nil {
			t.Fatalf("%s: %s: %v", author, subject, err)
		}
	}
	for n := range runs {
		run := fmt.Sprint("run-", n)
		publish("nexus", layout.Subjects{}.Decomposition(run), shadow.DecompositionDone, twoDomains(run))
		for _, domain := range []string{"one", "two"} {
			publish(commanderOf(domain), layout.Subjects{}.Bundle(run, commanderOf(domain)), shadow.BundleComplete, bundleData(run, bundleOf(domain, content(0))))
		}
	}
	stored := 0
	for i, r := range shards {
		r.settle()
		count := map[string]int{}
		log, err := readLog(t.Context(), r.store.Subjects, r.js, r.cfg.Key)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range append(log.In, log.Out...) {
			count[m.Name]++
		}
		mine := count[shadow.DecompositionDone]
		if mine == 0 || count[shadow.BundleComplete] != 2*mine || count[shadow.GapReport] != 2*mine || count[shadow.RunScored] != mine || count[shadow.EventRejected] > 0 {
			t.Errorf("shard %d: %v", i, count)
		}
		log.Floor = audit.Floor{Events: math.MaxUint64, Runs: math.MaxUint64}
		for _, f := range auditLog(t.Context(), log, nil).Findings {
			if f.Severity == audit.Error {
				t.Errorf("shard %d: %+v", i, f)
			}
		}
		stored += mine
	}
	if stored != runs {
		t.Errorf("%d runs in all shards, want %d", stored, runs)
	}
	// Nobody picks the shard.
	nc := by["cmd-1"].Conn()
	if err := errors.Join(nc.Publish("shard.1.bundle-complete.run-0.cmd-1", []byte("{}")), nc.Flush()); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(nc.LastError(), nats.ErrPermissionViolation) {
		t.Errorf("a commander that names a shard gets %v", nc.LastError())
	}
	text, err = os.ReadFile(filepath.Join(dir, "shard-2.yml"))
	if err != nil || !strings.Contains(string(text), "shard-2/shadowd.nk") || !strings.Contains(string(text), "\n  data_dir: shard-2/data\n") {
		t.Errorf("the configuration of a daemon: %s, %v", text, err)
	}
}

// newShard is a rig in an account of a server that others share.
func newShard(t testing.TB, js jetstream.JetStream) *rig {
	t.Helper()
	key, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, js: js, cfg: Config{
		Settings: testSettings(), Panel: wordPanel{}, Key: key, Signer: testSigner(),
		Limits: shadow.Limits{ContentBytes: 64 << 10, WaitingPerRun: 100, SealWait: time.Hour},
		Logger: slog.New(slog.DiscardHandler),
	}}
	r.store = r.ensure(js)
	r.serve(NewEngine(r.store, r.cfg))
	return r
}
