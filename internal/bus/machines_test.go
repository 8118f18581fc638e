package bus

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/fulltest"
	"github.com/swarmspeed/shadowd/internal/shadow"
)

// machine is what deploy/shards/run.sh starts.
type machine struct {
	cmd *exec.Cmd
	out *bytes.Buffer
}

// TestMachines runs eight shards over two machines, as deploy/shards says. One dies,
// and the other takes its four; it comes back, and gets them back.
func TestMachines(t *testing.T) {
	fulltest.Only(t)
	const shards = 8
	bin := filepath.Dir(buildShadowd(t))
	dir := t.TempDir()
	env := []string{"PATH=" + bin + ":" + os.Getenv("PATH"), fmt.Sprint("SHARDS=", shards), "COMMANDERS=cmd-1 cmd-2"}
	script := func(name string, args ...string) *exec.Cmd {
		path, err := filepath.Abs("../../deploy/shards/" + name)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", append([]string{path}, args...)...)
		cmd.Dir, cmd.Env = dir, env
		return cmd
	}
	if out, err := script("make.sh").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for k := range shards { // a disk may be nearly full
		file := filepath.Join(dir, fmt.Sprintf("shard-%d.yml", k))
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, append(text, "  max_bytes: 64MB\n"...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	broker := bustest.ServerWith(t, string(text))
	env = append(env, "SHADOWD_BUS_URL="+broker.URL())
	start := func(mine ...string) *machine {
		m := &machine{cmd: script("run.sh", mine...), out: &bytes.Buffer{}}
		m.cmd.Stdout, m.cmd.Stderr = m.out, m.out
		m.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		m.cmd.WaitDelay = 10 * time.Second
		if err := m.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return m
	}
	end := func(m *machine, signal syscall.Signal) {
		_ = syscall.Kill(-m.cmd.Process.Pid, signal)
		_ = m.cmd.Wait()
	}
	as := func(keys, user, inbox string) jetstream.JetStream {
		login, err := nats.NkeyOptionFromSeed(filepath.Join(dir, keys, user+".nk"))
		if err != nil {
			t.Fatal(err)
		}
		_, js := broker.Connect(t, login, nats.CustomInboxPrefix(inbox))
		return js
	}
	by := map[string]jetstream.JetStream{"nexus": as("front", "nexus", "_INBOX_nexus"), "cmd-1": as("front", "commander-cmd-1", "_INBOX_commander-cmd-1"), "cmd-2": as("front", "commander-cmd-2", "_INBOX_commander-cmd-2")}
	var own []jetstream.JetStream
	for k := range shards {
		own = append(own, as(fmt.Sprint("shard-", k), "shadowd", "_INBOX"))
	}
	// active are the daemons that have the leases.
	active := func() (ids []string) {
		for _, js := range own {
			kv, err := js.KeyValue(t.Context(), layout.BucketLease)
			if err != nil {
				return nil
			}
			entry, err := kv.Get(t.Context(), "lease")
			if err != nil || strings.Contains(string(entry.Value()), `"daemon":""`) {
				return nil
			}
			ids = append(ids, string(entry.Value()))
		}
		return ids
	}
	published := 0
	play := func(name string) (took time.Duration) {
		began := time.Now()
		for n := range 3 * shards {
			run := fmt.Sprint(name, "-", n)
			for author, e := range map[string]struct {
				subject, name string
				data          any
			}{
				"nexus": {layout.Subjects{}.Decomposition(run), shadow.DecompositionDone, twoDomains(run)},
				"cmd-1": {layout.Subjects{}.Bundle(run, "cmd-1"), shadow.BundleComplete, bundleData(run, bundleOf("one", content(0)))},
				"cmd-2": {layout.Subjects{}.Bundle(run, "cmd-2"), shadow.BundleComplete, bundleData(run, bundleOf("two", content(0)))},
			} {
				published++
				if _, err := by[author].Publish(t.Context(), e.subject, eventBytes(t, fmt.Sprint("ev-", published), e.name, e.data)); err != nil {
					t.Fatal(err)
				}
			}
		}
		bustest.WaitFor(t, "the bundles of "+name, func() bool {
			reports := 0
			for _, js := range own {
				out, err := js.Stream(t.Context(), layout.StreamOut)
				if err != nil {
					return false
				}
				info, err := out.Info(t.Context(), jetstream.WithSubjectFilter(layout.Subjects{}.GapReport("*", "*", 0)))
				if err != nil {
					return false
				}
				for subject := range info.State.Subjects {
					if strings.Contains(subject, "."+name+"-") {
						reports++
					}
				}
			}
			return reports == 2*3*shards
		})
		return time.Since(began)
	}
	first, second := start("0", "1", "2", "3"), start("4", "5", "6", "7")
	defer func() { end(first, syscall.SIGTERM) }()
	defer func() { end(second, syscall.SIGTERM) }()
	standing := func() int {
		n := 0
		for _, id := range active() {
			if strings.Contains(id, `"standby":true`) {
				n++
			}
		}
		return n
	}
	defer func() {
		if t.Failed() {
			t.Logf("%s\n%s", first.out, second.out)
		}
	}()
	bustest.WaitFor(t, "each shard to have its own daemon", func() bool { return len(active()) == shards && standing() == 0 })
	t.Logf("all shards at work: %s", play("one"))
	end(first, syscall.SIGKILL)
	t.Logf("with one machine: %s", play("two"))
	if n := standing(); n != shards/2 {
		t.Errorf("%d shards are taken over, want %d: %v", n, shards/2, active())
	}
	first = start("0", "1", "2", "3")
	bustest.WaitFor(t, "the shards to be given back", func() bool { return len(active()) == shards && standing() == 0 })
	t.Logf("given back: %s", play("three"))
}
