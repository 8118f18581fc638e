package bus

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/bus/layout"
	"github.com/swarmspeed/shadowd/internal/fulltest"
)

var killLeaders = flag.Int("kill.leaders", 1, "kills of stream leaders in TestClusterLosesLeaders")

// TestClusterLosesLeaders plays runs on what deploy/cluster/make.sh makes:
// three servers and two daemons, each a process of its own. Daemons are killed
// as in TestKill, and so is the server that leads a stream, one time after
// another: IN, OUT and the envelopes. It comes back when the others have
// judged on without it. In the end the whole log is checked.
//
// A quarter of TestKill's runs and an eighth of its kills are done here, since
// elections take their time. The full size, 500 runs and 200 kills:
//
//	go test ./internal/bus -run TestClusterLosesLeaders -timeout 1h -v -kill.runs 2000 -kill.kills 1600 -kill.leaders 20
func TestClusterLosesLeaders(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	c := newKilledCluster(t)
	k := &killing{t: t, daemons: 2, runs: *killRuns / 4, kills: *killKills / 8, in: c.in}
	k.others = func(ctx context.Context) error { return c.killLeaders(ctx, k) }
	k.play(c.url, c.operator)
	nc := bustest.Must(nats.Connect(c.url, c.operator))
	defer nc.Close()
	js := bustest.Must(jetstream.New(nc))
	k.verify(js)
	info, err := js.Stream(t.Context(), layout.StreamIn)
	if err != nil || info.CachedInfo().Config.Replicas != 3 {
		t.Errorf("IN is not there three times: %+v, %v", info, err)
	}
}

// killedCluster is a cluster whose servers are processes.
type killedCluster struct {
	t        testing.TB
	dir, url string
	in       *installation
	operator nats.Option
	nodes    map[string]*exec.Cmd // by the name of the server
}

func newKilledCluster(t testing.TB) *killedCluster {
	t.Helper()
	c := &killedCluster{t: t, dir: t.TempDir(), nodes: map[string]*exec.Cmd{}}
	bin := buildShadowd(t)
	var at [6]string
	for i := range at {
		at[i] = fmt.Sprintf("127.0.0.1:%d", fixedPort(t))
	}
	script := bustest.Must(filepath.Abs("../../deploy/cluster/make.sh"))
	c.run(exec.Command("sh", script), "PATH="+filepath.Dir(bin)+":"+os.Getenv("PATH"), "COMMANDERS=cmd-architecture",
		"CLIENTS="+strings.Join(at[:3], " "), "ROUTES="+strings.Join(at[3:], " "))
	config := filepath.Join(c.dir, "config.yml")
	c.in = &installation{t: t, bin: bin, config: config, dir: filepath.Join(c.dir, "shadowd-data")}
	made := bustest.Must(os.ReadFile(config))
	// With the public keys alone daemons do not try the wall at each start.
	made = bytes.ReplaceAll(made, []byte(`.nk"}`), []byte(`.pub"}`))
	made = bytes.Replace(made, []byte("bus:\n"), []byte("bus:\n  max_bytes: 200MB\n"), 1) // a disk may be nearly full
	bustest.OK(t, os.WriteFile(config, []byte(string(made)+"shadow_scoring:\n  hardening: {timeout: 1s}\nlog: {level: info, format: json}\n"+scored(t, c.dir)+"\n"), 0o600))
	c.operator = bustest.Must(nats.NkeyOptionFromSeed(filepath.Join(c.dir, "nkeys", "operator.nk")))
	c.url = "nats://" + strings.Join(at[:3], ",nats://")
	for i := range 3 {
		c.start(fmt.Sprint("n", i+1))
	}
	c.ready()
	return c
}

func (c *killedCluster) run(cmd *exec.Cmd, env ...string) {
	c.t.Helper()
	cmd.Dir, cmd.Env = c.dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("%v\n%s", err, out)
	}
}

// ready waits until a stream can be made.
func (c *killedCluster) ready() {
	c.t.Helper()
	l, closeLink, err := connect(c.url, c.operator)
	bustest.OK(c.t, err)
	defer closeLink()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	err = l.retry(ctx, func(ctx context.Context) error {
		_, err := l.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "TRIED", Replicas: 3})
		return err
	})
	if err == nil {
		err = l.retry(ctx, func(ctx context.Context) error { return l.js.DeleteStream(ctx, "TRIED") })
	}
	bustest.OK(c.t, err)
}

// natsConfig is the environment variable that makes of this program a
// nats-server with that configuration.
const natsConfig = "SHADOWD_TEST_NATS_CONFIG"

func serveNATS(file string) {
	options, err := server.ProcessConfigFile(file)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	options.NoLog = true
	srv, err := server.NewServer(options)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	srv.Start()
	srv.WaitForShutdown()
	os.Exit(0)
}

func (c *killedCluster) start(name string) {
	cmd := exec.Command(os.Args[0])
	cmd.Dir, cmd.Env, cmd.Stdout = c.dir, []string{natsConfig + "=" + filepath.Join(c.dir, name+".conf"), "GORACE=atexit_sleep_ms=0"}, os.Stderr
	if err := cmd.Start(); err != nil {
		c.t.Error(err)
		return
	}
	c.nodes[name] = cmd
	c.t.Cleanup(func() { kill(cmd) })
}

// kill is kill -9, and waits until the process is gone.
func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()         // it may have been waited for
}

// killLeaders kills the leader of a stream, has the others judge on, and
// brings it back, as often as asked.
func (c *killedCluster) killLeaders(ctx context.Context, k *killing) error {
	streams := []string{layout.StreamIn, layout.StreamOut, "KV_" + layout.BucketEnvelopes}
	const some = 20 // outputs
	for i := range *killLeaders {
		stream := streams[i%len(streams)]
		if err := k.swarm.out.more(ctx, some); err != nil {
			return err
		}
		leader := ""
		err := c.until(ctx, k, stream, func(i *jetstream.ClusterInfo) bool { leader = i.Leader; return leader != "" })
		if err != nil {
			return err
		}
		kill(c.nodes[leader])
		err = c.until(ctx, k, stream, func(i *jetstream.ClusterInfo) bool { return i.Leader != "" && i.Leader != leader })
		if err == nil {
			err = k.swarm.out.more(ctx, some)
		}
		if err != nil {
			return fmt.Errorf("without %s, which led %s: %w", leader, stream, err)
		}
		c.start(leader)
		for _, s := range streams {
			err := c.until(ctx, k, s, func(i *jetstream.ClusterInfo) bool {
				return i.Leader != "" && len(i.Replicas) == 2 && i.Replicas[0].Current && i.Replicas[1].Current
			})
			if err != nil {
				return fmt.Errorf("%s does not come back to %s: %w", leader, s, err)
			}
		}
		c.t.Logf("%s led %s, was killed and came back", leader, stream)
	}
	return nil
}

// until waits until cond holds of who has a stream.
func (c *killedCluster) until(ctx context.Context, k *killing, stream string, cond func(*jetstream.ClusterInfo) bool) error {
	return k.swarm.link.retry(ctx, func(ctx context.Context) error {
		s, err := k.swarm.link.js.Stream(ctx, stream)
		if err == nil && (s.CachedInfo().Cluster == nil || !cond(s.CachedInfo().Cluster)) {
			err = errors.New("not yet")
		}
		return err
	})
}
