package main

import (
	"context"
	"os"
)

// stdin is the standard input of a command. A read ends with the context: on a
// terminal, or on a pipe that nobody closes, it would outlast a signal.
type stdin struct {
	file *os.File
	ctx  context.Context
}

// Fd is for those who ask whether it is a terminal.
func (s stdin) Fd() uintptr { return s.file.Fd() }

func (s stdin) Read(p []byte) (int, error) {
	text := make([]byte, len(p)) // the caller has p back while this is still read
	var n int
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		n, err = s.file.Read(text)
	}()
	select {
	case <-done:
		return copy(p, text[:n]), err
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}
