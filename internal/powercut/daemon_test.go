//go:build linux

package powercut

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// daemon is a process of "shadowd run".
type daemon struct {
	t      *testing.T
	cmd    *exec.Cmd
	exited chan struct{}
	mu     sync.Mutex
	stderr bytes.Buffer
	news   chan struct{} // closed at the next line
}

// startDaemon starts shadowd with its data in a directory. Deadlines are short, so that cuts come before them.
func startDaemon(t *testing.T, dir, sync string) *daemon {
	t.Helper()
	config := fmt.Sprintf(`
shadow_scoring: {hardening: {timeout: 1s}}
run: {timeout: 3s}
bus: {listen: "127.0.0.1:0", data_dir: %q, max_bytes: 100MB, sync: %s}
log: {level: info, format: json}
`, dir, sync)
	file := filepath.Join(t.TempDir(), "config.yml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	d := &daemon{t: t, cmd: exec.Command(os.Getenv(program), "run", "--config", file), exited: make(chan struct{}), news: make(chan struct{})}
	d.cmd.Dir = filepath.Dir(file)
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	pipe, err := d.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go d.listen(pipe)
	t.Cleanup(d.kill)
	return d
}

func (d *daemon) listen(pipe io.Reader) {
	for in := bufio.NewReader(pipe); ; {
		line, err := in.ReadString('\n')
		d.mu.Lock()
		d.stderr.WriteString(line)
		close(d.news)
		d.news = make(chan struct{})
		d.mu.Unlock()
		if err != nil {
			break
		}
	}
	_ = d.cmd.Wait() // what it returns is in ProcessState
	close(d.exited)
}

var isReady = regexp.MustCompile(`"msg":"ready","bus":"([^"]+)"`)

// ready waits until the daemon is ready, and returns where its bus is.
func (d *daemon) ready() (string, error) {
	late := time.After(patience)
	for {
		d.mu.Lock()
		m, news := isReady.FindSubmatch(d.stderr.Bytes()), d.news
		d.mu.Unlock()
		if m != nil {
			return string(m[1]), nil
		}
		select {
		case <-news:
		case <-d.exited:
			return "", errors.New("the daemon does not start")
		case <-late:
			return "", errors.New("the daemon is not ready")
		}
	}
}

// said is what the daemon wrote to standard error so far.
func (d *daemon) said() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stderr.String()
}

// freeze stops the daemon in the midst of what it does. It returns when no thread
// goes on: then nothing is acknowledged, and nothing is written but by the kernel.
func (d *daemon) freeze() {
	d.t.Helper()
	if err := d.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		d.t.Fatalf("%v\n%s", err, d.said())
	}
	for late := time.Now().Add(patience); ; {
		moving := false
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", d.cmd.Process.Pid))
		if err != nil || len(tasks) == 0 {
			d.t.Fatalf("the daemon has no threads: %v\n%s", err, d.said())
		}
		for _, task := range tasks {
			stat, err := os.ReadFile(task)
			if err != nil {
				continue // a thread that has ended
			}
			_, state, _ := strings.Cut(string(stat), ") ")
			moving = moving || !strings.HasPrefix(state, "T")
		}
		if !moving {
			return
		}
		if time.Now().After(late) {
			d.t.Fatal("the daemon does not stop")
		}
	}
}

// kill is kill -9. It returns when the process is gone.
func (d *daemon) kill() {
	_ = d.cmd.Process.Kill() // it may have ended
	<-d.exited
}

// audit audits all runs as the operator.
func (d *daemon) audit(dir string) (string, error) {
	url, err := d.ready()
	if err != nil {
		return "", err
	}
	file := filepath.Join(d.t.TempDir(), "operator.yml")
	text := fmt.Sprintf("bus: {url: %q, nkey: %q, data_dir: %q}\n", url, filepath.Join(dir, "operator.nk"), dir)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(d.t.Context(), os.Getenv(program), "audit", "--all", "--config", file).CombinedOutput()
	return string(out), err
}
