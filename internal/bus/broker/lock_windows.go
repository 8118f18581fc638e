package broker

import (
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// lockDir takes dir for one server until release is called. Two servers in one
// directory would destroy each other's files. Windows lets nobody else open
// the file meanwhile, and closes it when the process ends, however it ends.
func lockDir(dir string) (release func() error, err error) {
	name, err := windows.UTF16PtrFromString(filepath.Join(dir, lockFile))
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	const noSharing = 0
	file, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, noSharing, nil, windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return nil, inUse(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	return func() error { return windows.CloseHandle(file) }, nil
}
