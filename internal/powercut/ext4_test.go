//go:build linux

package powercut

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// image is an ext4 file system in a file, behind a loop device. What the kernel
// has written to the device is in the file; what it keeps in its caches is not.
type image struct {
	t       *testing.T
	folder  string
	n       int // of the present image and mount
	mounted bool
}

func imageLacks() error {
	if os.Getuid() != 0 {
		return errors.New("a loop device needs root")
	}
	_, err := exec.LookPath("mkfs.ext4")
	return err
}

func newImage(t *testing.T) disk {
	i := &image{t: t, folder: t.TempDir()}
	// In memory, where a sync is fast: so more happens before a cut.
	if err := syscall.Mount("tmpfs", i.folder, "tmpfs", 0, ""); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		i.unmount()
		if err := syscall.Unmount(i.folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(i.file(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(i.file(), 512<<20); err != nil {
		t.Fatal(err)
	}
	i.run("mkfs.ext4", "-q", "-F", i.file())
	if err := os.Mkdir(i.at(), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-o", "loop", i.file(), i.at()).CombinedOutput(); err != nil {
		t.Skipf("no loop device can be mounted here: %v\n%s", err, out)
	}
	i.mounted = true
	return i
}

func (i *image) file() string { return filepath.Join(i.folder, fmt.Sprint(i.n, ".img")) }
func (i *image) at() string   { return filepath.Join(i.folder, fmt.Sprint(i.n)) }
func (i *image) dir() string  { return filepath.Join(i.at(), "data") }

func (i *image) run(command ...string) {
	i.t.Helper()
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		i.t.Fatalf("%q: %v\n%s", command, err, out)
	}
}

// cut freezes the daemon and copies the image. If the kernel wrote to it meanwhile, the copy is of no
// single moment, and is made again.
func (i *image) cut(d *daemon) {
	i.t.Helper()
	d.freeze()
	next := image{folder: i.folder, n: i.n + 1}
	for range 100 {
		before := i.written()
		i.run("cp", "--sparse=always", i.file(), next.file())
		if i.written() == before {
			return
		}
	}
	i.t.Fatal("the kernel writes to the image all the time")
}

// written is when the image was last written to.
func (i *image) written() syscall.Timespec {
	var s syscall.Stat_t
	if err := syscall.Stat(i.file(), &s); err != nil {
		i.t.Fatal(err)
	}
	return s.Mtim
}

func (i *image) mount() {
	i.t.Helper()
	i.unmount()
	i.n++
	if err := os.Mkdir(i.at(), 0o700); err != nil {
		i.t.Fatal(err)
	}
	i.run("mount", "-o", "loop", i.file(), i.at())
	i.mounted = true
}

// unmount gives the loop device back, and the room.
func (i *image) unmount() {
	if !i.mounted {
		return
	}
	i.mounted = false
	if err := syscall.Unmount(i.at(), syscall.MNT_DETACH); err != nil {
		i.t.Error(err)
	}
	if err := os.Remove(i.file()); err != nil {
		i.t.Error(err)
	}
}
