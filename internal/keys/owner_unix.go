//go:build unix

package keys

import (
	"io/fs"
	"syscall"
)

// owner is the number of the user who owns a file, -1 if it is not known.
func owner(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}
