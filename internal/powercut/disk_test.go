//go:build linux

package powercut

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/swarmspeed/shadowd/internal/fulltest"
)

// disk is where a data directory lies, and its power can be cut.
type disk interface {
	// dir is the data directory, as it is mounted now.
	dir() string
	// cut takes what is left if the power goes at this moment. Nothing that the
	// daemon writes after it is acknowledged.
	cut(*daemon)
	// mount mounts in a new place what cut took, after that process is gone.
	mount()
	unmount()
}

// disks are those that are tried, with what keeps them from being had here.
var disks = map[string]struct {
	lacks func() error
	open  func(*testing.T) disk
}{
	"ext4":      {imageLacks, newImage},
	"forgetful": {forgetfulLacks, newForgetful},
}

// eachDisk runs a test on each disk that can be had here.
func eachDisk(t *testing.T, test func(t *testing.T, open func(*testing.T) disk)) {
	fulltest.Only(t)
	t.Parallel()
	for name, kind := range disks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if os.Getenv(program) != "" {
				test(t, kind.open)
				return
			}
			if err := kind.lacks(); err != nil {
				t.Skip(err)
			}
			inOwnMounts(t)
		})
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	if builtIn != "" {
		_ = os.RemoveAll(builtIn) // it lies in the temporary directory
	}
	os.Exit(code)
}

// program is the environment variable that names the program to test. It is set where a test runs in its own mounts.
const program = "POWERCUT_SHADOWD"

// inOwnMounts runs a test in a process that has a mount namespace of its own, where it is root: the test binary,
// started again for this test alone. When that process is gone, however it went, so are its mounts and loop devices.
func inOwnMounts(t *testing.T) {
	t.Helper()
	shadowd, err := build()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.count=1", "-test.timeout=1h", "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$",
		fmt.Sprint("-powercut.cuts=", *cuts), fmt.Sprint("-powercut.work=", *work))
	cmd.Env = append(os.Environ(), program+"="+shadowd)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &failed):
		t.Skipf("no mount namespace of its own can be had here: %v", err)
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	case bytes.Contains(out, []byte("--- SKIP")):
		t.Skipf("%s", out)
	}
	t.Logf("%s", out)
}

// builtIn is where the program is built, once for all tests.
var builtIn string

var build = sync.OnceValues(func() (string, error) {
	var err error
	if builtIn, err = os.MkdirTemp("", "powercut-"); err != nil {
		return "", err
	}
	bin := filepath.Join(builtIn, "shadowd")
	if out, err := exec.Command("go", "build", "-ldflags=-w", "-o", bin, "github.com/swarmspeed/shadowd/cmd/shadowd").CombinedOutput(); err != nil {
		return "", fmt.Errorf("building shadowd: %w\n%s", err, out)
	}
	return bin, nil
})
