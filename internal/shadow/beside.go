package shadow

import (
	"fmt"
	"runtime/debug"
)

// beside does something while its caller goes on, so that one bundle is judged
// sooner where a processor is idle. Wait waits for its end and panics if it did: a
// panic that nobody recovers would end the daemon.
func beside(f func()) (wait func()) {
	ended := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				ended <- fmt.Errorf("%v\n%s", p, debug.Stack())
			}
			close(ended)
		}()
		f()
	}()
	return func() {
		if err := <-ended; err != nil {
			panic(err)
		}
	}
}
