package bus

import (
	"bytes"
	"errors"
	"fmt"
	"math"
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
	"github.com/swarmspeed/shadowd/internal/shadow/audit"
)

// sharded is what deploy/shards/make.sh makes, and a server with its configuration.
type sharded struct {
	t      *testing.T
	dir    string
	env    []string
	broker *bustest.Broker
	own    []jetstream.JetStream          // shadowd's, by shard
	by     map[string]jetstream.JetStream // those of the authors
	sent   int
}

func newSharded(t *testing.T, shards int) *sharded {
	t.Helper()
	s := &sharded{t: t, dir: t.TempDir()}
	s.env = []string{"PATH=" + filepath.Dir(buildShadowd(t)) + ":" + os.Getenv("PATH"), fmt.Sprint("SHARDS=", shards), "COMMANDERS=cmd-1 cmd-2"}
	if out, err := s.script("make.sh").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.broker = bustest.ServerWith(t, s.read("nats.conf"))
	as := func(keys, user, inbox string) jetstream.JetStream {
		login := bustest.Must(nats.NkeyOptionFromSeed(filepath.Join(s.dir, keys, user+".nk")))
		_, js := s.broker.Connect(t, login, nats.CustomInboxPrefix(inbox))
		return js
	}
	s.by = map[string]jetstream.JetStream{"nexus": as("front", "nexus", "_INBOX_nexus")}
	for _, c := range []string{"cmd-1", "cmd-2"} {
		s.by[c] = as("front", "commander-"+c, "_INBOX_commander-"+c)
	}
	for k := range shards {
		s.own = append(s.own, as(fmt.Sprint("shard-", k), "shadowd", "_INBOX"))
	}
	return s
}

func (s *sharded) script(name string, args ...string) *exec.Cmd {
	path := bustest.Must(filepath.Abs("../../deploy/shards/" + name))
	cmd := exec.Command("sh", append([]string{path}, args...)...)
	cmd.Dir, cmd.Env = s.dir, s.env
	return cmd
}

func (s *sharded) read(name string) string {
	s.t.Helper()
	return string(bustest.Must(os.ReadFile(filepath.Join(s.dir, name))))
}

// publish publishes what makes up a run, on the subjects that all know.
func (s *sharded) publish(run string) {
	s.t.Helper()
	l := layout.Subjects{}
	for _, e := range []struct {
		author, subject, name string
		data                  any
	}{
		{"nexus", l.Decomposition(run), shadow.DecompositionDone, twoDomains(run)},
		{"cmd-1", l.Bundle(run, "cmd-1"), shadow.BundleComplete, bundleData(run, bundleOf("one", content(0)))},
		{"cmd-2", l.Bundle(run, "cmd-2"), shadow.BundleComplete, bundleData(run, bundleOf("two", content(0)))},
	} {
		s.sent++
		if _, err := s.by[e.author].Publish(s.t.Context(), e.subject, eventBytes(fmt.Sprint("ev-", s.sent), e.name, e.data)); err != nil {
			s.t.Fatalf("%s: %s: %v", e.author, e.subject, err)
		}
	}
}

// TestShards: each run is judged in one shard, whole, and nothing of it is in another
// one.
func TestShards(t *testing.T) {
	t.Parallel()
	const shards, runs = 3, 24
	s := newSharded(t, shards)
	var rigs []*rig
	for _, js := range s.own {
		r := newRigOver(t, js)
		r.serve(NewEngine(r.store, r.cfg))
		rigs = append(rigs, r)
	}
	for n := range runs {
		s.publish(fmt.Sprint("run-", n))
	}
	stored := 0
	for i, r := range rigs {
		r.settle()
		count := map[string]int{}
		log := bustest.Must(readLog(t.Context(), r.store.Subjects, r.js, r.cfg.Key))
		for _, m := range append(log.In, log.Out...) {
			count[m.Name]++
		}
		mine := count[shadow.DecompositionDone]
		if mine == 0 || count[shadow.BundleComplete] != 2*mine || count[shadow.GapReport] != 2*mine || count[shadow.RunScored] != mine || count[shadow.EventRejected] > 0 {
			t.Errorf("shard %d: %v", i, count)
		}
		log.Floor = audit.Floor{Events: math.MaxUint64, Runs: math.MaxUint64}
		if a := auditLog(log, nil); a.Errors > 0 {
			t.Errorf("shard %d: %+v", i, a.Findings)
		}
		stored += mine
	}
	if stored != runs {
		t.Errorf("%d runs in all shards, want %d", stored, runs)
	}
	// Nobody picks the shard.
	nc := s.by["cmd-1"].Conn()
	bustest.OK(t, errors.Join(nc.Publish("shard.1.bundle-complete.run-0.cmd-1", []byte("{}")), nc.Flush()))
	if !errors.Is(nc.LastError(), nats.ErrPermissionViolation) {
		t.Errorf("a commander that names a shard gets %v", nc.LastError())
	}
	if text := s.read("shard-2.yml"); !strings.Contains(text, "shard-2/shadowd.nk") || !strings.Contains(text, "\n  data_dir: shard-2/data\n") {
		t.Errorf("the configuration of a daemon: %s", text)
	}
}

