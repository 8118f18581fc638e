package broker

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/swarmspeed/shadowd/internal/bus/layout"
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

// CheckListen refuses an address that strangers could reach, one that this machine
// cannot listen on, and with syscall.EADDRINUSE one that is taken. Its error
// begins with the address.
func CheckListen(o Options) error {
	if o.Listen == "" {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return optionError{fmt.Errorf("%.60s: "+format, append([]any{o.Listen}, args...)...), ErrListen}
	}
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return refuse("want HOST:PORT, such as 127.0.0.1:4222")
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && !o.Insecure {
		if !slices.ContainsFunc(o.Users, func(u layout.User) bool { return !u.Inside() }) {
			return refuse("other machines could connect without credentials: name users, or listen on 127.0.0.1")
		}
		if o.TLSCert == "" {
			return refuse("what other machines send and receive could be read on the way, passwords too: give a certificate and its key for TLS, or listen on 127.0.0.1")
		}
	}
	l, err := net.Listen("tcp", strings.TrimSuffix(freePort(o.Listen), "-1"))
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
