package bus

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/swarmspeed/shadowd/internal/bus/bustest"
)

// buildShadowd builds the real program, with the race detector if the tests
// have it. It is built once for all of them.
func buildShadowd(t testing.TB) string {
	return bustest.Must(built())
}

// builtDir is where the program is; it is removed when all tests are over.
var builtDir string

var built = sync.OnceValues(func() (string, error) {
	var err error
	if builtDir, err = os.MkdirTemp("", "shadowd-test-"); err != nil {
		return "", err
	}
	bin := filepath.Join(builtDir, "shadowd")
	args := []string{"build", "-ldflags=-w", "-o", bin} // linked sooner
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-race" && s.Value == "true" {
				args = append(args, "-race")
			}
		}
	}
	out, err := exec.Command("go", append(args, "github.com/swarmspeed/shadowd/cmd/shadowd")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building shadowd: %w\n%s", err, out)
	}
	return bin, nil
})

// installation is a shadowd with its configuration and its data directory,
// which outlive its processes.
type installation struct {
	t                testing.TB
	bin, config, dir string
}

// install writes a configuration. Bus is what it says of the bus.
func install(t testing.TB, bin, bus string) *installation {
	t.Helper()
	dir := t.TempDir()
	in := &installation{t: t, bin: bin, config: filepath.Join(dir, "config.yml"), dir: filepath.Join(dir, "data")}
	text := fmt.Sprintf(`
shadow_scoring:
  hardening: {timeout: 1s}
%s
bus:
  %s
  data_dir: %q
  max_bytes: 200MB # a disk may be nearly full
log: {level: info, format: json}
`, scored(t, dir), bus, in.dir)
	bustest.OK(t, os.WriteFile(in.config, []byte(text), 0o600))
	return in
}

// scored is a part of a configuration by which bundles of writeBundle get scores,
// though nobody reads the work here: by checks, as many as fit at the smallest
// scale.
func scored(t testing.TB, dir string) string {
	t.Helper()
	pack := filepath.Join(dir, "parts.yml")
	bustest.OK(t, os.WriteFile(pack, []byte(parts), 0o600))
	return fmt.Sprintf("seal:\n  authors: [{file: %q}]", pack)
}

// parts are criteria that bundles of writeBundle meet or not by how much they do.
const parts = `
version: 1
criteria:
  - {assertion: The second part is there., expectation: A section on it., message: the second part, check: "text.has_section('Part 2')", category: edge_case}
  - {assertion: The last part is there., expectation: A section on it., message: the last part, check: "text.has_section('Part 5')", category: edge_case}
`

func (in *installation) keyFile() string { return filepath.Join(in.dir, "envelope.nk") }

// operator makes the operator's key before the first start, and the option to
// connect with it: the swarm here also looks at the streams.
func (in *installation) operator() nats.Option {
	in.t.Helper()
	kp, public := bustest.UserPair(in.t)
	seed := bustest.Must(kp.Seed())
	bustest.OK(in.t, os.MkdirAll(in.dir, 0o700))
	bustest.OK(in.t, os.WriteFile(filepath.Join(in.dir, "operator.nk"), seed, 0o600))
	return nats.Nkey(public, kp.Sign)
}

// process is one process of an installation.
type process struct {
	cmd    *exec.Cmd
	ready  chan struct{} // closed when it says that it is ready
	exited chan struct{} // closed when it is gone

	mu     sync.Mutex
	stderr bytes.Buffer
}

// start starts the daemon. It is killed, at the latest, when the test ends.
func (in *installation) start() (*process, error) {
	p := &process{
		cmd:    exec.Command(in.bin, "run", "--config", in.config),
		ready:  make(chan struct{}),
		exited: make(chan struct{}),
	}
	// The race detector would hold every exit up for a second.
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
	p.cmd.Dir = filepath.Dir(in.config)
	pipe, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	in.t.Cleanup(p.kill)
	go p.listen(bufio.NewReader(pipe))
	return p, nil
}

// listen keeps what the process says until it is gone.
func (p *process) listen(r *bufio.Reader) {
	ready := false
	for {
		line, err := r.ReadString('\n')
		p.mu.Lock()
		p.stderr.WriteString(line)
		p.mu.Unlock()
		if !ready && strings.Contains(line, `"msg":"ready"`) {
			ready = true
			close(p.ready)
		}
		if err != nil {
			break
		}
	}
	_ = p.cmd.Wait() // what it returns is in ProcessState
	close(p.exited)
}

// kill is kill -9. It returns when the process is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.exited
}

// stop asks the process to end, as an init system does, and returns its exit
// code.
func (p *process) stop(ctx context.Context) (int, error) {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, fmt.Errorf("stopping the daemon: %w\n%s", err, p.said())
	}
	select {
	case <-p.exited:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		return 0, fmt.Errorf("the daemon does not stop: %w\n%s", ctx.Err(), p.said())
	}
}

// said is what the process wrote to standard error so far.
func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}

// gone is the error of a process that ended by itself.
func (p *process) gone() error {
	return fmt.Errorf("the daemon ended by itself: %v\n%s", p.cmd.ProcessState, p.said())
}

// fault is what a process must never say, or empty.
func (p *process) fault() string {
	for line := range strings.Lines(p.said()) {
		for _, bad := range []string{"DATA RACE", "panic", `"level":"ERROR"`} {
			if strings.Contains(line, bad) {
				return line
			}
		}
	}
	return ""
}

// fixedPort finds a free port below those that the system gives to outgoing
// connections. Nobody is likely to take such a one while the daemon that
// listens there is dead.
func fixedPort(t testing.TB) int {
	t.Helper()
	for range 5000 {
		port := 20000 + os.Getpid()%5000 + int(portsTried.Add(1))
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no free port between 20000 and 30000")
	return 0
}

// portsTried keeps tests that run at the same time from one port.
var portsTried atomic.Int32
