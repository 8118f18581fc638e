//go:build unix

package bench

import (
	"syscall"
	"time"
)

// cpuTime is the time of all processors that this process has taken so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