// machine is what deploy/shards/run.sh starts.
type machine struct {
	cmd *exec.Cmd
	out bytes.Buffer
}

func (s *sharded) machine(mine ...string) *machine {
	s.t.Helper()
	m := &machine{cmd: s.script("run.sh", mine...)}
	m.cmd.Stdout, m.cmd.Stderr = &m.out, &m.out
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	m.cmd.WaitDelay = 10 * time.Second
	bustest.OK(s.t, m.cmd.Start())
	return m
}

func (m *machine) end(signal syscall.Signal) {
	_ = syscall.Kill(-m.cmd.Process.Pid, signal)
	_ = m.cmd.Wait()
}

// active counts the shards with an active daemon, and those of them whose daemon stands
// by for another.
func (s *sharded) active() (all, standing int) {
	for _, js := range s.own {
		kv, err := js.KeyValue(s.t.Context(), layout.BucketLease)
		if err != nil {
			continue
		}
		entry, err := kv.Get(s.t.Context(), "lease")
		if err != nil || strings.Contains(string(entry.Value()), `"daemon":""`) {
			continue
		}
		if all++; strings.Contains(string(entry.Value()), `"standby":true`) {
			standing++
		}
	}
	return all, standing
}

// play publishes runs and waits for their reports.
func (s *sharded) play(name string) (took time.Duration) {
	s.t.Helper()
	began := time.Now()
	runs := 3 * len(s.own)
	for n := range runs {
		s.publish(fmt.Sprint(name, "-", n))
	}
	bustest.WaitFor(s.t, "the bundles of "+name, func() bool {
		reports := 0
		for _, js := range s.own {
			out, err := js.Stream(s.t.Context(), layout.StreamOut)
			if err != nil {
				return false
			}
			info, err := out.Info(s.t.Context(), jetstream.WithSubjectFilter(layout.Subjects{}.GapReport("*", "*", 0)))
			if err != nil {
				return false
			}
			for subject := range info.State.Subjects {
				if strings.Contains(subject, "."+name+"-") {
					reports++
				}
			}
		}
		return reports == 2*runs
	})
	return time.Since(began)
}

// TestMachines runs eight shards over two machines, as deploy/shards says. One dies,
// and the other takes its four; it comes back, and gets them back.
func TestMachines(t *testing.T) {
	fulltest.Only(t)
	const shards = 8
	s := newSharded(t, shards)
	s.env = append(s.env, "SHADOWD_BUS_URL="+s.broker.URL())
	for k := range shards { // a disk may be nearly full
		name := fmt.Sprintf("shard-%d.yml", k)
		bustest.OK(t, os.WriteFile(filepath.Join(s.dir, name), []byte(s.read(name)+"  max_bytes: 64MB\n"), 0o600))
	}
	first, second := s.machine("0", "1", "2", "3"), s.machine("4", "5", "6", "7")
	defer func() {
		first.end(syscall.SIGTERM)
		second.end(syscall.SIGTERM)
		if t.Failed() {
			t.Logf("%s\n%s", &first.out, &second.out)
		}
	}()
	own := func() bool { all, standing := s.active(); return all == shards && standing == 0 }
	bustest.WaitFor(t, "each shard to have its own daemon", own)
	t.Logf("all shards at work: %s", s.play("one"))
	first.end(syscall.SIGKILL)
	t.Logf("with one machine: %s", s.play("two"))
	if _, standing := s.active(); standing != shards/2 {
		t.Errorf("%d shards are taken over, want %d", standing, shards/2)
	}
	first = s.machine("0", "1", "2", "3")
	bustest.WaitFor(t, "the shards to be given back", own)
	t.Logf("given back: %s", s.play("three"))
}
