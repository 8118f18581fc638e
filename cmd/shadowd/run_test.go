package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
	"github.com/swarmspeed/shadowd/internal/hint"
)

// patience is how long a test waits for what should come at once. It is long,
// since it is reached only when the test has failed.
const patience = 2 * time.Minute

// connect connects a client of a test. The two seconds that it would give a
// server by default pass on a machine that is busy.
func connect(url string, opts ...nats.Option) (*nats.Conn, error) {
	return nats.Connect(url, append([]nats.Option{nats.Timeout(patience)}, opts...)...)
}

// running is "shadowd run" in a process of its own.
type running struct {
	t      *testing.T
	cmd    *exec.Cmd
	exited chan struct{}
	mu     sync.Mutex
	stderr bytes.Buffer
	news   chan struct{} // closed at the next line
}

// startRun starts the real main with a configuration. It is killed, at the latest, when the test ends.
func startRun(t *testing.T, config string) *running {
	t.Helper()
	return startAs(t, config, "shadowd", "run", "--config")
}

// startAs starts the daemon by a command line, to which the name of its configuration is added.
func startAs(t *testing.T, config string, args ...string) *running {
	t.Helper()
	file := written(t, "config.yml", config)
	cmd := exec.Command(args[0], append(args[1:], file)...)
	cmd.Dir = filepath.Dir(file)
	return startCommand(t, cmd)
}

// startCommand starts the daemon as a command that is ready to start.
func startCommand(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{t: t, cmd: cmd, exited: make(chan struct{}), news: make(chan struct{})}
	pipe, err := r.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.cmd.Stdout = os.Stderr // there should be nothing
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go r.listen(pipe)
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill() // it may have ended
		<-r.exited
	})
	return r
}

func (r *running) listen(pipe io.Reader) {
	for in := bufio.NewReader(pipe); ; {
		line, err := in.ReadString('\n')
		r.mu.Lock()
		r.stderr.WriteString(line)
		close(r.news)
		r.news = make(chan struct{})
		r.mu.Unlock()
		if err != nil {
			break
		}
	}
	_ = r.cmd.Wait() // what it returns is in ProcessState
	close(r.exited)
}

// says waits until the daemon's log matches a pattern, and returns what the pattern's group holds.
func (r *running) says(pattern string) string {
	r.t.Helper()
	re := regexp.MustCompile(pattern)
	late := time.After(patience)
	for {
		r.mu.Lock()
		m, news := re.FindSubmatch(r.stderr.Bytes()), r.news
		r.mu.Unlock()
		if m != nil {
			return string(m[len(m)-1])
		}
		select {
		case <-news:
		case <-r.exited:
			r.t.Fatalf("the daemon ended without saying %s:\n%s", pattern, r.log())
		case <-late:
			r.t.Fatalf("the daemon does not say %s:\n%s", pattern, r.log())
		}
	}
}

// url waits until the daemon is ready and returns where its bus is.
func (r *running) url() string {
	r.t.Helper()
	return r.says(`"msg":"ready","bus":"([^"]+)"`)
}

func (r *running) log() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stderr.String()
}

// wantExit waits until the daemon has ended, with this exit code.
func (r *running) wantExit(code int) {
	r.t.Helper()
	select {
	case <-r.exited:
	case <-time.After(patience):
		r.t.Fatalf("the daemon goes on:\n%s", r.log())
	}
	if got := r.cmd.ProcessState.ExitCode(); got != code {
		r.t.Errorf("exit code %d, want %d:\n%s", got, code, r.log())
	}
}

func (r *running) signal(s os.Signal) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		r.t.Fatal(err)
	}
}

// embedded is a configuration for a bus of its own on a free port.
func embedded(dir string) string {
	return fmt.Sprintf("shadow_scoring: {hardening: {timeout: 1s}}\nbus: {listen: \"127.0.0.1:0\", data_dir: %q, max_bytes: 100MiB}\nlog: {level: debug}\n", dir)
}

