package broker

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// markFile stands in the data directory, with the interval of syncs, while a server
// runs there that syncs at intervals. It goes when that one was stopped and all that
// it stored is on the disk. So a start that finds it follows a crash, and what was
// acknowledged within the interval may be gone.
const markFile = "not-synced"

// readMark is the interval in the mark of a directory, 0 if it has none.
func readMark(dir string) (time.Duration, error) {
	text, err := os.ReadFile(filepath.Join(dir, markFile))
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	interval, err := time.ParseDuration(string(text))
	if err != nil || interval <= 0 { // the power was cut while it was written
		interval = time.Hour // the longest that bus.sync may be
	}
	return interval, nil
}

// writeMark returns when the mark is on the disk.
func writeMark(dir string, interval time.Duration) error {
	file := filepath.Join(dir, markFile)
	if err := os.WriteFile(file, []byte(interval.String()), 0o600); err != nil {
		return err
	}
	return errors.Join(syncPath(file, false), syncPath(dir, true))
}

// removeMark syncs all that a server has stored in a directory, and then removes its
// mark.
func removeMark(dir string) error {
	err := filepath.WalkDir(filepath.Join(dir, server.JetStreamStoreDir), func(path string, d fs.DirEntry, err error) error {
		if err == nil && (d.IsDir() || d.Type().IsRegular()) {
			err = syncPath(path, d.IsDir())
		}
		return err
	})
	if err == nil {
		err = os.Remove(filepath.Join(dir, markFile))
	}
	if err == nil {
		err = syncPath(dir, true)
	}
	return err
}

// syncPath makes a file last, or the names in a directory, which Windows cannot sync.
func syncPath(path string, dir bool) error {
	access := os.O_RDWR
	if dir {
		access = os.O_RDONLY
	}
	if dir && runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.OpenFile(path, access, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
