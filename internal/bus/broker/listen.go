package broker

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// ErrDataDir and ErrListen say which option keeps a server from starting.
var (
	ErrDataDir = errors.New("the data directory cannot be had")
	ErrListen  = errors.New("the address cannot be had")
)

// optionError is an error about one option.
type optionError struct {
	error
	option error
}

func (e optionError) Unwrap() []error { return []error{e.error, e.option} }

// CheckListen refuses an address that this machine cannot listen on, and with
// syscall.EADDRINUSE one that is taken. Its error begins with the address. It
// accepts the empty address. The configuration decides who may reach the
// address.
func CheckListen(address string) error {
	if address == "" {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return optionError{fmt.Errorf("%.60s: "+format, append([]any{address}, args...)...), ErrListen}
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return refuse("want HOST:PORT, such as 127.0.0.1:4222")
	}
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return refuse("it is in use, perhaps by another shadowd or nats-server: stop that one, listen elsewhere, or connect to it instead: %w", err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return refuse("this machine has no such address: name one that it has, or 127.0.0.1: %w", err)
	case err != nil:
		return refuse("%w", err)
	}
	return l.Close()
}
