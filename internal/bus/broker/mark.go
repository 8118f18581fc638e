package broker

import (
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
	if err := syncFile(file); err != nil {
		return err
	}
	return syncDir(dir)
}

// removeMark syncs all that a server has stored in a directory, and then removes its
// mark.
func removeMark(dir string) error {
	err := filepath.WalkDir(filepath.Join(dir, server.JetStreamStoreDir), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return syncDir(path)
		case d.Type().IsRegular():
			return syncFile(path)
		}
		return nil
	})
	if err == nil {
		err = os.Remove(filepath.Join(dir, markFile))
	}
	if err == nil {
		err = syncDir(dir)
	}
	return err
}

// syncDir makes new names and removals last. Windows cannot sync a directory.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
