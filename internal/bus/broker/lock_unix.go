//go:build unix

package broker

import (
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockDir takes dir for one server until release is called. Two servers in one
// directory would destroy each other's files. The kernel gives the lock back
// when the process ends, however it ends. An os.File would not do: the garbage
// collector closes it, and so gives the lock back, when nobody calls Shutdown.
func lockDir(dir string) (release func() error, err error) {
	fd, err := unix.Open(filepath.Join(dir, lockFile), unix.O_CREAT|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return func() error { return unix.Close(fd) }, nil
	}
	unix.Close(fd)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, inUse(dir)
	}
	return nil, fmt.Errorf("locking %s: %w", dir, err)
}
