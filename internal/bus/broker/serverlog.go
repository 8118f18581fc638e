package broker

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
)

// serverLog passes the server's warnings and errors on, and keeps what it
// would have ended the process for.
type serverLog struct {
	*slog.Logger
	unwritable chan string
	mu         sync.Mutex
	err        error
}

func (l *serverLog) Warnf(format string, v ...any) { l.Warn(fmt.Sprintf(format, v...)) }

// ofClient begins what the server says of a client's connection. Behind it stands
// the name that the client gave itself, and the subject that it asked for.
var ofClient = regexp.MustCompile(`^\S+ - cid:`)

func (l *serverLog) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	if ofClient.MatchString(text) {
		l.Info(text) // what a client may not do is its own affair
		return
	}
	l.Error(text)
	// The server has no other way of telling, and answers nobody. A test holds
	// these words.
	for _, sign := range []string{"failed to store a msg", "critical write error", "will be DISABLED"} {
		if strings.Contains(text, sign) {
			select {
			case l.unwritable <- text:
			default:
			}
		}
	}
}

// Nobody has to act on these.
func (l *serverLog) Noticef(string, ...any) {}
func (l *serverLog) Debugf(string, ...any)  {}
func (l *serverLog) Tracef(string, ...any)  {}

func (l *serverLog) Fatalf(format string, v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = fmt.Errorf(format, v...)
}

func (l *serverLog) fatal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