// operatorConfig writes a configuration by which commands are the operator on
// the bus at url, whose data directory is dir.
func operatorConfig(t *testing.T, url, dir string) string {
	t.Helper()
	return written(t, "operator.yml", fmt.Sprintf("bus: {url: %q, nkey: %q}\n", url, filepath.Join(dir, "operator.nk")))
}

// A signal ends the daemon cleanly, and a restart finds its key and its bus.
func TestRunSignals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, s := range []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGTERM} {
		r := startRun(t, embedded(dir))
		r.url()
		r.signal(s)
		r.wantExit(hint.ExitClean)
		if created := strings.Contains(r.log(), "a new envelope key was created"); created != (i == 0) {
			t.Errorf("start %d: a new key: %v", i, created)
		}
		wantJSON(t, r.log())
	}
}

// Standard error is no terminal here, so the log is JSON.
func wantJSON(t *testing.T, log string) {
	t.Helper()
	for line := range strings.Lines(log) {
		var entry struct{ Time, Level, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Time == "" || entry.Level == "" || entry.Msg == "" {
			t.Errorf("a line of the log is not JSON: %v\n%s", err, line)
		}
	}
	if log == "" {
		t.Error("there is no log")
	}
}

// What keeps a daemon from starting is said in a line, with what to do.
func TestRunRefused(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := t.TempDir()
	first := startRun(t, embedded(dir))
	first.url()
	plain := bustest.ServerWith(t, "max_payload: 1MB")
	secured := bustest.Secured(t, &server.User{Username: "somebody", Password: "hunter2"}, &server.NkeyUser{Nkey: bustest.UserKey(t)})
	wrong := strings.Replace(secured.URL(), "nats://", "nats://somebody:hunter3@", 1)

	// The bus of a daemon whose envelope key was lost.
	lost := t.TempDir()
	before := startRun(t, embedded(lost))
	before.url()
	before.signal(syscall.SIGTERM)
	before.wantExit(hint.ExitClean)
	other, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := other.Seed()
	if err == nil {
		err = os.WriteFile(filepath.Join(lost, "envelope.nk"), seed, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct{ name, config, want string }{
		{"port in use", fmt.Sprintf("bus: {listen: %q, data_dir: %q, max_bytes: 100MiB}", taken.Addr(), t.TempDir()),
			"shadowd: bus.listen: " + taken.Addr().String() + ": it is in use, perhaps by another shadowd or nats-server: stop that one, listen elsewhere, or connect to it instead"},
		{"another key", embedded(lost), ", but the daemons of this bus use X"},
		{"second daemon", embedded(dir),
			"shadowd: bus.data_dir: " + dir + " is in use by another shadowd: stop that one, name another directory, or connect to its bus instead"},
		{"no JetStream", fmt.Sprintf("bus: {url: %q, data_dir: %q, max_bytes: 100MiB}", plain.URL(), t.TempDir()),
			"shadowd: preparing the bus: JetStream is not enabled for this account of " + plain.URL()},
		{"wrong password", fmt.Sprintf("bus: {url: %q, data_dir: %q, max_bytes: 100MiB}", wrong, t.TempDir()),
			"Authorization Violation: check the user, password, nkey or credentials file"},
		{"HTTP port in use", embedded(t.TempDir()) + fmt.Sprintf("http: {listen: %q}\n", taken.Addr()),
			"http.listen: the address " + taken.Addr().String() + " is in use"},
		{"too little room", fmt.Sprintf("bus: {listen: \"127.0.0.1:0\", data_dir: %q, max_bytes: 900TiB}", t.TempDir()),
			"too little storage for it: IN reserves bus.max_bytes, 943718400 MiB\nshadowd: hint: lower bus.max_bytes, or make room: on the disk of bus.data_dir"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := startRun(t, c.config)
			r.wantExit(hint.ExitFailed)
			if !strings.Contains(r.log(), c.want) || strings.Contains(r.log(), "hunter") || strings.Contains(r.log(), string(seed)) {
				t.Errorf("it says\n%s\nand not\n%s", r.log(), c.want)
			}
		})
	}

	// The first daemon took no harm.
	first.signal(syscall.SIGTERM)
	first.wantExit(hint.ExitClean)
}
